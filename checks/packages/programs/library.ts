/**
 * Speaks the texts of a library into an archive: one run over the objects of a bucket, listed by a source of its own, and one over a stream
 * of texts. The program then opens the store again: it sends no text twice, only those that were added.
 */
import { createHash } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import {
  Archive,
  ArchiveSourceFailed,
  Operation,
  Output,
  Run,
  type RunRequest,
  Source,
  Worker
} from "@effect-speech/archive"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import {
  Array as Arr,
  Console,
  Context,
  Data,
  Duration,
  Effect,
  Equal,
  HashSet,
  Layer,
  Option,
  Ref,
  Schema,
  Stream
} from "effect"

export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

const check = (holds: boolean, message: string) => (holds ? Effect.void : new CheckFailed({ message }))

/** An object of a bucket, with its content. */
export interface StoredText {
  readonly key: string
  readonly changedMillis: number
  readonly text: string
}

export class BucketFailed extends Data.TaggedError("BucketFailed")<{
  readonly key: string
  readonly message: string
}> {}

/** A store of objects, such as S3. */
export class Bucket extends Context.Tag("Bucket")<
  Bucket,
  {
    readonly list: (prefix: string) => Stream.Stream<string, BucketFailed>
    readonly get: (key: string) => Effect.Effect<StoredText, BucketFailed>
    readonly put: (object: StoredText) => Effect.Effect<void>
  }
>() {
  static readonly layerMemory = (objects: ReadonlyArray<StoredText>) =>
    Layer.effect(
      Bucket,
      Effect.map(Ref.make(objects), (state) =>
        Bucket.of({
          list: (prefix) =>
            Stream.unwrap(
              Effect.map(Ref.get(state), (all) =>
                Stream.fromIterable(all.map(({ key }) => key).filter((key) => key.startsWith(prefix)))
              )
            ),
          get: (key) =>
            Effect.flatMap(Ref.get(state), (all) =>
              Option.match(
                Arr.findFirst(all, (object) => object.key === key),
                {
                  onNone: () => new BucketFailed({ key, message: `There is no ${key}.` }),
                  onSome: Effect.succeed
                }
              )
            ),
          put: (object) => Ref.update(state, Arr.append(object))
        })
      )
    )
}

const sourceFailed = ({ key, message }: BucketFailed) => new ArchiveSourceFailed({ path: key, message })

/** The objects below a prefix: each is a line, which is known by its content. */
export const objects = (prefix: string): Source.Source<Bucket> => ({
  root: `/buckets/library/${prefix}`,
  description: `the objects below ${prefix}`,
  byContent: true,
  items: () =>
    Stream.unwrap(
      Effect.map(Bucket, (bucket) =>
        bucket.list(prefix).pipe(
          Stream.mapEffect((key) => bucket.get(key)),
          Stream.map(
            ({ key, text }): Source.SourceItem => ({
              path: key.slice(prefix.length),
              size: Buffer.byteLength(text),
              modifiedMillis: 0,
              content: createHash("sha256").update(text).digest("hex"),
              line: { text, lang: "en" }
            })
          ),
          Stream.mapError(sourceFailed)
        )
      )
    )
})

/** The same objects as texts, whose items the library makes. */
export const texts = (prefix: string) =>
  Source.texts(
    Stream.unwrap(
      Effect.map(Bucket, (bucket) =>
        bucket.list(prefix).pipe(
          Stream.mapEffect((key) => bucket.get(key)),
          Stream.map(({ key, text }): Source.Text => ({ id: key.slice(prefix.length), text, voice: "default_male" })),
          Stream.mapError(sourceFailed)
        )
      )
    ),
    { root: `/buckets/library/${prefix}`, description: `the texts below ${prefix}` }
  )

/** Runs a request to its end. */
export const finish = <R>(request: RunRequest<R>) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const { id } = yield* archive.start(request)
    const status = yield* Stream.runLast(archive.progress(id))
    return yield* Option.match(status, { onNone: () => archive.status(id), onSome: Effect.succeed })
  })

/** What a program keeps of its runs. */
export const Runs = Schema.parseJson(Schema.Record({ key: Schema.String, value: Run.RunId }))

