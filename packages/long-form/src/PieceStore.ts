/**
 * Cache of paid pieces: run again to resume. If a run failed or was killed, the next run sends only the missing pieces.
 *
 * The name of a result, its cache key, is a digest of the request and the base URL, so another text, voice or service has other results. The
 * results hold your speech or your transcript. Delete them after the last run.
 */
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { documented } from "@effect-speech/common/ErrorPage"
import * as Files from "@effect-speech/common/Files"
import * as Printable from "@effect-speech/common/Printable"
import { systemCode } from "@effect-speech/common/SystemCode"
import { Piece } from "@effect-speech/transport/CallReport"
import { toPiece } from "@effect-speech/transport/unstable/Report"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { examine } from "./internal/cacheEntry.js"

const errorFields = {
  /** The operation that failed: to open the store, to read a result, to make room for one, or to keep it. After `put`, it is paid. */
  operation: Schema.Literal("open", "get", "reserve", "put"),
  /** The folder of the store, or the name of a store of your own. */
  store: Schema.String,
  /** The system's code, such as `ENOSPC`. */
  code: Schema.optional(Schema.String),
  /** The piece of the result, if the store was in use. */
  piece: Schema.optional(Piece),
  message: Schema.String
}

/**
 * A result can't be read or kept: the disk is full, or the folder can't be used. If `operation` is `put`, the piece is paid and lost.
 *
 * @example
 * ```ts
 * import { PieceStore } from "@effect-speech/long-form"
 * import { Effect } from "effect"
 *
 * export const store = PieceStore.layerFolder("/full/disk")
 * export const isFull = Effect.flip(Effect.provide(PieceStore, store)).pipe(
 *   Effect.map(({ code, operation }) => operation === "open" && code === "ENOSPC")
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class PieceStoreError extends documented(
  Schema.TaggedError<PieceStoreError>("@effect-speech/long-form/PieceStoreError")("PieceStoreError", errorFields)
) {
  constructor(facts: Schema.Struct.Type<typeof errorFields>, options?: Schema.MakeOptions) {
    super({ ...facts, piece: facts.piece && toPiece(facts.piece) }, options)
  }
}

/**
 * What a store of pieces does: it reads and keeps bytes by name. Implement it to keep pieces elsewhere, such as in a bucket.
 *
 * Each method fails with `PieceStoreError` if the store can't be used. A run then sends no further piece, and ends with this error.
 *
 * @example
 * ```ts
 * import { PieceStore, type PieceStoreService } from "@effect-speech/long-form"
 * import { Effect, Layer, Option } from "effect"
 *
 * const results = new Map<string, Uint8Array>()
 * const service: PieceStoreService = {
 *   get: (name) => Effect.sync(() => Option.fromNullable(results.get(name))),
 *   put: (name, result) => Effect.sync(() => void results.set(name, result))
 * }
 * export const layer = Layer.succeed(PieceStore, service)
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface PieceStoreService {
  /**
   * Reads the result of this name. Return it as it is: the caller detects damage. Fails with `PieceStoreError` if it can't be read: the
   * piece is not sent then, since it may be paid already.
   */
  readonly get: (name: string) => Effect.Effect<Option.Option<Uint8Array>, PieceStoreError>
  /**
   * Keeps a result, and replaces an older one, whole or not at all. A name has letters, digits and one dot. Fails with `PieceStoreError`
   * if it can't be kept.
   */
  readonly put: (name: string, result: Uint8Array) => Effect.Effect<void, PieceStoreError>
  /**
   * Makes room for a result, about this many bytes, before it is paid. It is free again when the scope closes. If it fails, the
   * piece is not sent. Default: no room is made, and a store that is full loses each piece in flight.
   */
  readonly reserve?: ((name: string, bytes: number) => Effect.Effect<void, PieceStoreError, Scope.Scope>) | undefined
}

