import { randomUUID } from "node:crypto"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Mono samples, on disk where they are many. */
export interface SpooledSamples {
  readonly length: number
  readonly samples: Stream.Stream<Float32Array>
}

/** Files for what is too long for memory, each of which goes with its scope. */
export class Spool extends Context.Tag("@effect-speech/local-service/internal/Spool")<
  Spool,
  {
    /** The path of a file that is not there yet. */
    readonly path: Effect.Effect<string, never, Scope.Scope>
    readonly write: <E, R>(
      samples: Stream.Stream<Float32Array, E, R>
    ) => Effect.Effect<SpooledSamples, E, R | Scope.Scope>
  }
>() {}

/** In samples: a megabyte, 12 seconds of the voice. A file that is written and read twice is a third of a sentence's cost. */
const longestInMemory = 2 ** 18

/** In samples, as much as is read of a file at a time: what is done with a block keeps others waiting. */
const longestBlock = 2 ** 14

const divided = (block: Float32Array): Iterable<Float32Array> =>
  Array.from({ length: Math.ceil(block.length / longestBlock) }, (_, index) =>
    block.subarray(index * longestBlock, (index + 1) * longestBlock)
  )

export const makeSpool = (directory: string): Effect.Effect<Spool["Type"], never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (fs) => {
    const path = Effect.acquireRelease(
      Effect.sync(() => `${directory}/${randomUUID()}`),
      (file) => Effect.ignore(fs.remove(file))
    )
    const format = { sampleRate: 1, channels: 1, encoding: "float32" } as const
    return {
      path,
      write: (samples) =>
        Effect.gen(function* () {
          const scope = yield* Effect.scope
          let length = 0
          let held: Array<Float32Array> = []
          let written: { readonly name: string; readonly file: FileSystem.File } | undefined
          const openFile = Effect.gen(function* () {
            const name = yield* Scope.extend(path, scope)
            return { name, file: yield* Effect.orDie(fs.open(name, { flag: "wx" })) }
          })
          yield* Effect.scoped(
            // A write of nothing would never end.
            Stream.runForEach(
              Stream.filter(samples, (block) => block.length > 0),
              (block) =>
                Effect.gen(function* () {
                  length += block.length
                  held.push(block)
                  if (length <= longestInMemory) return
                  written ??= yield* openFile
                  for (const each of held) yield* Effect.orDie(written.file.writeAll(Pcm.encode(each, "float32").bytes))
                  held = []
                })
            )
          )
          return {
            length,
            samples:
              written === undefined
                ? Stream.fromIterable(held.flatMap((block) => [...divided(block)]))
                : Pcm.decodeStream({ format, stream: Stream.orDie(fs.stream(written.name)) })
          }
        })
    }
  })
