/**
 * A folder of recordings, durably. Run it again after a failure, Ctrl-C or a crash: it goes on, and sends no file again that is
 * done. A report at the end lists what failed.
 *
 * `pnpm example examples/archive.ts calls transcripts en-general-v2-8khz`, with the variables that `pnpm speech serve` prints.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Archive, Operation, Source, Worker } from "@effect-speech/archive"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { Console, Effect, Layer, Stream } from "effect"

const [calls = "calls", transcripts = "transcripts", model = "en-general-v2-8khz"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const archive = yield* Archive
  const { id } = yield* archive.start({
    source: yield* Source.folder(calls),
    operation: Operation.transcribe({ model }),
    output: { directory: transcripts, format: "txt" }
  })
  yield* Stream.runForEach(archive.progress(id), ({ counts }) =>
    Console.error(`${counts.done} done, ${counts.pending + counts.started} left`)
  )

  const status = yield* archive.status(id)
  yield* Console.log(`${status.state}: ${status.counts.done} transcribed, ${status.credits} seconds paid`)
  // A refused account suspends the run. When it is topped up, the next start makes one call first, and then the others.
  if (status.state === "suspended") yield* Console.log(`${status.suspension.tag}: ${status.suspension.message}`)
  yield* Stream.runForEach(archive.results(id, { states: ["failed", "held"] }), ({ error, path }) =>
    Console.log(`${path}: ${error.tag}: ${error.message}`)
  )
})

const archive = Archive.layerEmbedded({ path: `${transcripts}/archive.db`, workers: [Worker.transcription] })
// It decodes WAV. To cut long recordings in other containers, take `NodeAudioDecoder.layer` of `@effect-speech/audio-decoder`.
const clients = Layer.provideMerge(Layer.merge(SpeechToText.layerFromEnv, AudioDecoder.layerWav), NodeTransport.layer)
program.pipe(Effect.provide(Layer.provideMerge(archive, clients)), NodeRuntime.runMain)