/**
 * Keeps the results of paid pieces, so that a run which is repeated sends only the missing ones. Take `layerFolder` for runs that shall
 * survive the process, `layerMemory` for those that need not.
 *
 * @example
 * ```ts
 * import { LongSpeech, PieceStore } from "@effect-speech/long-form"
 * import { Effect } from "effect"
 *
 * export const speak = (text: string) =>
 *   LongSpeech.writeFile({ text }, "book.wav").pipe(Effect.provide(PieceStore.layerFolder("book.pieces")))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class PieceStore extends Context.Tag("@effect-speech/long-form/PieceStore")<PieceStore, PieceStoreService>() {
  /**
   * Keeps each result as a file in a folder, which is created. Only its owner can read the files and a new folder. A file
   * appears whole or not at all, also if the process is killed. Room for a piece is a temporary file of its expected length. Use a folder
   * in one process at a time: two that run at once pay for the same pieces. Fails with `PieceStoreError` if the folder can't be made, read
   * or written.
   */
  static readonly layerFolder = (path: string): Layer.Layer<PieceStore, PieceStoreError, FileSystem.FileSystem> =>
    Layer.effect(PieceStore, openFolder(path))

  /** Keeps all results in memory, as long as the layer lives. */
  static readonly layerMemory: Layer.Layer<PieceStore> = Layer.sync(PieceStore, () => {
    const results = new Map<string, Uint8Array>()
    return {
      get: (name) => Effect.sync(() => Option.fromNullable(results.get(name)?.slice())),
      put: (name, result) => Effect.sync(() => void results.set(name, result.slice()))
    }
  })

  /** Whether a file of this name, in the folder of a store, is the result of a piece: 64 hexadecimal digits, then `.wav` or `.json`. */
  static readonly isPieceName = (name: string): boolean => wholePieceName.test(name)

  /**
   * The name of the piece whose temporary file has this name: that of the piece, a UUID and `.part`. `None`: it is the name of no
   * temporary file. A temporary file has the room of a piece that is being sent, or a part of its result. A killed process leaves it.
   */
  static readonly pieceOfTemporary = (name: string): Option.Option<string> =>
    Option.fromNullable(temporaryName.exec(name)?.[1])

  /**
   * Whether bytes are the kept result of this name. `false`: they are damaged, or the result of another name. A result without
   * its name in it, which an earlier version kept, is whole if nothing shows damage.
   */
  static readonly isWhole = (name: string, result: Uint8Array): Effect.Effect<boolean> =>
    Effect.map(examine(name, result), (state) => state !== "damaged")
}

/** A digest and the kind of the result. */
const pieceName = String.raw`[0-9a-f]{64}\.(?:wav|json)`
const wholePieceName = new RegExp(`^${pieceName}$`)
const temporaryName = new RegExp(String.raw`^(${pieceName})\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$`)

const openFolder = (folder: string): Effect.Effect<PieceStoreService, PieceStoreError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const failed = (operation: PieceStoreError["operation"]) =>
      Effect.mapError((error: PlatformError) => storeError(operation, folder, error))
    const pathOf = (name: string) => `${folder}/${name}`

    yield* failed("open")(Files.makeFolder(folder, folderMode))
    // A folder that can't be written is found before anything is paid.
    yield* failed("open")(fs.access(folder, { readable: true, writable: true }))
    const names = yield* failed("open")(fs.readDirectory(folder))
    yield* Effect.forEach(
      names.filter((name) => Option.isSome(PieceStore.pieceOfTemporary(name))),
      (name) => removeIfLeft(fs, pathOf(name)),
      { discard: true }
    )

    /** The temporary files that have the room of results, by the names of these. */
    const reserved = new Map<string, string>()
    const temporaryOf = (name: string) => pathOf(`${name}.${crypto.randomUUID()}.part`)
    const remove = (path: string) => Effect.ignore(fs.remove(path))
    return {
      get: (name) =>
        Effect.asSome(readRegular(fs, pathOf(name))).pipe(
          Effect.catchIf(Files.isMissing, () => Effect.succeedNone),
          failed("get")
        ),
      reserve: (name, bytes) => {
        const temporary = temporaryOf(name)
        const make = Effect.zipRight(
          failed("reserve")(Effect.onError(writeZeros(fs, temporary, bytes), () => remove(temporary))),
          Effect.sync(() => void reserved.set(name, temporary))
        )
        return Effect.acquireRelease(make, () =>
          Effect.suspend(() => {
            if (reserved.get(name) !== temporary) return Effect.void
            reserved.delete(name)
            return remove(temporary)
          })
        )
      },
      put: (name, result) => {
        // Another run may have removed the folder at its end.
        const anew = Effect.suspend(() =>
          Files.replace(pathOf(name), (file) => fs.writeFile(file, result, { flag: "wx", mode: fileMode }), {
            temporary: temporaryOf(name),
            folderMode
          })
        )
        // The room is this process's own, so its file exists.
        const inRoom = (room: string) =>
          Files.replace(pathOf(name), (file) => overwrite(fs, file, result), { temporary: room })
        return Effect.suspend(() => {
          const room = reserved.get(name)
          reserved.delete(name)
          return room === undefined ? anew : Effect.orElse(inRoom(room), () => anew)
        }).pipe(Effect.provideService(FileSystem.FileSystem, fs), failed("put"))
      }
    }
  })

