/**
 * Transcribes a recording of any length, and writes its subtitles beside it. If it fails or is killed, the same command goes
 * on where it was: the transcripts of the pieces are kept in a folder.
 *
 * `pnpm example examples/longTranscription.ts hour.wav en-general-v2-8khz`, with the variables that `pnpm speech serve` prints.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { LongTranscription, PieceStore, Subtitles } from "@effect-speech/long-form"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { Console, Duration, Effect } from "effect"

const [path = "hour.wav", model = "en-general-v2-8khz", minutes = "5"] = process.argv.slice(2)

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`

const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const transcript = yield* LongTranscription.transcribe(
    { audio: AudioSource.fromPath(path), model },
    {
      maximum: Duration.minutes(Number(minutes)),
      onEvent: (event) =>
        event._tag === "Done" || event._tag === "Kept"
          ? Console.error(
              `piece ${event.number}, to ${seconds(event.endMillis)}: ${event._tag === "Done" ? "sent" : "kept"}`
            )
          : Effect.void
    }
  )
  yield* Effect.forEach(transcript.warnings, (warning) => Console.error(warning.message))
  yield* fs.writeFileString(`${path}.srt`, Subtitles.toSrt(Subtitles.layout(transcript.segments)))
  yield* Console.log(transcript.text)
})

program.pipe(
  Effect.provide(PieceStore.layerFolder(`${path}.pieces`)),
  Effect.provide(SpeechToText.layerFromEnv),
  // It decodes WAV. For other containers, take `NodeAudioDecoder.layer` of `@effect-speech/audio-decoder`.
  Effect.provide(AudioDecoder.layerWav),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
