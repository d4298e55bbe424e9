/** Keeps the pieces of a long text or recording, and removes them after success. */
import { createHash } from "node:crypto"
import { readdirSync, statSync } from "node:fs"
import { rmdir } from "node:fs/promises"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import { isWhole, PieceStore, PieceStoreError, type PieceStoreService } from "@effect-speech/long-form/PieceStore"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type CommandError, LongJobFailed } from "./failure.js"
import { isLink, leadsTo } from "./fileIdentity.js"
import { lockFolder } from "./lockFolder.js"
import { isPrinted } from "./output.js"
import * as PieceFolder from "./pieceFolder.js"
import { describeRest } from "./serviceFailure.js"

type JobError = Exclude<CommandError, LongJobFailed>

export interface KeptPieces {
  /** `undefined`: no piece is kept. */
  readonly folder: string | undefined
  /** What the job is: any JSON that is the same when the same command runs again, and differs for another. */
  readonly job: unknown
}

const plural = (count: number, noun: string): string => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`

/** A recording of a job. Its content is known only when it is read. */
export const recordingOf = (file: string): unknown => {
  if (file === "-") return file
  try {
    const { mtimeMs, size } = statSync(file)
    return [leadsTo(file), size, mtimeMs]
  } catch {
    // The job fails with what is wrong.
    return file
  }
}

const finishedPieces = (count: number): string => `${plural(count, "finished piece")} ${count === 1 ? "is" : "are"}`

/**
 * Runs a job and keeps its pieces in a folder until it has succeeded and its result is printed. Then it removes those that no
 * other unfinished job has, and the folder if the command made it and nothing else is in it. The message of a failure or an
 * interruption names the folder. A second command over the folder at the same time fails before it sends anything.
 */
export const keepPieces = <A, E extends JobError, R>(
  { folder, job }: KeptPieces,
  work: Effect.Effect<A, E, R | PieceStore>
) => (folder === undefined ? forgetPieces(work) : keepIn(folder, digestOf(job), work))

const digestOf = (job: unknown): string => createHash("sha256").update(JSON.stringify(job)).digest("hex")

const gone = (folder: string, now: string | undefined) =>
  new PieceStoreError({
    operation: "get",
    store: folder,
    message: `Nothing more was sent: the folder for pieces ${folder} was renamed or removed while the command ran.${now === undefined ? " If it was renamed, give its new name with --pieces: its pieces are paid." : ""}`
  })

const putIn = (fs: FileSystem.FileSystem, folder: string, name: string, result: Uint8Array) =>
  Effect.flatMap(PieceStore, ({ put }) => put(name, result)).pipe(
    Effect.provide(PieceStore.layerFolder(folder)),
    Effect.provideService(FileSystem.FileSystem, fs)
  )

const failWith = <E extends JobError>(error: E, note: string | undefined): Effect.Effect<never, E | LongJobFailed> =>
  Effect.fail(note === undefined ? error : new LongJobFailed({ error, note }))

/** Memory would grow with the job, so nothing is kept. */
const forgetPieces = <A, E extends JobError, R>(work: Effect.Effect<A, E, R | PieceStore>) => {
  const finished = new Set<string>()
  const forgetful: PieceStoreService = {
    get: () => Effect.succeedNone,
    put: (name) => Effect.sync(() => void finished.add(name))
  }
  return work.pipe(
    Effect.provideService(PieceStore, forgetful),
    Effect.catchAll((error: E) =>
      failWith(
        error,
        finished.size === 0
          ? undefined
          : `${finishedPieces(finished.size)} lost. With --pieces FOLDER they are kept, and the same command goes on where it was.`
      )
    )
  )
}

const keepIn = <A, E extends JobError, R>(folder: string, job: string, work: Effect.Effect<A, E, R | PieceStore>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    let isRemovable = false
    // After the lock is released: its file lies in the folder.
    yield* Effect.addFinalizer(() =>
      isRemovable ? Effect.ignore(Effect.tryPromise(() => rmdir(folder))) : Effect.void
    )
    const { isNew, place } = yield* lockFolder(folder)
    const where = () => place() ?? folder
    const pathOf = (name: string) => join(where(), name)
    if (isNew) yield* Effect.ignore(fs.writeFile(pathOf(PieceFolder.mark), new Uint8Array(0)))
    // A link to a folder is not the folder, so it stays.
    const isMade =
      !isLink(folder) && (isNew || (yield* Effect.orElseSucceed(fs.exists(pathOf(PieceFolder.mark)), () => false)))

    // Nobody writes these, since this process has the lock. They may have the room of whole pieces.
    const left = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
    yield* Effect.forEach(left.filter(PieceFolder.isTemporary), (name) => Effect.ignore(fs.remove(pathOf(name))))

    const used = new Set<string>()
    let lost = 0
    const ownClaim = () => pathOf(PieceFolder.claimName(job))
    let isClaimed = yield* Effect.orElseSucceed(fs.exists(ownClaim()), () => false)
    /** Comes before the piece, so that no piece of this job is there without it, whenever the process is killed. */
    const claim = (name: string) =>
      Effect.suspend(() => {
        if (used.has(name)) return Effect.void
        const line = PieceFolder.extendClaim(name, !isClaimed)
        isClaimed = true
        return fs.writeFileString(ownClaim(), line, { flag: "a", mode: 0o600 })
      }).pipe(
        // What is paid is kept all the same.
        Effect.ignore,
        Effect.zipRight(Effect.sync(() => void used.add(name)))
      )
    const claiming = Layer.effect(
      PieceStore,
      Effect.map(
        PieceStore,
        ({ get, put, reserve }): PieceStoreService => ({
          reserve,
          // A piece is looked up before it is sent.
          get: (name) =>
            Effect.suspend(() => (place() === folder ? get(name) : gone(folder, place()))).pipe(
              Effect.tap((found) =>
                Option.isSome(found)
                  ? Effect.flatMap(isWhole(name, found.value), (whole) => (whole ? claim(name) : Effect.void))
                  : Effect.void
              )
            ),
          // It is paid, so it is kept wherever the folder is now.
          put: (name, result) =>
            Effect.zipRight(
              claim(name),
              Effect.suspend(() => {
                const now = where()
                return now === folder ? put(name, result) : putIn(fs, now, name, result)
              }).pipe(Effect.tapError(() => Effect.sync(() => lost++)))
            )
        })
      )
    )

    const contents = Effect.gen(function* () {
      const entries = yield* Effect.orElseSucceed(
        Effect.try(() => readdirSync(where(), { withFileTypes: true })),
        () => []
      )
      const files = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
      const claims = new Map<string, ReadonlyArray<string>>()
      for (const name of files) {
        const claimant = PieceFolder.jobOf(name)
        if (claimant === undefined) continue
        const names = PieceFolder.readClaim(yield* Effect.orElseSucceed(fs.readFileString(pathOf(name)), () => ""))
        if (names !== undefined) claims.set(claimant, names)
      }
      const others = entries.flatMap((entry) => (entry.isFile() ? [] : [entry.name]))
      return { files, others, claims } satisfies PieceFolder.Contents
    })
    const remove = (names: Iterable<string>) =>
      Effect.forEach(names, (name) => Effect.ignore(fs.remove(pathOf(name))), { discard: true })

    /** Removes these pieces, and everything else if nothing of a user or of another job is left. */
    const end = (done: ReadonlySet<string>) =>
      Effect.gen(function* () {
        const before = yield* contents
        const ending = PieceFolder.endingOf(before, job, done)
        yield* remove(ending.remove)
        if (ending.claim.length === 0) yield* remove([PieceFolder.claimName(job)])
        else if (done.size > 0)
          yield* Effect.ignore(fs.writeFileString(ownClaim(), PieceFolder.writeClaim(ending.claim)))
        if (ending.isEmpty && isMade && where() === folder) {
          yield* remove(before.files.filter((name) => name !== PieceFolder.lockName))
          isRemovable = true
        }
        return ending
      }).pipe(Effect.uninterruptible)

    const removeAll = Effect.gen(function* () {
      // Whoever renamed the folder may want what is in it.
      if (where() !== folder) {
        return yield* Console.error(
          `speech: ${folder} was renamed while the command ran. Remove ${where()} if no other command needs its pieces.`
        )
      }
      const { claimed, left } = yield* end(used)
      const staying = (isMade ? left : claimed).length
      if (staying === 0) return
      yield* Console.error(
        `speech: ${plural(staying, "piece")} of other commands ${staying === 1 ? "stays" : "stay"} in ${folder}. Remove them if no other command needs them.`
      )
    })

    /** A sentence about the kept pieces, and about the cost of the rest. `undefined`: there are no pieces. */
    const noteOn = Effect.fnUntraced(function* (rest: string) {
      yield* end(new Set())
      const renamed = where() === folder ? "" : `, with --pieces ${where()}`
      const keptHere = `kept in ${where()}. The same command goes on where it was${renamed}${rest}.`
      const now = yield* contents
      const pieces = PieceFolder.piecesIn(now)
      const kept = pieces.filter((name) => used.has(name)).length
      const earlier = new Set([...now.claims.values()].flat())
      const notes = [
        ...(lost === 0 ? [] : [`${finishedPieces(lost)} paid and lost.`]),
        ...(kept > 0
          ? [`${finishedPieces(kept)} ${keptHere}`]
          : pieces.some((name) => earlier.has(name))
            ? [`Pieces of an earlier run are ${keptHere}`]
            : [])
      ]
      return notes.length === 0 ? undefined : notes.join(" ")
    })
    const explainInterruption = Effect.flatMap(noteOn(""), (note) =>
      note === undefined ? Effect.void : Console.error(`speech: ${note}`)
    )
    return yield* work.pipe(
      Effect.provide(Layer.provide(claiming, PieceStore.layerFolder(folder))),
      Effect.zipLeft(Effect.whenEffect(removeAll, isPrinted)),
      Effect.catchAll((error) => Effect.flatMap(noteOn(describeRest(error)), (note) => failWith(error, note))),
      Effect.onInterrupt(() => explainInterruption)
    )
  }).pipe(Effect.scoped)
