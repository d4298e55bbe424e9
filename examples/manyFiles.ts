/**
 * Many recordings, several in parallel. Each transcript is written to a file beside its recording. A failure does not
 * stop the others, and a report at the end lists the failures.
 *
 * `pnpm example examples/manyFiles.ts en-general-v2-8khz calls/*.wav`, with the variables that `pnpm speech serve`
 * prints.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { Array as Arrays, Console, Data, Effect, Ref } from "effect"

const [model = "en-general-v2-8khz", ...paths] = process.argv.slice(2)

class Incomplete extends Data.TaggedError("Incomplete")<{ readonly message: string }> {}

class NotTried extends Data.TaggedError("NotTried")<{ readonly message: string }> {}

const transcribe = (path: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const stt = yield* SpeechToText
    const { text } = yield* stt.transcribe({ audio: AudioSource.fromPath(path), model })
    yield* fs.writeFileString(`${path}.txt`, `${text}\n`)
    return path
  })

const program = Effect.gen(function* () {
  // An error of the key or the account would fail all others too, so no further call starts. Running calls continue and
  // are not interrupted, since they may be billed.
  const closed = yield* Ref.make(false)
  const close = Ref.set(closed, true)
  const unlessClosed = (path: string) =>
    Effect.if(Ref.get(closed), {
      onTrue: () => Effect.fail(new NotTried({ message: "The account had refused another." })),
      onFalse: () => transcribe(path)
    }).pipe(
      Effect.tapError((error) => ("category" in error && error.category === "account" ? close : Effect.void)),
      Effect.mapError((error) => ({ path, error }))
    )

  const [failures, done] = yield* Effect.partition(paths, unlessClosed, { concurrency: 4 })

  yield* Console.log(`${done.length} of ${paths.length} transcribed`)
  const byTag = Arrays.groupBy(failures, ({ error }) => error._tag)
  for (const [tag, failed] of Object.entries(byTag)) {
    yield* Console.log(`${tag}: ${failed.length}`)
    for (const { error, path } of failed) yield* Console.log(`  ${path}: ${error.message}`)
  }
  // The exit code for the shell.
  if (failures.length > 0) yield* new Incomplete({ message: `${failures.length} recordings have no transcript.` })
})

program.pipe(Effect.provide(SpeechToText.layerFromEnv), Effect.provide(NodeTransport.layer), NodeRuntime.runMain)
