import * as ApiKey from "@effect-speech/transport/ApiKey"
import * as BaseUrl from "@effect-speech/transport/unstable/BaseUrl"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { LocalServiceOptionInvalid } from "../LocalServiceError.js"
import type { LocalServiceOptions } from "../LocalServiceOptions.js"
import type { RecogniserModel, RecogniserService } from "../Recogniser.js"
import type { VoiceService } from "../Voice.js"
import { longestMillis } from "./realTime.js"
import { firstIssue, mustBe } from "./validation.js"

const positive = Schema.Number.pipe(
  Schema.filter((value) => (value > 0 && value < Number.POSITIVE_INFINITY) || "must be a number above 0")
)
const duration = Schema.Unknown.pipe(
  Schema.filter(
    (given) =>
      Option.exists(Duration.decodeUnknown(given), (each) => Duration.toMillis(each) > 0 && Duration.isFinite(each)) ||
      'must be a duration longer than zero, such as "2 hours"'
  )
)
const count = Schema.NonNegativeInt.annotations(mustBe("a whole number, 0 or more"))

/** As in a `Host` header, without a port. */
const hostNames = Schema.Array(Schema.String).pipe(
  Schema.filter(
    (names) => names.every((name) => /^[\w.-]+$/.test(name)) || "must be host names, such as speech or speech.example"
  )
)

const Options = Schema.partial(
  Schema.Struct({
    hostNames,
    port: Schema.Int.pipe(Schema.between(0, 65_533)).annotations(mustBe("a whole number from 0 to 65533")),
    credits: count,
    creditsPerSecond: count,
    maximumUploadBytes: positive,
    maximumRecording: duration,
    maximumSpeech: duration,
    bodyIdle: duration,
    capacity: duration,
    seed: Schema.Int.annotations(mustBe("a whole number")),
    fixedTime: Schema.ValidDateFromSelf.annotations(mustBe("a valid Date"))
  })
)

const validate = Schema.validate(Options)

/** The options with their defaults. */
export interface Settings {
  /** Port of transcription, 0 to 65,533. 0 means three free ports. */
  readonly port: number
  /** Address to listen on. */
  readonly host: string
  /** Names accepted in the `Host` header, besides `localhost` and IP addresses. */
  readonly hostNames: ReadonlyArray<string>
  /** Initial credit of the account. */
  readonly credits: number
  /** Price of each started second of transcribed audio, in credits. */
  readonly creditsPerSecond: number
  /** The models of transcription, by their names. */
  readonly models: ReadonlyMap<string, RecogniserModel>
  /** Largest recording, in bytes. */
  readonly maximumUploadBytes: number
  /** Longest recording, in seconds. */
  readonly maximumRecordingSeconds: number
  /** Longest speech of one text, in seconds. */
  readonly maximumSpeechSeconds: number
  /** Longest time without a byte of a request body, in milliseconds. */
  readonly bodyIdleMillis: number
}

/** What speaks and what recognises. */
export interface Engines {
  readonly voice: VoiceService
  readonly recogniser: RecogniserService
}

/** Checks the options, so that a wrong one fails where it was written, and fills in the defaults. */
export const resolveOptions = (
  options: LocalServiceOptions,
  engines: Engines
): Effect.Effect<Settings, LocalServiceOptionInvalid> =>
  Effect.gen(function* () {
    yield* Effect.mapError(validate(options), ({ issue }) => {
      const { field, problem } = firstIssue(issue)
      return invalid(field, problem)
    })
    yield* checkExchanges(options)
    const { models, recordings } = options
    const { knownRecordings, models: own } = engines.recogniser
    if (models !== undefined && own !== undefined) {
      return yield* invalid("models", "can't be given, because the recogniser has models of its own")
    }
    if (recordings !== undefined && knownRecordings === undefined) {
      return yield* invalid("recordings", "can't be given, because this recogniser can't be taught")
    }
    return {
      port: options.port ?? 0,
      host: options.host ?? "127.0.0.1",
      hostNames: options.hostNames ?? [],
      credits: options.credits ?? 1_000_000,
      creditsPerSecond: options.creditsPerSecond ?? 1,
      models: new Map(
        (own ?? givenModels(models ?? defaultModels(engines.voice.voices))).map((model) => [model.name, model])
      ),
      maximumUploadBytes: options.maximumUploadBytes ?? 512 * 1024 * 1024,
      maximumRecordingSeconds: Duration.toSeconds(options.maximumRecording ?? "2 hours"),
      maximumSpeechSeconds: Duration.toSeconds(options.maximumSpeech ?? "2 hours"),
      bodyIdleMillis: Math.min(Duration.toMillis(options.bodyIdle ?? "1 minute"), longestMillis)
    }
  })

