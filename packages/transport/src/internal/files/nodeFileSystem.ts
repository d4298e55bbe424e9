import { close, fstat, fsync, open, read, type Stats, writeFile } from "node:fs"
import { BadArgument, type PlatformError, SystemError, type SystemErrorReason } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { withReader } from "../../unstable/SmallFile.js"
import { briefly } from "../timer/awaitBriefly.js"
import { readSmallFile, readWithoutWaiting } from "./readSmallFile.js"

/**
 * NodeFileSystem, with another `open` for reading:
 *
 * - It does not wait for the writer of a pipe. Waiting holds one of the few threads that read files for the whole process,
 *   and nothing can interrupt it. Look at `stat` of the open file: a path can name something else from one moment to the next.
 * - `stat` of the open file also has `ctimeMs`, the time of its last change, which no program can set back.
 *
 * The `open` of NodeFileSystem takes no such flag, and makes a File only of what it opened itself.
 *
 * It also reads small files at once, and writes contents of at most 512 KiB without a signal, which cost a third of the time.
 */
export const layer: Layer.Layer<FileSystem.FileSystem> = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (fs) =>
    withReader(
      FileSystem.make({
        ...fs,
        open: (path, options) =>
          (options?.flag ?? "r") === "r" ? openForReading(path, options?.mode) : fs.open(path, options),
        writeFile: (path, data, options) =>
          data.byteLength <= writtenAtOnce ? writeAtOnce(path, data, options) : fs.writeFile(path, data, options)
      }),
      readSmallFile
    )
  )
).pipe(Layer.provide(NodeFileSystem.layer))

type Done<A> = (error: NodeJS.ErrnoException | null, value: A) => void

const reasons: Readonly<Record<string, SystemErrorReason>> = {
  ENOENT: "NotFound",
  EACCES: "PermissionDenied",
  EEXIST: "AlreadyExists",
  EISDIR: "BadResource",
  ENOTDIR: "BadResource",
  ELOOP: "BadResource",
  EBUSY: "Busy"
}

/** Calls a function of node:fs, and gives its errors as NodeFileSystem does. `run` may return what an interruption does. */
const invoke = <A>(
  method: string,
  pathOrDescriptor: string | number,
  run: (done: Done<A>) => Effect.Effect<void> | void
): Effect.Effect<A, PlatformError> =>
  Effect.async((resume) => {
    try {
      return run((cause, value) => {
        if (cause === null) return resume(Effect.succeed(value))
        const { code = "", message: description, syscall } = cause
        const reason = reasons[code] ?? "Unknown"
        const facts = { module: "FileSystem", method, reason, pathOrDescriptor, syscall, description, cause } as const
        resume(Effect.fail(new SystemError(facts)))
      })
    } catch (cause) {
      return resume(Effect.fail(new BadArgument({ module: "FileSystem", method, cause })))
    }
  })

const openForReading = (
  path: string,
  mode: number | undefined
): Effect.Effect<FileSystem.File, PlatformError, Scope.Scope> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const fd = yield* invoke<number>("open", path, (done) => open(path, readWithoutWaiting, mode, done))
      // `Effect.acquireRelease` would also restore fiber refs, at a tenth of the cost of a call.
      yield* Scope.addFinalizer(
        scope,
        Effect.orDie(invoke<void>("close", fd, (done) => close(fd, (error) => done(error ?? null, undefined))))
      )
      return makeFile(FileSystem.FileDescriptor(fd))
    })
  )

/** In bytes. Node writes so much in one piece, so that a signal would not stop it. */
const writtenAtOnce = 512 * 1024

/**
 * An interruption waits at most one second for the end: the file is then whole, and a caller that removes it has removed it. What takes
 * longer, such as a pipe without a reader, is left: its open can't be stopped, but nothing is written to it afterwards.
 */
