import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { temporaryBeside } from "@effect-speech/common/Files"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "../../AudioFormat.js"
import { openBlocks } from "../files/readBlocks.js"
import { openGathering, overwrite } from "../files/writeFile.js"
import { padding, wavHeader } from "./wavHeader.js"

interface WavWriter {
  /** Writes a chunk. It may copy the chunk when called, before the effect runs. */
  readonly write: (chunk: Uint8Array) => Effect.Effect<void, PlatformError>
  /** Completes the file. `dataLength` is the size of the samples that were written, in bytes. */
  readonly close: (dataLength: number) => Effect.Effect<void, PlatformError>
}

/** Writes to a device, whose header can't be corrected at the end. */
export const openDevice = (format: AudioFormat, byteLength: number | undefined, path: string) =>
  Effect.gen(function* () {
    const file = yield* openGathering(path, { flag: "w" })
    yield* file.write(wavHeader(format, byteLength))
    const writer: WavWriter = {
      write: file.write,
      close: () => Effect.zipRight(file.write(new Uint8Array(padding(byteLength))), file.close)
    }
    return writer
  })

/**
 * Writes a temporary file beside `path`. When closed, it takes that name, and the permissions of `mode`. Until then only its
 * owner can read it, if there was a file: the old one may be private.
 */
export const openReplacement = (
  format: AudioFormat,
  byteLength: number | undefined,
  path: string,
  mode: number | undefined
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const scope = yield* Effect.scope
    const temporary = yield* temporaryBeside(path)
    const options: FileSystem.OpenFileOptions = { flag: "wx", ...(mode === undefined ? {} : { mode: 0o600 }) }
    const file = yield* Effect.mapError(openGathering(temporary, options), (error) =>
      // A spread leaves out the cause, which has the system's code.
      error._tag === "SystemError" ? new SystemError({ ...error, cause: error.cause, pathOrDescriptor: path }) : error
    )
    const provisional = wavHeader(format, byteLength)
    yield* file.write(provisional)

    /** Copies the samples to a file with a longer header: an RF64 needs more bytes than were reserved. */
    const moved = (header: Uint8Array) =>
      Effect.gen(function* () {
        const large = yield* temporaryBeside(path)
        const copy = yield* openGathering(large, options)
        yield* copy.write(header)
        const samples = yield* openBlocks(temporary, { offset: provisional.byteLength })
        yield* Stream.runForEach(samples.blocks, copy.write)
        yield* copy.close
        return large
      })
    const writer: WavWriter = {
      write: file.write,
      close: (dataLength) =>
        Effect.gen(function* () {
          yield* file.write(new Uint8Array(padding(dataLength)))
          const header = wavHeader(format, dataLength)
          const fits = header.byteLength === provisional.byteLength
          yield* file.close
          if (byteLength === undefined && fits) {
            yield* Effect.scoped(
              Effect.flatMap(fs.open(temporary, { flag: "r+" }), (opened) => overwrite(opened, [[0, header]]))
            )
          }
          const whole = fits ? temporary : yield* moved(header)
          if (mode !== undefined) yield* fs.chmod(whole, mode & 0o777)
          yield* fs.rename(whole, path)
        }).pipe(Effect.provideService(FileSystem.FileSystem, fs), Scope.extend(scope))
    }
    return writer
  })
