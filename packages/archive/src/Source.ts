/**
 * Where the files of a run come from. Listing is a stream: memory does not grow with the number of files.
 *
 * What reads a disk requires a `FileSystem`. Folders are walked, and files looked at, by Node itself: a `FileSystem` reads the names of a
 * folder as a whole, and follows each link.
 *
 * A name that begins with a dot is left out by `folder` and `glob`. A link to a file is that file; a link to a folder is not
 * followed. What is no regular file, such as a pipe, is never opened: it is recorded as failed.
 */
import { basename, dirname, resolve } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import picomatch from "picomatch"
import type { ArchiveSourceFailed } from "./ArchiveError.js"
import { pathItems, requireFolder, toItems } from "./internal/source/files.js"
import { csvLines, jsonLines, pathLines, type ReadLines } from "./internal/source/lines.js"
import { inOwnPlaces } from "./internal/source/places.js"
import type { SourceItem } from "./internal/source/SourceItem.js"
import { type Text, textItems } from "./internal/source/texts.js"
import { walk } from "./internal/source/walk.js"

export type { SourceItem } from "./internal/source/SourceItem.js"
export { Text } from "./internal/source/texts.js"

/**
 * The files of a run. The functions of this module make it; write one for files that they can't list.
 *
 * `items` fails with `ArchiveSourceFailed` if the files can't be listed. A new run then does not start; one that
 * exists is as it was.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 * import { Stream } from "effect"
 *
 * export const source: Source.Source = {
 *   root: "/archive/calls",
 *   description: "calls of today",
 *   byContent: false,
 *   items: () => Stream.make({ path: "call-17.wav", size: 160_044, modifiedMillis: 1_795_000_000_000 })
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Source<R = never> {
  /** The folder that paths are relative to; the file itself for lines. Absolute. */
  readonly root: string
  /** How the files were chosen, in words. */
  readonly description: string
  /** Whether a file is known by its content. */
  readonly byContent: boolean
  /**
   * Lists the files, in the same order each time: those that can be called, and a `problem` for each that can't. Fails with
   * `ArchiveSourceFailed` if the list can't be read.
   */
  readonly items: (output?: OutputPlace | undefined) => Stream.Stream<SourceItem, ArchiveSourceFailed, R>
}

/**
 * Where the results of a source are written. A source of your own leaves out what lies there.
 *
 * @since 0.1.0
 * @category models
 */
export interface OutputPlace {
  /** Absolute. If it lies below the root of the source, its files are left out. */
  readonly directory: string
  /** Whether names that differ in case only are one there, so that the second of two such files can't be called. */
  readonly foldsCase: boolean
}

/**
 * The endings of recordings that {@link folder} takes, in small or capital letters.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * export const source = Source.folder("calls", { extensions: [...Source.audioExtensions, "amr"] })
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const audioExtensions = ["wav", "wave", "mp3", "m4a", "flac", "ogg", "oga", "opus", "webm"] as const

/**
 * By what a file of a source is known.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * const options: Source.FilesOptions = { byContent: true }
 * export const source = Source.glob("calls/2026-*.wav", options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface FilesOptions {
  /**
   * Whether a file is known by the SHA-256 of its content, and not by its size and time of modification. Each file is read once
   * to list it. Default: false.
   */
  readonly byContent?: boolean | undefined
}

/**
 * Which files {@link folder} takes.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * const options: Source.FolderOptions = { extensions: ["wav"] }
 * export const source = Source.folder("calls", options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface FolderOptions extends FilesOptions {
  /** The endings of the files to take, or `all`. Default: {@link audioExtensions}. */
  readonly extensions?: ReadonlyArray<string> | "all" | undefined
}

/**
 * What the paths of {@link list} and {@link files} are relative to.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * const options: Source.PathsOptions = { root: "/archive/calls" }
 * export const source = Source.list("files.txt", options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface PathsOptions extends FilesOptions {
  /** The folder that paths are relative to, which holds all files. Default: the working directory. */
  readonly root?: string | undefined
}