const shelves = (folder: string) =>
  Effect.gen(function* () {
    const { join } = yield* Path.Path
    return {
      poems: {
        source: objects("poems/"),
        operation: Operation.synthesize({ outputFormat: "8000:pcm16" }),
        output: { directory: join(folder, "poems"), format: "wav" }
      },
      stories: {
        source: texts("stories/"),
        operation: Operation.synthesize({ lang: "en", outputFormat: "8000:pcm16" }),
        output: { directory: join(folder, "stories"), format: "wav" },
        limits: { maxCredits: 500 },
        unanswered: "repeat"
      }
    } as const
  })

const both = (folder: string) =>
  Effect.gen(function* () {
    const { poems, stories } = yield* shelves(folder)
    return yield* Effect.all({ poems: finish(poems), stories: finish(stories) }, { concurrency: 2 })
  }).pipe(
    Effect.provide(
      Archive.layerEmbedded({
        path: `${folder}/archive.db`,
        workers: [Worker.synthesis],
        closeLimit: Duration.seconds(5)
      })
    )
  )

const speechOf = ({ poems, stories }: { readonly poems: Run.RunStatus; readonly stories: Run.RunStatus }) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const ids = yield* archive.runs
    yield* check(
      Equal.equals(HashSet.fromIterable(ids), HashSet.make(poems.id, stories.id)),
      `the store has the runs ${ids}`
    )
    const stored = yield* Schema.encode(Runs)({ poems: poems.id, stories: stories.id })
    const read = yield* Schema.decode(Runs)(stored)
    const done = yield* Effect.forEach(Object.values(read), (id) =>
      Stream.runCollect(archive.results(id, { states: ["done"] }))
    )
    return Arr.flatMap(done, (files) =>
      Arr.filterMap(Arr.fromIterable(files), ({ path, result }) =>
        result instanceof Output.SynthesisResult
          ? Option.some({ path, duration: Duration.millis(result.durationMillis) })
          : Option.none()
      )
    )
  })

export const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const service = yield* LocalService
  const bucket = yield* Bucket

  const first = yield* both(folder)
  yield* check(first.poems.state === "ended" && first.stories.state === "ended", "both runs ended")
  yield* check(first.poems.counts.done === 2 && first.stories.counts.done === 2, "all was spoken")
  yield* check(first.poems.id !== first.stories.id, "each has an id of its own")
  yield* check((yield* service.requests).length === 4, "each text was sent once")

  yield* bucket.put({ key: "poems/moon", changedMillis: 3, text: "The moon is bright tonight." })
  const second = yield* both(folder)
  yield* check(second.poems.id === first.poems.id, "a run is found again by its source and its operation")
  yield* check(second.poems.counts.done === 3 && second.stories.counts.done === 2, "the added texts are spoken")
  yield* check((yield* service.requests).length === 5, "nothing else was sent again")

  const { poems } = yield* shelves(folder)
  const { format } = yield* Effect.scoped(Wav.readFile(Output.pathOf(poems.output, "moon")))
  yield* check(format.sampleRate === 8000, "the audio has the requested format")

  const spoken = yield* speechOf(second).pipe(Effect.provide(Archive.layerClient({ path: `${folder}/archive.db` })))
  yield* check(spoken.length === 5, `${spoken.length} results are read by another process`)
  return Arr.reduce(spoken, Duration.zero, (sum, { duration }) => Duration.sum(sum, duration))
}).pipe(Effect.scoped)

export const layer = Layer.provideMerge(
  Layer.merge(
    LocalService.layerClients,
    Bucket.layerMemory([
      { key: "poems/rain", changedMillis: 1, text: "Rain on the roof, and no one at home." },
      { key: "poems/river", changedMillis: 1, text: "The river forgets each boat." },
      { key: "stories/old/train", changedMillis: 2, text: "The last train left at nine. He was not in it." },
      { key: "stories/tea", changedMillis: 2, text: "She made tea for two, as every day." }
    ])
  ),
  Layer.mergeAll(LocalService.layer(), NodeTransport.layer, Path.layer)
)

program.pipe(
  Effect.flatMap((duration) => Console.log(`ok library 5 texts in 2 runs, ${Duration.format(duration)} of speech`)),
  Effect.provide(layer),
  NodeRuntime.runMain
)
