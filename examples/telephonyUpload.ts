/**
 * Sends a recording at 44.1 or 48 kHz in stereo as mono, 8 kHz and 16 bits, for which the models are trained. The
 * client converts it during the upload, in constant memory. The upload has a twelfth of the size of a file at 48 kHz.
 *
 * `pnpm example examples/telephonyUpload.ts recording.wav en-general-v2-8khz`, with the variables that `pnpm speech
 * serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioSource, Recording, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { Console, Effect } from "effect"

const [path = "recording.wav", model = "en-general-v2-8khz"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const stt = yield* SpeechToText
  const audio = AudioSource.fromPath(path)

  const recording = yield* Recording.inspect(audio)
  const { text, warnings } = yield* stt.transcribe(
    // Only WAV can be converted. Compressed files are small already; the service decodes them.
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
  // Before or during the upload: the file does not exist, it changed, or its header is invalid.
  Effect.tapErrorTag("SttAudioUnreadable", (error) => Console.error(`Check ${error.source}: ${error.problem}`))
)

program.pipe(Effect.provide(SpeechToText.layerFromEnv), Effect.provide(NodeTransport.layer), NodeRuntime.runMain)
