import { randomUUID } from "node:crypto"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Mono samples on disk. */
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

export const makeSpool = (directory: string): Effect.Effect<Spool["Type"], never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (fs) => {
    const path = Effect.acquireRelease(
      Effect.sync(() => `${directory}/${randomUUID()}`),
      (file) => Effect.ignore(fs.remove(file))
    )
    return {
      path,
      write: (samples) =>
        Effect.gen(function* () {
          const name = yield* path
          let length = 0
          yield* Effect.scoped(
            Effect.gen(function* () {
              const file = yield* Effect.orDie(fs.open(name, { flag: "wx" }))
              yield* Stream.runForEach(samples, (block) => {
                // A write of nothing would never end.
                if (block.length === 0) return Effect.void
                length += block.length
                const { bytes } = Pcm.encode(block, "float32")
                return Effect.orDie(file.writeAll(bytes))
              })
            })
          )
          const format = { sampleRate: 1, channels: 1, encoding: "float32" } as const
          return {
            length,
            samples: Pcm.decodeStream({ format, stream: Stream.orDie(fs.stream(name)) })
          }
        })
    }
  })
