/**
 * A recording at 44.1 or 48 kHz in stereo, sent as what the models hear: one channel, 8 kHz, 16 bits. It is converted as
 * it is read, in memory that does not grow with it, and the upload is a twelfth of the file.
 *
 * `pnpm example examples/telephonyUpload.ts recording.wav en-general-v2-8khz`, with the variables that `pnpm speech
 * serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioSource, Recording, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import { Console, Effect } from "effect"

const [path = "recording.wav", model = "en-general-v2-8khz"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const stt = yield* SpeechToText
  const audio = AudioSource.fromPath(path)

  const recording = yield* Recording.inspect(audio)
  const { text, warnings } = yield* stt.transcribe(
    // WAV alone is converted here. What is compressed is small already: the service decodes it.
    { audio, model, telephony: recording.container === "wav" },
    {
      onEvent: (event) =>
        event._tag === "Uploading" && event.sentBytes === event.totalBytes
          ? Console.log(`a file of ${recording.bytes} bytes, sent as ${event.sentBytes}`)
          : Effect.void
    }
  )
  yield* Effect.forEach(warnings, (warning) => Console.error(warning.message))
  yield* Console.log(text)
}).pipe(
  // Before anything is sent, or while it is: it does not exist, it changed under way, its header makes no sense.
  Effect.tapErrorTag("SttAudioUnreadable", (error) => Console.error(`Check ${error.source}: ${error.problem}`))
)

program.pipe(Effect.provide(SpeechToText.layerFromEnv), Effect.provide(NodeTransport.layer), NodeRuntime.runMain)