/** A service that replays or records has neither a voice nor a recogniser. */
const checkExchanges = ({ models, record, recordings, replay }: LocalServiceOptions) =>
  Effect.gen(function* () {
    const given = Object.entries({ replay, record, recordings, models }).filter(([, value]) => value !== undefined)
    const [[first] = ["replay"], [other] = ["record"]] = given
    if ((replay !== undefined || record !== undefined) && given.length > 1) {
      return yield* invalid(first, `can't be given together with ${other}`)
    }
    if (replay === "") return yield* invalid("replay", "must be the path of a folder")
    if (record === undefined) return
    if (record.folder === "") return yield* invalid("record.folder", "must be the path of a folder")
    const key = ApiKey.problemWith(record.apiKey)
    if (key !== undefined) return yield* invalid("record.apiKey", `is no API key: ${key}`)
    for (const name of ["sttBaseUrl", "ttsBaseUrl"] as const) {
      const problem = record[name] === undefined ? undefined : problemOfAddress(record[name])
      if (problem !== undefined) return yield* invalid(`record.${name}`, problem)
    }
  })

/** The rule that an address of another service breaks. */
const problemOfAddress = (url: string): string | undefined =>
  Either.match(BaseUrl.check(url), {
    onLeft: (problem) =>
      problem === "insecureHttp"
        ? "is plain http to another machine, which would show the key; use https"
        : BaseUrl.problems[problem],
    onRight: () => undefined
  })

const invalid = (option: string, problem: string) =>
  new LocalServiceOptionInvalid({ option, problem, message: `The option ${option} ${problem}.` })

/** The recogniser takes any model, with hotwords. */
const givenModels = (models: Readonly<Record<string, string>>): ReadonlyArray<RecogniserModel> =>
  Object.entries(models).map(([name, lang]) => ({ name, lang, hotwords: true }))

const defaultModels = (voices: VoiceService["voices"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    languagesOf(voices).flatMap((lang) => ["general", "banking"].map((kind) => [`${lang}-${kind}-v2-8khz`, lang]))
  )

/** What the fields `model`, `lang` and `voice` of a request can be. */
export interface Offers {
  readonly modelNames: ReadonlyArray<string>
  readonly languages: ReadonlyArray<string>
  readonly voices: ReadonlyArray<string>
  /** The language of each model. */
  readonly languagesOfModels: Readonly<Record<string, string>>
  /** The languages of each voice. */
  readonly languagesOfVoices: Readonly<Record<string, ReadonlyArray<string>>>
}

export const offersOf = ({ models }: Pick<Settings, "models">, voices: VoiceService["voices"]): Offers => ({
  modelNames: [...models.keys()],
  languages: languagesOf(voices),
  voices: voiceNamesOf(voices),
  languagesOfModels: Object.fromEntries(Array.from(models.values(), ({ lang, name }) => [name, lang])),
  languagesOfVoices: Object.fromEntries(
    voiceNamesOf(voices).map((name) => [name, languagesOf(voices.filter((each) => each.name === name))])
  )
})

/** The languages of all voices, in their order. */
export const languagesOf = (voices: VoiceService["voices"]): ReadonlyArray<string> =>
  Arr.dedupe(voices.flatMap(({ languages }) => languages))

/** The names of all voices, in their order. */
export const voiceNamesOf = (voices: VoiceService["voices"]): ReadonlyArray<string> =>
  Arr.dedupe(voices.map(({ name }) => name))