const writeAtOnce = (
  path: string,
  data: Uint8Array,
  options?: FileSystem.WriteFileOptions
): Effect.Effect<void, PlatformError> =>
  invoke<void>("writeFile", path, (done) => {
    const ended = Deferred.unsafeMake<void>(FiberId.none)
    let isLeft = false
    const end = (error: NodeJS.ErrnoException | null): void => {
      done(error, undefined)
      Deferred.unsafeDone(ended, Effect.void)
    }
    open(path, options?.flag ?? "w", options?.mode, (error, fd) => {
      if (error !== null) return end(error)
      const closeAfter = (failed: NodeJS.ErrnoException | null): void =>
        close(fd, (error) => end(failed ?? error ?? null))
      if (isLeft) closeAfter(null)
      else writeFile(fd, data, closeAfter)
    })
    const leave = Effect.sync(() => {
      isLeft = true
    })
    return Effect.zipRight(briefly(Deferred.await(ended)), leave)
  })

const makeFile = (fd: FileSystem.File.Descriptor): FileSystem.File => {
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  let position = 0n
  const readInto = (method: string, buffer: Uint8Array): Effect.Effect<number, PlatformError> =>
    oneAtATime(
      Effect.suspend(() => invoke<number>(method, fd, (done) => read(fd, { buffer, position }, done))).pipe(
        Effect.tap((length) =>
          Effect.sync(() => {
            position += BigInt(length)
          })
        )
      )
    )
  const refuse = (method: string) => {
    const description = "the file is open for reading only"
    return Effect.fail(
      new SystemError({ module: "FileSystem", method, reason: "PermissionDenied", pathOrDescriptor: fd, description })
    )
  }
  return {
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    fd,
    stat: Effect.map(
      Effect.suspend(() => invoke<Stats>("stat", fd, (done) => fstat(fd, done))),
      infoOf
    ),
    seek: (offset, from) =>
      oneAtATime(
        Effect.sync(() => {
          position = FileSystem.Size(offset) + (from === "start" ? 0n : position)
        })
      ),
    read: (buffer) => Effect.map(readInto("read", buffer), FileSystem.Size),
    readAlloc: (size) =>
      Effect.suspend(() => {
        const buffer = Buffer.allocUnsafeSlow(Number(size))
        return Effect.map(readInto("readAlloc", buffer), (length) =>
          length === 0 ? Option.none() : Option.some(buffer.subarray(0, length))
        )
      }),
    sync: Effect.suspend(() => invoke<void>("sync", fd, (done) => fsync(fd, (error) => done(error, undefined)))),
    truncate: () => refuse("truncate"),
    write: () => refuse("write"),
    writeAll: () => refuse("writeAll")
  }
}

const infoOf = (stats: Stats): FileSystem.File.Info & { readonly ctimeMs: number } => ({
  type: typeOf(stats),
  mtime: Option.fromNullable(stats.mtime),
  atime: Option.fromNullable(stats.atime),
  birthtime: Option.fromNullable(stats.birthtime),
  ctimeMs: stats.ctimeMs,
  dev: stats.dev,
  ino: Option.fromNullable(stats.ino),
  mode: stats.mode,
  nlink: Option.fromNullable(stats.nlink),
  uid: Option.fromNullable(stats.uid),
  gid: Option.fromNullable(stats.gid),
  rdev: Option.fromNullable(stats.rdev),
  size: FileSystem.Size(stats.size),
  blksize: Option.map(Option.fromNullable(stats.blksize), FileSystem.Size),
  blocks: Option.fromNullable(stats.blocks)
})

const typeOf = (stats: Stats): FileSystem.File.Type => {
  if (stats.isFile()) return "File"
  if (stats.isDirectory()) return "Directory"
  if (stats.isFIFO()) return "FIFO"
  if (stats.isSocket()) return "Socket"
  if (stats.isCharacterDevice()) return "CharacterDevice"
  return stats.isBlockDevice() ? "BlockDevice" : "Unknown"
}
