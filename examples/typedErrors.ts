/**
 * The type of an effect lists its errors, and handling an error by its tag removes it from the type. The two clients
 * share no tag, since the same cause is a different error in each.
 *
 * `pnpm example examples/typedErrors.ts`, with the variables that `pnpm speech serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import { AudioSource, SpeechToText, type SttError } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Console, Effect, Match } from "effect"

const [text = "Hello.", lang = "en"] = process.argv.slice(2)

// Handle all errors at once: some by their tag, the others by their category. This does not compile if one is missing.
const afterTranscription = Match.type<SttError>().pipe(
  Match.tag("SttCreditExhausted", () => "Top up the account."),
  Match.tag("SttForbidden", () => "Ask the owner of the account to open it."),
  Match.tag("SttInvalidResponse", () => "Check the base URL."),
  Match.discriminatorsExhaustive("category")({
    request: () => "Correct the request.",
    recording: () => "Send another recording.",
    account: () => "Put the newest key in place.",
    service: ({ retryable }) => (retryable ? "Try later." : "Check the base URL."),
    connection: () => "Try later."
  })
)

// A handler of one client does not compile for the other. For a transcription, 401 is the key and 402 is the credit.
// For a synthesis, 401 is every refused key, also that of an account without credit.
// @ts-expect-error TtsUnauthorized and the others are not errors of a transcription.
export const wrong = (error: TtsError) => afterTranscription(error)

const heard: Effect.Effect<string, never, SpeechToText> = Effect.gen(function* () {
  const stt = yield* SpeechToText
  const silence = Wav.encode(new Uint8Array(16_000), { sampleRate: 8000, channels: 1, encoding: "pcm16" })
  const { text } = yield* stt.transcribe({
    audio: AudioSource.fromBytes(silence),
    model: `${lang}-general-v2-8khz`
  })
  return text === "" ? "No words." : text
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
    TtsInvalidRequest: ({ field, problem }) => Effect.succeed(`Correct the request: ${field} ${problem}.`),
    TtsBadRequest: ({ field = "what it names" }) => Effect.succeed(`Correct the request: change ${field}.`),
    TtsUnauthorized: () => Effect.succeed("Check the key, and the credit too.")
  })
)

Effect.all([heard, spoken]).pipe(
  Effect.flatMap(([first, second]) => Console.log(`${first}\n${second}`)),
  Effect.provide([SpeechToText.layerFromEnv, TextToSpeech.layerFromEnv]),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
