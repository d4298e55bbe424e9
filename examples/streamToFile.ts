/**
 * Speech into a WAV file while it arrives, in memory that does not grow with it. The file appears whole or not at all.
 *
 * `pnpm example examples/streamToFile.ts "a text" en speech.wav`, with the variables that `pnpm speech serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioFormat, Wav } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech } from "@effect-speech/tts"
import { Console, Effect } from "effect"

const [text = "Hello.", lang = "en", path = "speech.wav"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  // Comes with the head of the answer; the audio waits until somebody reads it.
  const speech = yield* tts.stream({ text, lang, outputFormat: "16000:pcm16" })
  yield* Console.log(`request ${speech.requestId}: ${speech.byteLength ?? "an unknown number of"} bytes`)
  // The header holds the length that the service announced, or where it did not, the one that came, once it has come.
  const file = yield* Wav.writeFile(speech, path)
  yield* Console.log(`${file.path}: ${AudioFormat.describe(file.format)}, ${file.durationMillis} ms`)
}).pipe(
  // The audio is checked to its end: what broke off or contradicts itself leaves no file, and an older one as it was.
  Effect.tapErrorTag("TtsConnectionFailed", ({ reason }) => Console.error(`No file: ${reason}`)),
  Effect.tapErrorTag("TtsCorruptAudio", ({ problem }) => Console.error(`No file: ${problem}`))
)

// The answer ends when the scope closes, also where it was not read to its end.
program.pipe(
  Effect.scoped,
  Effect.provide(TextToSpeech.layerFromEnv),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
