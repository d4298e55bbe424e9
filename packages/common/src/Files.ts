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
 * Whether an error of the file system says that a path, or a folder above it, does not exist.
 *
 * @example
 * ```ts
 * import { FileSystem } from "@effect/platform"
 * import { Files } from "@effect-speech/common"
 * import { Effect } from "effect"
 *
 * export const readIfAny = (path: string) =>
 *   Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path)).pipe(
 *     Effect.catchIf(Files.isMissing, () => Effect.succeed(undefined))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isMissing = (error: unknown): boolean =>
  isPlatformError(error) && error._tag === "SystemError" && error.reason === "NotFound"

/** The path of the folder above. `undefined`: there is none. */
const above = (path: string): string | undefined => /^(.*[^/\\])[/\\]+[^/\\]+[/\\]*$/s.exec(path)?.[1]

/**
 * Makes a folder, and those above it that do not exist, each with this mode, less the umask. A folder that exists is left as it is. Node's
 * own recursive `mkdir` never ends if the system answers ENOENT although the folder above exists, as in `/proc`.
 *
 * Fails with a `PlatformError` if the folder can't be made, or something else has its name.
 *
 * @example
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import { Files } from "@effect-speech/common"
 * import { Effect } from "effect"
 *
 * // A folder that only its owner can read.
 * export const makePrivate = (path: string) =>
 *   Files.makeFolder(path, 0o700).pipe(Effect.provide(NodeFileSystem.layer))
 * ```
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
 * A name for a temporary file beside `path`, so that a rename stays on one disk. The scope removes the file if it is still there. To replace
 * a file, {@link replace} does the rest too.
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
 * Options of {@link replace}.
 *
 * @example
 * ```ts
 * import type { Files } from "@effect-speech/common"
 *
 * // Makes a missing folder, and removes what a killed process left.
 * export const options: Files.ReplaceOptions = { temporary: "state.json.part", folderMode: 0o700 }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface ReplaceOptions {
  /**
   * The temporary file, in the folder of the file. If it exists, another process may be writing it, so a random name is used, and the
   * file is removed at the end. A name that is the same each time so removes what a killed process left. It stays if `write` fails
   * because a file is missing, since another process may just have made it. Default: a random name that begins like that of the file.
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
 * `write` must not write into a file that exists, such as by the flag `wx`. It may run up to three times, each time with another name or after
 * the folder was made. If another process removes the temporary file meanwhile, it has replaced `path` itself, and that file is as good.
 *
 * Fails with the error of `write`, and with a `PlatformError` if the file can't be renamed.
 *
 * @example
 * ```ts
 * import { Files } from "@effect-speech/common"
 *
 * export const save = (path: string, state: object) =>
 *   Files.replace(path, (temporary, fs) => fs.writeFileString(temporary, JSON.stringify(state), { flag: "wx" }), {
 *     folderMode: 0o700
 *   })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const replace = <E, R>(
  path: string,
  write: (temporary: string, fs: FileSystem.FileSystem) => Effect.Effect<void, E, R>,
  { folderMode, temporary }: ReplaceOptions = {}
): Effect.Effect<void, E | PlatformError, R | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const first = temporary ?? nameBeside(path)
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
        // Another process may write a file of the given name since it made the folder that was missing here.
        Effect.onError((cause) =>
          Option.exists(
            Cause.failureOption(cause),
            (error) => error === taken || (name === temporary && isMissing(error))
          )
            ? Effect.void
            : removing(name)
        )
      )
    yield* attempt(first).pipe(
      // Most folders exist: to look each time would take as long as to write.
      Effect.catchIf(
        (error) => folder !== undefined && folderMode !== undefined && isMissing(error),
        () => Effect.zipRight(makeFolder(folder as string, folderMode as number), attempt(first))
      ),
      Effect.catchIf(
        (error) => error === taken,
        () => Effect.zipRight(attempt(nameBeside(path)), removing(first))
      )
    )
  }) as Effect.Effect<void, E | PlatformError, R | FileSystem.FileSystem>
