import * as Wav from "@effect-speech/audio-codec/Wav"
import { AudioSource, SpeechToText, type SttError } from "@effect-speech/stt"
import { problemWith } from "@effect-speech/transport/ApiKey"
import * as BaseUrl from "@effect-speech/transport/BaseUrl"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type CallSettings, speechToText, textToSpeech } from "./clients.js"
import * as ExitCode from "./exitCode.js"
import { AlreadyTold, configProblem, inOwnWords, inWords } from "./failure.js"

/** What was found of one thing. */
interface Finding {
  readonly name: string
  readonly outcome: "ok" | "failed" | "not tried"
  readonly message: string
  readonly code: number
  readonly error?: SttError | TtsError | undefined
}

const ok = (name: string, message: string): Finding => ({ name, outcome: "ok", message, code: ExitCode.done })
const failed = (name: string, message: string, code: number = ExitCode.invalid): Finding => ({
  name,
  outcome: "failed",
  message,
  code
})

const setting = (name: string, problemOf: (value: string) => string | undefined, shown: (value: string) => string) =>
  Effect.map(
    Effect.either(Config.string(name)),
    Either.match({
      onLeft: (error) => failed(name, configProblem(error)),
      onRight: (value) => {
        const problem = problemOf(value)
        return problem === undefined ? ok(name, shown(value)) : failed(name, problem)
      }
    })
  )

const keySetting = setting(
  "SPEECH_API_KEY",
  (value) => problemWith(Redacted.make(value)),
  () => "is set, and of the form <prefix>.<secret>"
)

const addressSetting = (name: string, options: BaseUrl.BaseUrlOptions) =>
  setting(
    name,
    (value) => Option.getOrUndefined(Option.map(Either.getLeft(BaseUrl.parse(name, value, options)), addressProblem)),
    (value) => value
  )

const addressProblem = (error: ConfigError.ConfigError): string =>
  "message" in error ? inOwnWords(error.message) : String(error)

/** Long enough for a host that is far away, and short enough to wait for. */
const patienceSeconds = 15

/** No service has them, so what is asked is refused after the key was looked at, and is not billed. */
const unknownModel = "speech-doctor-asks-for-no-model"
const unknownLanguage = "speech-doctor"

/** A tenth of a second. */
const silence = Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, new Uint8Array(1600))

const askTranscription = (settings: CallSettings) =>
  Effect.flatMap(SpeechToText, (stt) =>
    stt.transcribe({ audio: AudioSource.fromBytes(silence), model: unknownModel })
  ).pipe(Effect.provide(speechToText(settings)), Effect.provide(NodeTransport.layer))

const askSynthesis = (settings: CallSettings) =>
  Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: ".", lang: unknownLanguage })).pipe(
    Effect.provide(textToSpeech(settings)),
    Effect.provide(NodeTransport.layer)
  )

const operation = (
  name: string,
  ask: Effect.Effect<unknown, SttError | TtsError | ConfigError.ConfigError>
): Effect.Effect<Finding> =>
  Effect.match(ask, {
    onSuccess: () => ok(name, "answered, even to what no service should know: it may have billed it"),
    onFailure: (error) => {
      if (!("call" in error)) return failed(name, configProblem(error))
      if (error._tag === "SttDeadlineExceeded" || error._tag === "TtsDeadlineExceeded") {
        return { ...failed(name, `did not answer within ${patienceSeconds} s`, ExitCode.ofServiceError(error)), error }
      }
      const finding = { ...failed(name, inWords(error), ExitCode.ofServiceError(error)), error }
      if (error._tag !== "SttBadRequest" && error._tag !== "TtsBadRequest") return finding
      // The service says what it refuses; any other server or proxy may answer 400 as well.
      return error.serverMessage === undefined
        ? { ...finding, message: "answered 400, but not in the words of the service; check the base URL" }
        : ok(name, `answered within ${Math.round(error.call.elapsedMillis)} ms, and did not refuse the key`)
    }
  })

/** Asks only where what is needed for it is there. */
const operationAfter = (
  name: string,
  ask: Effect.Effect<unknown, SttError | TtsError | ConfigError.ConfigError>,
  settings: ReadonlyArray<Finding>
): Effect.Effect<Finding> =>
  settings.every(({ outcome }) => outcome === "ok")
    ? operation(name, ask)
    : Effect.succeed({ name, outcome: "not tried", message: "its settings come first", code: ExitCode.done })

export interface DoctorOptions {
  readonly allowInsecureHttp: boolean
  readonly json: boolean
}

export const doctor = ({ allowInsecureHttp, json }: DoctorOptions) =>
  Effect.gen(function* () {
    const settings = { allowInsecureHttp, retries: 0, timeout: Option.some(patienceSeconds) }
    const key = yield* keySetting
    const stt = yield* addressSetting("SPEECH_STT_BASE_URL", settings)
    const tts = yield* addressSetting("SPEECH_TTS_BASE_URL", settings)
    const operations = yield* Effect.all(
      [
        operationAfter("transcription", askTranscription(settings), [key, stt]),
        operationAfter("synthesis", askSynthesis(settings), [key, tts])
      ],
      { concurrency: "unbounded" }
    )
    const findings = [key, stt, tts, ...operations]
    yield* Console.log(
      json
        ? JSON.stringify({ checks: findings.map(({ code, ...finding }) => finding) })
        : findings.map(({ message, name, outcome }) => `${outcome.padEnd(11)}${name.padEnd(21)}${message}`).join("\n")
    )
    const first = findings.find(({ outcome }) => outcome === "failed")
    if (first !== undefined) return yield* new AlreadyTold({ code: first.code })
  })
