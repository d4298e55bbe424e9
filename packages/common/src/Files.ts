/**
 * Folders that are made step by step, and files that are replaced whole or not at all.
 */
import { isPlatformError, type PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/**
 * Whether a path, or a folder above it, does not exist.
 *
 * @since 0.1.0
 * @category guards
 */
export const isMissing = (error: unknown): boolean =>
  isPlatformError(error) && error._tag === "SystemError" && error.reason === "NotFound"

/** The path of the folder above. `undefined`: there is none. */
const above = (path: string): string | undefined => /^(.*[^/\\])[/\\]+[^/\\]+[/\\]*$/s.exec(path)?.[1]

/**
 * Makes a folder, and those above it that do not exist, each with this mode. Node's own recursive `mkdir` never ends if the system
 * answers ENOENT although the folder above exists, as in `/proc`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeFolder = (path: string, mode: number): Effect.Effect<void, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const make = fs.makeDirectory(path, { mode })
    const parent = above(path)
    yield* make.pipe(
      Effect.catchIf(isMissing, (error) =>
        parent === undefined ? Effect.fail(error) : Effect.zipRight(makeFolder(parent, mode), make)
      ),
      Effect.catchAll((error) =>
        Effect.flatMap(Effect.option(fs.stat(path)), (found) =>
          Option.exists(found, ({ type }) => type === "Directory") ? Effect.void : Effect.fail(error)
        )
      )
    )
  })

/** The folder of a path, with its last separator. Empty: the working directory. */
const folderOf = (path: string): string => /^.*[/\\]/s.exec(path)?.[0] ?? ""

/** A name beside `path`, so that a rename stays on one disk. It begins like the file, as far as a name may be long. */
const nameBeside = (path: string): string => {
  const folder = folderOf(path)
  const beginning = Array.from(path.slice(folder.length)).slice(0, 40).join("")
  return `${folder}${beginning}.${crypto.randomUUID()}.part`
}

/**
 * A name for a temporary file beside `path`. The scope removes the file if it is still there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const temporaryBeside = (path: string): Effect.Effect<string, never, FileSystem.FileSystem | Scope.Scope> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.acquireRelease(
      Effect.sync(() => nameBeside(path)),
      (name) => Effect.ignore(fs.remove(name))
    )
  )

/**
 * @since 0.1.0
 * @category options
 */
export interface ReplaceOptions {
  /**
   * The temporary file, in the folder of the file. If it exists, another process may be writing it, so a random name is used, and the
   * file is removed at the end. A name that is the same each time so removes what a killed process left. Default: a random name that
   * begins like that of the file.
   */
  readonly temporary?: string | undefined
  /** Makes the folder with this mode if it is missing. Default: a missing folder is an error. */
  readonly folderMode?: number | undefined
}

/** The temporary file exists. */
const taken = { _tag: "Taken" } as const

const exists = (error: unknown): boolean =>
  isPlatformError(error) && error._tag === "SystemError" && error.reason === "AlreadyExists"

/**
 * Writes a temporary file beside `path`, which then takes its name: a reader sees the old file or the new one. After a failure or an
 * interruption the temporary file is removed.
 *
 * `write` must not write into a file that exists, such as by the flag `wx`. If another process removes the temporary file meanwhile, it
 * has replaced `path` itself, and that file is as good.
 *
 * @since 0.1.0
 * @category constructors
 */
export const replace = <E, R>(
  path: string,
  write: (temporary: string, fs: FileSystem.FileSystem) => Effect.Effect<void, E, R>,
  { folderMode, temporary = nameBeside(path) }: ReplaceOptions = {}
): Effect.Effect<void, E | PlatformError, R | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = above(path)
    const removing = (name: string) => Effect.ignore(fs.remove(name, { force: true }))
    const wasOvertaken = Effect.orElseSucceed(fs.exists(path), () => false)
    const attempt = (name: string) =>
      Effect.catchIf(write(name, fs), exists, () => Effect.fail(taken)).pipe(
        Effect.zipRight(
          Effect.catchIf(fs.rename(name, path), isMissing, (error) =>
            Effect.flatMap(wasOvertaken, (isThere) => (isThere ? Effect.void : Effect.fail(error)))
          )
        ),
        // What another process writes is left: then the file exists, or there was no folder.
        Effect.onError((cause) =>
          Option.exists(Cause.failureOption(cause), (error) => error === taken || isMissing(error))
            ? Effect.void
            : removing(name)
        )
      )
    yield* attempt(temporary).pipe(
      // Most folders exist: to look each time would take as long as to write.
      Effect.catchIf(
        (error) => folder !== undefined && folderMode !== undefined && isMissing(error),
        () => Effect.zipRight(makeFolder(folder as string, folderMode as number), attempt(temporary))
      ),
      Effect.catchIf(
        (error) => error === taken,
        () => Effect.zipRight(attempt(nameBeside(path)), removing(temporary))
      )
    )
  }) as Effect.Effect<void, E | PlatformError, R | FileSystem.FileSystem>
