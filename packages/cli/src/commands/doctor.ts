/**
 * `speech doctor`: checks the three settings, then sends each host a request that it must refuse.
 */
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Printable from "@effect-speech/common/Printable"
import { AudioSource, SpeechToText, type SttError } from "@effect-speech/stt"
import { problemWith } from "@effect-speech/transport/ApiKey"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { baseUrl, type CallSettings, speechToText, textToSpeech } from "../clients.js"
import { Coloured } from "../coloured.js"
import type { Given } from "../declaration.js"
import * as ExitCode from "../exitCode.js"
import { AlreadyReported } from "../failure.js"
import { describeConfigError } from "../report.js"
import { describeServiceError } from "../serviceFailure.js"
import { describePlace, SettingsPlace } from "../settings.js"

/** The result of one check. */
interface Finding {
  readonly name: string
  readonly outcome: "ok" | "failed" | "not tried"
  readonly message: string
  readonly code: number
  readonly error?: SttError | TtsError | undefined
}

const colours = { ok: "green", failed: "red", "not tried": "yellow" } as const

const ok = (name: string, message: string): Finding => ({ name, outcome: "ok", message, code: ExitCode.done })
const failed = (name: string, message: string, code: number = ExitCode.invalid): Finding => ({
  name,
  outcome: "failed",
  message,
  code
})

const checkSetting = <A>(name: string, setting: Config.Config<A>, describeValue: (value: A) => string) =>
  Effect.flatMap(SettingsPlace, (place) =>
    Effect.match(setting, {
      onFailure: (error) =>
        failed(
          name,
          // The name of the setting is a column of its own.
          ConfigError.isInvalidData(error)
            ? `${error.message} (${describePlace(place)})`
            : describeConfigError(error, place)
        ),
      onSuccess: (value) => ok(name, `${describeValue(value)}, ${describePlace(place)}`)
    })
  )

const apiKey = Config.mapOrFail(Config.string("SPEECH_API_KEY"), (value) => {
  const problem = problemWith(Redacted.make(value))
  return problem === undefined ? Either.right(value) : Either.left(ConfigError.InvalidData([], problem))
})

/** Long enough for a distant host, and short enough to wait for. */
const timeoutSeconds = 15

/** No service has them, so it refuses the request after it has checked the key, and bills nothing. */
const unknownModel = "speech-doctor-asks-for-no-model"
const unknownLanguage = "speech-doctor"

/** A tenth of a second. */
const silence = Wav.encode(new Uint8Array(1600), { sampleRate: 8000, channels: 1, encoding: "pcm16" })

const transcribe = (settings: CallSettings) =>
  Effect.flatMap(SpeechToText, (stt) =>
    stt.transcribe({ audio: AudioSource.fromBytes(silence), model: unknownModel })
  ).pipe(Effect.provide(speechToText(settings)), Effect.provide(NodeTransport.layer))

const synthesize = (settings: CallSettings) =>
  Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: ".", lang: unknownLanguage })).pipe(
    Effect.provide(textToSpeech(settings)),
    Effect.provide(NodeTransport.layer)
  )

/** Sends a request that every service refuses, if its settings are right. */
const checkHost = (
  name: string,
  request: Effect.Effect<unknown, SttError | TtsError | ConfigError.ConfigError>,
  settings: ReadonlyArray<Finding>
): Effect.Effect<Finding> => {
  if (settings.some(({ outcome }) => outcome !== "ok")) {
    return Effect.succeed({ name, outcome: "not tried", message: "fix its settings first", code: ExitCode.done })
  }
  const outcome = (place: SettingsPlace["Type"]) =>
    Effect.match(request, {
      onSuccess: () => ok(name, "accepted a request that every service should refuse, and may have billed it"),
      onFailure: (error) => {
        if (!("call" in error)) return failed(name, describeConfigError(error, place))
        const refusal = (message: string) => ({ ...failed(name, message, ExitCode.ofServiceError(error)), error })
        switch (error._tag) {
          case "SttDeadlineExceeded":
          case "TtsDeadlineExceeded":
            return refusal(`did not respond within ${timeoutSeconds} s`)
          case "SttBadRequest":
          case "TtsBadRequest":
            // The service says what it refuses; another server or a proxy may respond with 400 too.
            return error.serverMessage === undefined
              ? refusal("responded with 400, but not in the service's words; check the base URL")
              : ok(name, `responded within ${Math.round(error.call.elapsedMillis)} ms, and did not refuse the key`)
          default:
            return refusal(describeServiceError(error))
        }
      }
    })
  return Effect.flatMap(SettingsPlace, outcome)
}

const withProxy = (address: string): string =>
  Option.match(NodeTransport.proxyOf(new URL(address)), {
    onNone: () => address,
    onSome: (proxy) => `${address} by the proxy ${proxy}`
  })

export const doctor = ({ allowInsecureHttp, json }: Given<"doctor">) =>
  Effect.gen(function* () {
    const settings = { allowInsecureHttp, retries: 0, timeout: timeoutSeconds }
    const key = yield* checkSetting("SPEECH_API_KEY", apiKey, () => "is set, and of the form <prefix>.<secret>")
    const checkAddress = (name: string) => checkSetting(name, baseUrl(name, settings), withProxy)
    const stt = yield* checkAddress("SPEECH_STT_BASE_URL")
    const tts = yield* checkAddress("SPEECH_TTS_BASE_URL")
    const hosts = yield* Effect.all(
      [
        checkHost("transcription", transcribe(settings), [key, stt]),
        checkHost("synthesis", synthesize(settings), [key, tts])
      ],
      { concurrency: "unbounded" }
    )
    const findings = [key, stt, tts, ...hosts]
    yield* json
      ? Console.log(JSON.stringify({ checks: findings.map(({ code, ...finding }) => finding) }))
      : Effect.forEach(
          findings,
          ({ message, name, outcome }) =>
            Console.log(
              new Coloured(colours[outcome], outcome.padEnd(10)),
              Printable.line(`${name.padEnd(21)}${message}`)
            ),
          { discard: true }
        )
    const first = findings.find(({ outcome }) => outcome === "failed")
    if (first !== undefined) return yield* new AlreadyReported({ code: first.code })
  })
