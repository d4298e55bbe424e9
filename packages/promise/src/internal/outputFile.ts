/**
 * Whether a file can be written, before anything is sent and billed for it.
 */
import { dirname, join, sep } from "node:path"
import type { PlatformError } from "@effect/platform/Error"
import { FileSystem } from "@effect/platform/FileSystem"
import { isMissing } from "@effect-speech/common/Files"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** A file can't be written, and nothing was sent for it. */
export class OutputRefused {
  readonly path: string
  readonly reason: PlatformError

  constructor(path: string, reason: PlatformError) {
    this.path = path
    this.reason = reason
  }
}

/** Only a trial beside the file shows the permissions, a full disk and a quota. */
export const tryOutput = (path: string): Effect.Effect<void, OutputRefused, FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem
    // A path that is impossible, such as one with a NUL character or a name that is too long, fails.
    const target = yield* fs.stat(path).pipe(
      Effect.asSome,
      Effect.catchIf(isMissing, () => Effect.succeedNone)
    )
    const type = Option.isSome(target) ? target.value.type : "File"
    // Fails as the system says it of a folder.
    if (type === "Directory" || path.endsWith("/") || path.endsWith(sep)) {
      return yield* Effect.scoped(fs.open(path, { flag: "r+" }))
    }
    // A device and a pipe are written in place.
    if (type !== "File") return
    const folder = dirname(Option.isSome(target) ? yield* fs.realPath(path) : path)
    const trial = join(folder, `.speech-${crypto.randomUUID()}.part`)
    yield* Effect.uninterruptible(Effect.zipRight(Effect.scoped(fs.open(trial, { flag: "wx" })), fs.remove(trial)))
  }).pipe(Effect.mapError((reason) => new OutputRefused(path, reason)))
