/** Keeps the pieces of a long text or recording, removes them after success, and says where they are after a failure. */
import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { PieceStore, type PieceStoreService } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import { type CommandError, LongJobFailed } from "./failure.js"
import { leadsTo } from "./fileIdentity.js"
import { type JobFolder, openJobFolder } from "./jobFolder.js"
import { applying, note, plural, say } from "./message.js"
import { movedPath } from "./movedPath.js"
import { isPrinted } from "./output.js"
import { describeRest } from "./serviceFailure.js"
import { quotedPath } from "./shells.js"
import { isAsked } from "./signals.js"

type JobError = Exclude<CommandError, LongJobFailed>

export interface KeptPieces {
  /** `undefined`: no piece is kept. */
  readonly folder: string | undefined
  /** What the job is: any JSON that is the same when the same command runs again, and differs for another. */
  readonly job: unknown
  /** The files that the command was given, by their options, as absolute paths. */
  readonly files?: ReadonlyArray<readonly [option: string, path: string]>
  /** The cost of the rest, as the end of a sentence about the command. Default: unknown. */
  readonly rest?: () => string
}

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

/**
 * Runs a job and keeps its pieces in a folder until it has succeeded and its result is printed. Then it removes those that no
 * other unfinished job has, and the folder if the command made it and nothing else is in it. The message of a failure or an
 * interruption names the folder. A second command over the folder at the same time fails before it sends anything.
 */
export const keepPieces = <A, E extends JobError, R>(
  { files = [], folder, job, rest = () => "" }: KeptPieces,
  work: Effect.Effect<A, E, R | PieceStore>
) => (folder === undefined ? forgetPieces(work) : keepIn(folder, { files, job: digestOf(job), rest }, work))

const digestOf = (job: unknown): string => createHash("sha256").update(JSON.stringify(job)).digest("hex")

const keepIn = <A, E extends JobError, R>(
  folder: string,
  { files, job, rest }: Required<Pick<KeptPieces, "files" | "rest">> & { readonly job: string },
  work: Effect.Effect<A, E, R | PieceStore>
) =>
  Effect.gen(function* () {
    const jobFolder = yield* openJobFolder(folder, job)
    return yield* work.pipe(
      Effect.provide(jobFolder.store),
      Effect.zipLeft(Effect.whenEffect(finish(folder, jobFolder), isPrinted)),
      Effect.catchAll((error) =>
        Effect.flatMap(stop(folder, jobFolder, files, describeRest(error)), (left) => failWith(error, left))
      ),
      Effect.onInterrupt(() =>
        Effect.flatMap(
          Effect.suspend(() => stop(folder, jobFolder, files, rest())),
          (left) => say(...applying(left))
        )
      )
    )
  }).pipe(Effect.scoped)

/** Keeps nothing: memory would grow with the job. */
const forgetPieces = <A, E extends JobError, R>(work: Effect.Effect<A, E, R | PieceStore>) => {
  const finished = new Set<string>()
  const forgetful: PieceStoreService = {
    get: () => Effect.succeedNone,
    put: (name) => Effect.sync(() => void finished.add(name))
  }
  const lostNote = () =>
    finished.size === 0
      ? undefined
      : `${finishedPieces(finished.size)} lost. With --pieces FOLDER they are kept, and the same command resumes.`
  return work.pipe(
    Effect.provideService(PieceStore, forgetful),
    Effect.catchAll((error: E) => failWith(error, lostNote())),
    // The reader of a pipe that is closed needs no message.
    Effect.onInterrupt(() => Effect.suspend(() => (isAsked() ? say(...applying(lostNote())) : Effect.void)))
  )
}

const failWith = <E extends JobError>(error: E, note: string | undefined): Effect.Effect<never, E | LongJobFailed> =>
  Effect.fail(note === undefined ? error : new LongJobFailed({ error, note }))

const finishedPieces = (count: number): string => `${plural(count, "finished piece")} ${count === 1 ? "is" : "are"}`

/** Removes the pieces of a job that is done, and says which pieces stay. */
const finish = (folder: string, { end, where }: JobFolder) =>
  Effect.gen(function* () {
    // The user renamed the folder, and may want what is in it.
    if (where() !== folder) {
      return yield* note(
        `${folder} was renamed while the command ran. Remove ${where()} if no other command needs its pieces.`
      )
    }
    const { claimed, isMade, left } = yield* end(true)
    const staying = (isMade ? left : claimed).length
    const stay = staying === 1 ? "stays" : "stay"
    if (staying > 0) {
      yield* note(
        `${plural(staying, "piece")} of other commands ${stay} in ${folder}. Remove them if no other command needs them.`
      )
    }
  })

/** Ends a job that failed. The result is a sentence about its pieces, and about the cost of the rest, if there are pieces. */
const stop = (
  folder: string,
  { end, hasUsed, lost, real, where }: JobFolder,
  files: Required<KeptPieces>["files"],
  rest: string
) =>
  Effect.gen(function* () {
    const { claim, claimed, left } = yield* end(false)
    const resumes = where() === folder ? rest : afterRename(files, real, where(), rest)
    const keptHere = `kept in ${where()}. The same command resumes${resumes}.`
    const kept = left.filter(hasUsed).length
    const notes = applying(
      lost() > 0 && `${finishedPieces(lost())} paid and lost.`,
      kept > 0
        ? `${finishedPieces(kept)} ${keptHere}`
        : claim.length + claimed.length > 0 && `Pieces of an earlier run are ${keptHere}`
    )
    return notes.length === 0 ? undefined : notes.join(" ")
  })

/** The options that the same command needs after its folder for pieces was renamed, perhaps together with its files. */
const afterRename = (files: Required<KeptPieces>["files"], before: string, now: string, rest: string): string => {
  const moved = files.flatMap(([option, path]): ReadonlyArray<readonly [string, string]> => {
    const found = movedPath(path, before, now)
    return found === undefined ? [] : [[option, found]]
  })
  const options = moved.length === 0 ? [["--pieces", now] as const] : moved
  const part = moved.some(([option]) => option === "--out")
    ? ". A temporary file that ends in .part was left beside it: you can delete it"
    : ""
  return `, with ${options.map(([option, path]) => `${option} ${quotedPath(path)}`).join(" ")}${rest}${part}`
}
