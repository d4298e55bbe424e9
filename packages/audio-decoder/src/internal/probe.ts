import type * as FileSystem from "@effect/platform/FileSystem"
import * as Container from "@effect-speech/audio-codec/Container"
import * as RecordingFile from "@effect-speech/audio-codec/RecordingFile"
import * as Effect from "effect/Effect"

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
export const probe = (
  path: string,
  container: Container.Container
): Effect.Effect<Probed, string, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const file = yield* RecordingFile.open(path)
    const { boxes, endByte: end, startByte: start } = yield* Container.checkStructure(file, container)
    if (container !== "flac") return { path, container, start, end, boxes, announcedSamples: 0 }
    const { channels = 0, durationMillis = 0, sampleRate = 0 } = yield* Container.readHeader(file)
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
    Effect.mapError((error) => {
      if (error._tag === "RecordingFileError") return error.problem
      return error.reason === "Truncated" ? "it ends early" : "it is damaged"
    }),
    Effect.timeoutFail({ duration: timeLimit, onTimeout: () => "reading its structure takes more than 10 seconds" })
  )