/** Only their owner can read pieces. */
const folderMode = 0o700
const fileMode = 0o600

/** Long blocks take less time: the room for 20 seconds of speech is one of them. */
const zeros = new Uint8Array(2 ** 20)

/** Writes a new file. One that is only made longer would have no room on the disk. */
const writeZeros = (fs: FileSystem.FileSystem, path: string, bytes: number): Effect.Effect<void, PlatformError> =>
  Effect.gen(function* () {
    const file = yield* fs.open(path, { flag: "wx", mode: fileMode })
    for (let left = bytes; left > 0; left -= zeros.byteLength) yield* file.writeAll(zeros.subarray(0, left))
  }).pipe(Effect.scoped)

/** Writes into a file that exists, which then has this content alone. */
const overwrite = (fs: FileSystem.FileSystem, path: string, content: Uint8Array): Effect.Effect<void, PlatformError> =>
  Effect.gen(function* () {
    const file = yield* fs.open(path, { flag: "r+" })
    yield* file.writeAll(content)
    yield* file.truncate(content.byteLength)
  }).pipe(Effect.scoped)

/** Reads a file. A pipe or a device would never end. */
const readRegular = (fs: FileSystem.FileSystem, path: string): Effect.Effect<Uint8Array, PlatformError> =>
  Effect.flatMap(fs.stat(path), ({ type }) =>
    type === "File" || type === "Directory"
      ? fs.readFile(path)
      : Effect.fail(
          new SystemError({
            reason: "InvalidData",
            module: "FileSystem",
            method: "readFile",
            pathOrDescriptor: path,
            cause: Object.assign(new Error("not a regular file"), { code: notRegular })
          })
        )
  )

/** The code of a kept piece that is a pipe or a device. */
const notRegular = "ENOTREG"

/** A killed process leaves its temporary file. If one is older than this, in milliseconds, no process writes it. */
const leftAfter = 60 * 60 * 1000

/** Removes a temporary file without a writer. What can't be removed stays. */
const removeIfLeft = (fs: FileSystem.FileSystem, path: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { mtime } = yield* fs.stat(path)
    const now = yield* Clock.currentTimeMillis
    if (Option.exists(mtime, (changed) => now - changed.getTime() > leftAfter)) yield* fs.remove(path)
  }).pipe(Effect.ignore)

const actions = {
  open: "The folder for pieces can't be used",
  get: "A kept piece can't be read",
  reserve: "A piece was not sent, since its result can't be kept",
  put: "A piece is paid, but can't be kept and is lost"
} as const

const storeError = (operation: PieceStoreError["operation"], store: string, error: PlatformError): PieceStoreError => {
  const code = systemCode(error)
  const message = `${actions[operation]}: ${adviceFor(code, store)}`
  return new PieceStoreError({ operation, store, code, message: Printable.line(message) })
}

const adviceFor = (code: string | undefined, folder: string): string => {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return `the disk of ${folder} is full. Free some space, or use a folder on another disk.`
    case "EFBIG":
      return `a file in ${folder} may not be longer. Raise the limit of this process (ulimit -f), or use a folder on another disk.`
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `this process has no permission to read and write in ${folder}. Change its permissions, or use another folder.`
    case "EISDIR":
      return `a folder in ${folder} has the name of a piece. Remove it, or use another folder.`
    case notRegular:
      return `a pipe or a device in ${folder} has the name of a piece. Remove it, or use another folder.`
    case "ENOTDIR":
    case "EEXIST":
      return `${folder} is not a folder. Use another name.`
    default:
      return `the folder ${folder} failed (${code ?? "unknown"}). Check the folder, or use another one.`
  }
}
