/**
 * The options `--record` and `--replay` of the local service: which service is recorded, and what was kept or not found.
 */
import type { ExchangeCounts } from "@effect-speech/local-service/ExchangeCounts"
import type { RecordOptions } from "@effect-speech/local-service/LocalServiceOptions"
import { problemWith } from "@effect-speech/transport/ApiKey"
import * as BaseUrl from "@effect-speech/transport/unstable/BaseUrl"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Given } from "./declaration.js"
import { refuse, type UsageError } from "./failure.js"
import { applying, count, plural } from "./message.js"
import { isLink, typeOf } from "./pathType.js"
import { describeField } from "./serviceFailure.js"

/** Options of a service that speaks, recognises and bills by itself. */
const ofOwnWork = [
  ...(["capacity", "credits", "dataDir", "idle", "models"] as const),
  ...(["newKey", "preload", "queue", "recordings", "threads"] as const)
]

export const checkExchanges = (given: Given<"run">): Effect.Effect<void, UsageError> => {
  const { record, replay } = given
  const folder = record ?? replay
  if (folder === undefined) return Effect.void
  if (record !== undefined && replay !== undefined) return refuse("Give --record or --replay, not both.")
  const [option, source] = record === undefined ? ["--replay", "the folder"] : ["--record", "the recorded service"]
  const useless = ofOwnWork.find((name) => given[name] !== undefined && given[name] !== false)
  if (useless !== undefined) {
    return refuse(`With ${option} all responses are those of ${source}: leave out ${describeField(useless)}.`)
  }
  const type = typeOf(folder)
  if (type === "file") return refuse(`${option} must be a folder.`)
  if (type === undefined && isLink(folder)) {
    return refuse(`${option} is a link to something that does not exist. Create its target, or remove the link.`)
  }
  if (replay !== undefined && type === undefined) {
    return refuse(`--replay must be a folder that exists. To make it, run the same command with --record ${folder}.`)
  }
  return Effect.void
}

const optional = (name: string) => Config.option(Config.string(name))

const checkBaseUrl = (name: string, value: Option.Option<string>): Effect.Effect<string | undefined, UsageError> =>
  Option.match(value, {
    onNone: () => Effect.succeed(undefined),
    onSome: (text) =>
      Either.match(BaseUrl.check(text), {
        onLeft: (problem) =>
          // The words of the library name an option that these commands do not have.
          refuse(
            `${name} ${problem === "insecureHttp" ? "must be https, or on this machine" : BaseUrl.problems[problem]}.`
          ),
        onRight: () => Effect.succeed(text)
      })
  })

/** The service to record, as the environment names it, and what to say of it. */
export const readRecordedService = (folder: string) =>
  Effect.gen(function* () {
    const found = yield* Config.all({
      key: optional("SPEECH_API_KEY"),
      stt: optional("SPEECH_STT_BASE_URL"),
      tts: optional("SPEECH_TTS_BASE_URL")
    })
    const hasNoAddress = Option.isNone(found.stt) && Option.isNone(found.tts)
    const missing = applying(
      Option.isNone(found.key) && "SPEECH_API_KEY",
      hasNoAddress && "SPEECH_STT_BASE_URL or SPEECH_TTS_BASE_URL or both"
    )
    if (missing.length > 0 || Option.isNone(found.key)) {
      return yield* refuse(`--record needs the service to record. Set ${missing.join(", and ")} in the environment.`)
    }
    const apiKey = Redacted.make(found.key.value)
    const problem = problemWith(apiKey)
    if (problem !== undefined) return yield* refuse(`SPEECH_API_KEY is not a key: ${problem}.`)
    const sttBaseUrl = yield* checkBaseUrl("SPEECH_STT_BASE_URL", found.stt)
    const ttsBaseUrl = yield* checkBaseUrl("SPEECH_TTS_BASE_URL", found.tts)
    return { folder, apiKey, sttBaseUrl, ttsBaseUrl }
  })

/** Which operation is not recorded, and why. */
export const describeUnrecorded = (record: RecordOptions | undefined): ReadonlyArray<string> =>
  record === undefined
    ? []
    : applying(
        record.sttBaseUrl === undefined && "SPEECH_STT_BASE_URL is not set, so transcriptions fail with 400.",
        record.ttsBaseUrl === undefined && "SPEECH_TTS_BASE_URL is not set, so syntheses fail with 400."
      )

/** Where the responses come from. Empty without `--record` and `--replay`. */
export const describeSource = ({ replay }: Given<"run">, record: RecordOptions | undefined): ReadonlyArray<string> => {
  if (record === undefined) return applying(replay !== undefined && `The responses come from ${replay}.`)
  const addresses = [...new Set(applying(record.sttBaseUrl, record.ttsBaseUrl))]
  return [
    `Requests go on to ${addresses.join(" and ")} and cost its credit. The exchanges are kept in ${record.folder}.`,
    ...describeUnrecorded(record)
  ]
}

/** What was kept or not found, when the service has ended. Empty without `--record` and `--replay`. */
export const describeExchanges = (
  { record, replay }: Given<"run">,
  { damaged, damagedFiles, kept, missing, notKept, replayed }: ExchangeCounts
): ReadonlyArray<string> => {
  if (record !== undefined) {
    const others = notKept === 1 ? "another was not" : `${count(notKept)} others were not`
    const those = `${plural(kept, "exchange")} ${kept === 1 ? "was" : "were"} kept in ${record}`
    return [notKept === 0 ? `${those}.` : `${those}, and ${others}: the warnings say why.`]
  }
  if (replay === undefined) return []
  const them = missing === 1 ? "it" : "them"
  const sentences = applying(
    `${plural(replayed, "response")} from ${replay}.`,
    missing > 0 &&
      `${plural(missing, "request")} had none: to record ${them}, run the same command with --record ${replay}.`,
    damaged > 0 && describeDamaged(damaged, damagedFiles)
  )
  return [sentences.join(" ")]
}

/** The log names each file. */
const mostNamed = 5

const describeDamaged = (requests: number, files: ReadonlyArray<string>): string => {
  const named = files.slice(0, mostNamed).join(", ")
  const others = files.length > mostNamed ? ` and ${count(files.length - mostNamed)} more` : ""
  return files.length === 1
    ? `${plural(requests, "request")} met a damaged file: ${named}. Restore it, or delete its exchange and record it again.`
    : `${plural(requests, "request")} met damaged files: ${named}${others}. Restore them, or delete their exchanges and record them again.`
}
