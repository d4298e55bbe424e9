/**
 * The type of an effect lists its errors, and handling an error by its tag removes it from the type. The two clients
 * share no tag, since the same cause is a different error in each.
 *
 * `pnpm example examples/typedErrors.ts`, with the variables that `pnpm speech serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText, type SttError } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Console, Effect, Match } from "effect"

const [text = "Hello.", lang = "en"] = process.argv.slice(2)

// Handle all errors at once. This does not compile if a tag is missing, also if an update adds one.
const afterTranscription = Match.type<SttError>().pipe(
  Match.tag("SttUnauthorized", "SttInvalidApiKey", () => "Put the newest key in place."),
  Match.tag("SttCreditExhausted", () => "Top up the account."),
  Match.tag("SttForbidden", () => "Ask the owner of the account to open it."),
  Match.tag("SttAudioUnreadable", "SttTranscriptionFailed", () => "Send another recording."),
  Match.tag("SttServerError", "SttUnavailable", "SttConnectionFailed", "SttDeadlineExceeded", () => "Try later."),
  Match.tag("SttInvalidRequest", "SttBadRequest", () => "Mend the request."),
  Match.tag("SttUnexpectedStatus", "SttInvalidResponse", () => "Look at the base URL."),
  Match.exhaustive
)

// A handler of one client does not compile for the other. For a transcription, 401 is the key and 402 is the credit.
// For a synthesis, 401 is every refused key, also that of an account without credit.
// @ts-expect-error TtsUnauthorized and the others are not errors of a transcription.
export const wrong = (error: TtsError) => afterTranscription(error)

const heard: Effect.Effect<string, never, SpeechToText> = Effect.gen(function* () {
  const stt = yield* SpeechToText
  const silence = Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, new Uint8Array(16_000))
  const { text } = yield* stt.transcribe({
    audio: AudioSource.fromBytes(silence),
    model: `${lang}-general-v2-8khz`
  })
  return text === "" ? "Nobody spoke." : text
}).pipe(Effect.catchAll((error) => Effect.succeed(afterTranscription(error))))

// Handle errors tag by tag. A handled error is removed from the type; the caller handles the others.
const spoken: Effect.Effect<
  string,
  Exclude<TtsError, { readonly _tag: "TtsInvalidRequest" | "TtsBadRequest" | "TtsUnauthorized" }>,
  TextToSpeech
> = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  const { durationMillis } = yield* tts.synthesize({ text, lang })
  return `${durationMillis} ms of speech.`
}).pipe(
  Effect.catchTags({
    TtsInvalidRequest: ({ field, problem }) => Effect.succeed(`Mend the request: ${field} ${problem}.`),
    TtsBadRequest: ({ field = "what it names" }) => Effect.succeed(`Mend the request: change ${field}.`),
    TtsUnauthorized: () => Effect.succeed("Look at the key, and at the credit too.")
  })
)

Effect.all([heard, spoken]).pipe(
  Effect.flatMap(([first, second]) => Console.log(`${first}\n${second}`)),
  Effect.provide([SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv]),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