/**
 * The recordings in a folder and its subfolders, in the order of their names. A subfolder that can't be read is recorded as
 * failed, and the others are listed. Use {@link glob} to choose by a pattern.
 *
 * Fails with `ArchiveSourceFailed` if the folder does not exist or can't be read.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * export const source = Source.folder("calls")
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const folder = (
  path: string,
  options: FolderOptions = {}
): Effect.Effect<Source<FileSystem.FileSystem>, ArchiveSourceFailed, FileSystem.FileSystem> => {
  const { byContent, extensions = audioExtensions } = options
  const root = resolve(path)
  const endings = extensions === "all" ? undefined : extensions.map((ending) => `.${ending.toLowerCase()}`)
  const isTaken = (file: string): boolean => {
    const name = file.toLowerCase()
    return endings === undefined || endings.some((ending) => name.endsWith(ending))
  }
  const which = endings === undefined ? "all files" : `files that end with ${endings.join(", ")}`
  return Effect.as(
    requireFolder(root),
    recordings({ root, byContent, description: `${which} in ${root}` }, (found, output) =>
      toItems(() => walk({ root, isTaken, skip: output }), found)
    )
  )
}

/**
 * The files that match a pattern of the shell, such as `2026-*.wav`, in the order of their names; two asterisks stand for any number of folders.
 * The root is the part of the pattern before the first wildcard.
 *
 * Fails with `ArchiveSourceFailed` if this root does not exist or can't be read.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * export const source = Source.glob("calls/2026-*.wav")
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const glob = (
  pattern: string,
  options: FilesOptions = {}
): Effect.Effect<Source<FileSystem.FileSystem>, ArchiveSourceFailed, FileSystem.FileSystem> => {
  const scanned = picomatch.scan(pattern)
  const isPlain = scanned.glob === ""
  const root = resolve(isPlain ? dirname(scanned.base) : scanned.base)
  const name = basename(scanned.base)
  const isTaken = isPlain ? (file: string) => file === name : picomatch(scanned.glob)
  const depth = scanned.glob.includes("**") ? Number.POSITIVE_INFINITY : scanned.glob.split("/").length - 1
  return Effect.as(
    requireFolder(root),
    recordings({ ...options, root, description: `files that match ${pattern}` }, (found, output) =>
      toItems(() => walk({ root, isTaken, depth, skip: output }), found)
    )
  )
}

/**
 * The files whose paths a text file lists: one path a line, or separated by NUL as `find -print0` writes them. Empty lines are
 * left out. The order is that of the list.
 *
 * `start` and `plan` fail with `ArchiveSourceFailed` if the file can't be read, names a file outside of the root, or has control
 * characters that are in no name of a file, such as a recording has. A file that does not exist is recorded as failed.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * export const source = Source.list("files.txt", { root: "calls" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const list = (path: string, options: PathsOptions = {}): Source<FileSystem.FileSystem> => {
  const root = resolve(options.root ?? ".")
  const file = resolve(path)
  return recordings({ ...options, root, description: `files that ${file} lists` }, (found, skip) =>
    Stream.unwrap(
      Effect.map(pathLines({ path: file, hasRoot: options.root !== undefined }, root), (lines) =>
        toItems(lines, { ...found, skip })
      )
    )
  )
}

/**
 * The files of a stream of paths, in its order. The stream must give the same paths each time.
 *
 * `start` and `plan` fail with `ArchiveSourceFailed` if a path leads out of the root, and with the errors of the stream.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 * import { Stream } from "effect"
 *
 * export const source = Source.files(Stream.make("one.wav", "two.wav"), { root: "calls", description: "two calls" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const files = <R>(
  paths: Stream.Stream<string, ArchiveSourceFailed, R>,
  options: PathsOptions & {
    /** How the files were chosen, in words. */
    readonly description: string
  }
): Source<R | FileSystem.FileSystem> =>
  recordings({ ...options, root: resolve(options.root ?? ".") }, (found, skip) => pathItems(paths, { ...found, skip }))

/** Recordings below an absolute root. */
const recordings = <R>(
  { byContent = false, description, root }: FilesOptions & Pick<Source, "root" | "description">,
  find: (
    options: { readonly root: string; readonly byContent: boolean },
    output: string | undefined
  ) => Stream.Stream<SourceItem, ArchiveSourceFailed, R>
): Source<R> => ({
  root,
  byContent,
  description,
  items: (output) => {
    const found = find({ root, byContent }, output?.directory)
    return output?.foldsCase === true ? inOwnPlaces(found) : found
  }
})

/**
 * The texts of a stream, in its order. `root` is a name for the stream.
 *
 * `start` and `plan` fail with `ArchiveSourceFailed` if a text breaks a rule or repeats an id (its `line` is the number of the text), and with
 * the errors of the stream.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 * import { Stream } from "effect"
 *
 * const prompts = Stream.make({ id: "menu/welcome", text: "नमस्ते" }, { id: "menu/bye", text: "धन्यवाद" })
 * export const source = Source.texts(prompts, { root: "menu", description: "the prompts of the menu" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const texts = <R>(
  stream: Stream.Stream<Text, ArchiveSourceFailed, R>,
  options: {
    readonly root: string
    /** How the texts were chosen, in words. */
    readonly description: string
  }
): Source<R> => ({
  ...options,
  byContent: false,
  items: (output) =>
    textItems(
      Stream.map(Stream.zipWithIndex(stream), ([value, index]) => ({ value, number: index + 1 })),
      options.root,
      output?.foldsCase === true
    )
})

/**
 * The texts of a JSONL file: a {@link Text} a line, as a JSON object. A number is an id too.
 *
 * `start` and `plan` fail with `ArchiveSourceFailed` if the file can't be read, or a line is invalid or repeats an id; its `line` is the
 * number of the line.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * export const source = Source.jsonl("prompts.jsonl") // lines such as {"id":"welcome","text":"नमस्ते"}
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const jsonl = (path: string): Source<FileSystem.FileSystem> => linesOf(path, jsonLines)

/**
 * The texts of a CSV file, with commas, in UTF-8. Its first line names the columns: `id`, `text`, `lang`, `voice`, `speed`,
 * `numStep`, `outputFormat`. An empty field is absent. Errors are those of {@link jsonl}.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * export const source = Source.csv("prompts.csv") // with a first line such as id,text,lang
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const csv = (path: string): Source<FileSystem.FileSystem> => linesOf(path, csvLines)

const linesOf = (path: string, read: ReadLines): Source<FileSystem.FileSystem> => {
  const root = resolve(path)
  return {
    root,
    byContent: false,
    description: `lines of ${root}`,
    items: (output) => textItems(read(root), root, output?.foldsCase === true)
  }
}
