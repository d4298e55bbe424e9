/**
 * Every way to fail is in the type, and what is handled by its tag is gone from it. The two services share no tag, since
 * the same cause is another error in each.
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

// All at once: it does not compile if a tag is forgotten, nor after an update that brings a new one.
const afterTranscription = Match.type<SttError>().pipe(
  Match.tag("SttUnauthorized", "SttInvalidApiKey", () => "Put the newest key in place."),
  Match.tag("SttCreditExhausted", () => "Top up the account."),
  Match.tag("SttForbidden", () => "Ask whoever keeps the account to open it."),
  Match.tag("SttAudioUnreadable", "SttTranscriptionFailed", () => "Send another recording."),
  Match.tag("SttServerError", "SttUnavailable", "SttConnectionFailed", "SttDeadlineExceeded", () => "Try later."),
  Match.tag("SttInvalidRequest", "SttBadRequest", () => "Mend the request."),
  Match.tag("SttUnexpectedStatus", "SttInvalidResponse", () => "Look at the base URL."),
  Match.exhaustive
)

// Nor for the other service, and rightly: of a transcription a 401 is the key, and credit is a 402; of a synthesis a 401
// stands for every refused key, an account without credit among them.
// @ts-expect-error TtsUnauthorized and its like are no errors of a transcription.
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

// Tag by tag: what is handled no longer fails it, and the others are still to be handled by whoever runs it.
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
