/**
 * Writes speech into a WAV file while it arrives, in constant memory. The file appears complete or not at all.
 *
 * `pnpm example examples/streamToFile.ts "a text" en speech.wav`, with the variables that `pnpm speech serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioFormat, Wav } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Console, Effect } from "effect"

const [text = "Hello.", lang = "en", path = "speech.wav"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  // Gives a result when the response begins. The audio is received when you run the stream.
  const speech = yield* tts.stream({ text, lang, outputFormat: "16000:pcm16" })
  yield* Console.log(`request ${speech.requestId}: ${speech.byteLength ?? "an unknown number of"} bytes`)
  // The header has the length that the service states. If it states none, the header is written after the audio.
  const file = yield* Wav.writeFile(speech, path)
  yield* Console.log(`${file.path}: ${AudioFormat.describe(file.format)}, ${file.durationMillis} ms`)
}).pipe(
  // The client checks the audio. If it is incomplete or corrupt, no file is written, and an existing file is unchanged.
  Effect.tapErrorTag("TtsConnectionFailed", ({ reason }) => Console.error(`No file: ${reason}`)),
  Effect.tapErrorTag("TtsCorruptAudio", ({ problem }) => Console.error(`No file: ${problem}`))
)

// The call ends when the scope closes, even if the stream was not read to its end.
program.pipe(
  Effect.scoped,
  Effect.provide(TextToSpeech.layerFromEnv),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
