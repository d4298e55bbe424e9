import { type FileHandle, open } from "node:fs/promises"
import * as Container from "@effect-speech/audio-codec/Container"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The bytes of a file that is closed with the scope. */
const openBytes = (path: string): Effect.Effect<Container.RecordingBytes, never, Scope.Scope> =>
  Effect.gen(function* () {
    const file: FileHandle = yield* Effect.acquireRelease(
      Effect.promise(() => open(path)),
      (opened) => Effect.promise(() => opened.close())
    )
    const { size } = yield* Effect.promise(() => file.stat())
    return {
      byteLength: size,
      read: (offset, length) =>
        Effect.promise(async () => {
          const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
          return buffer.subarray(0, bytesRead)
        })
    }
  })

/** The container of a recording, or `undefined` for any other file. */
export const probeContainer = (path: string): Effect.Effect<Container.Container | undefined> =>
  Effect.scoped(Effect.flatMap(openBytes(path), Container.detect))

/** The facts of a file that a decoder needs. */
export interface Probed {
  readonly path: string
  readonly container: Container.Container
  /** The offset at which the container begins, behind tags. */
  readonly start: number
  /** The offset at which it ends, before tags: a decoder of FLAC takes them for a frame that is cut. */
  readonly end: number
  readonly boxes: ReadonlyArray<Container.Box>
  /** The samples of all channels that a FLAC file announces, or 0. Other decoders may give a few less. */
  readonly announcedSamples: number
}

/** A damaged file can consist of millions of tiny parts. */
const timeLimit = "10 seconds"

/** Fails with a sentence about a file that is cut off or damaged. A decoder would return a part of such a file without an error. */
export const probe = (path: string, container: Container.Container): Effect.Effect<Probed, string> =>
  Effect.gen(function* () {
    const bytes = yield* openBytes(path)
    const { boxes, end, start } = yield* Container.checkStructure(container, bytes)
    if (container !== "flac") return { path, container, start, end, boxes, announcedSamples: 0 }
    const { channels = 0, durationMillis = 0, sampleRate = 0 } = yield* Container.readHeader(bytes)
    return {
      path,
      container,
      start,
      end,
      boxes,
      announcedSamples: channels * Math.round((durationMillis * sampleRate) / 1000)
    }
  }).pipe(
    Effect.scoped,
    Effect.mapError(({ reason }) => (reason === "Truncated" ? "it ends early" : "it is damaged")),
    Effect.timeoutFail({ duration: timeLimit, onTimeout: () => "reading its structure takes more than 10 seconds" })
  )
