/**
 * Makes the tree of a run agree with its store, and says what it found and changed.
 *
 * At the end of a run, only what is missing, empty or known to be out of date is written, and what a person has changed is kept. `export`
 * and `repair` compare each digest, and write all transcripts that differ.
 *
 * The store has no audio, so audio that does not agree is copied from an earlier folder of the run, or is gone.
 */
import { dirname } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ArchiveOutputFailed, type ArchiveRunNotFound, type ArchiveStoreFailed } from "../../ArchiveError.js"
import { type Output, pathOf } from "../../Output.js"
import { OutputReport } from "../../Run.js"
import type { Job } from "../file/job.js"
import type * as Money from "../model/money.js"
import { type FileOutput, type FileWithOutput, type RunRow, Store } from "../store/Store.js"
import {
  agreesBySize,
  type Compared,
  compareAudio,
  compareTranscript,
  find,
  outputOfAudio,
  type Tree,
  treeOf,
  type Verdict
} from "./compare.js"
import { writeResults } from "./results.js"
import { copy, outputOf, piecesOf, transcriptOf, writeText } from "./write.js"

export interface AgreeOptions {
  /** Compares the content of each file, and writes each transcript that differs. */
  readonly everything: boolean
  /** Where the tree is. Default: the output of the run. */
  readonly output?: Output | undefined
  /** What the call of a file costs at most. */
  readonly costOf: (job: Job) => Effect.Effect<Money.Cost>
  /** Called with the files whose audio is gone, a page at a time. */
  readonly onGone?: ((files: ReadonlyArray<FileWithOutput>) => Effect.Effect<void, ArchiveStoreFailed>) | undefined
}

export type AgreeError = ArchiveOutputFailed | ArchiveStoreFailed | ArchiveRunNotFound

/**
 * Makes the tree of a run agree, writes `results.jsonl`, and records that no output is due, if the run has stopped. A file that can't be
 * written does not keep the others from it: the first such error is that of the effect, when all others are written.
 */
export const finishOutput = (
  run: string,
  options: AgreeOptions
): Effect.Effect<OutputReport, AgreeError, Store | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const store = yield* Store
    const row = yield* store.run(run)
    const own = row.settings.output
    const output = options.output ?? own
    if ((output.format === "wav") !== (own.format === "wav")) {
      return yield* new ArchiveOutputFailed({
        path: output.directory,
        message: `A run of ${row.settings.operation._tag} has no ${output.format} files. Choose another format.`
      })
    }
    const tree = yield* makeTree(row, output, options)
    yield* writeResults(
      output.directory,
      Stream.mapChunksEffect(store.outputs(run), (chunk) => Effect.as(tree.check([...chunk]), chunk))
    )
    const { error, report } = tree.found()
    if (error !== undefined) return yield* error
    if (output.directory === own.directory) yield* store.endOutput(run, row.epoch)
    return report
  })

/** Files that are compared or written at once. */
const concurrency = 8

/** After these, no other file can be written either. */
const noneCanBeWritten = new Set(["ENOSPC", "EDQUOT", "EROFS"])

/** Files whose audio is named in a report. */
const mostNames = 10

type Learnt = FileOutput & { readonly seq: number }

const makeTree = (row: RunRow, output: Output, { costOf, everything, onGone }: AgreeOptions) =>
  Effect.gen(function* () {
    const store = yield* Store
    const tree = treeOf(row, output, everything)
    const removePieces = yield* makeRemovePieces(tree)
    const compare = output.format === "wav" ? compareAudio : compareTranscript
    const report = { files: 0, written: 0, changed: 0, gone: 0, goneCost: 0 }
    const goneFiles: Array<string> = []
    let firstError: ArchiveOutputFailed | undefined

    const noteError = (error: ArchiveOutputFailed) =>
      Effect.suspend(() => {
        firstError ??= error
        return noneCanBeWritten.has(error.code ?? "") ? Effect.fail(error) : Effect.void
      })

    const noteGone = (files: ReadonlyArray<FileWithOutput>) =>
      Effect.gen(function* () {
        for (const file of files) {
          report.gone++
          report.goneCost += (yield* costOf({ file: { ...file, run: row.id }, settings: row.settings })).most
          if (goneFiles.length < mostNames) goneFiles.push(pathOf(output, file.path))
        }
        yield* onGone?.(files) ?? Effect.void
      })

    /** Does what a verdict says. The result is what is there now, if the store should know it. */
    const carryOut = (compared: Compared, verdict: Verdict) =>
      Effect.gen(function* () {
        switch (verdict._tag) {
          case "Agrees":
            return verdict.output ?? (yield* outputOfAudio(tree, compared))
          case "Write": {
            const text = yield* transcriptOf(output, compared.file)
            yield* writeText(compared.path, text, verdict.mode)
            report.written++
            return outputOf(text)
          }
          case "Copy":
            yield* copy(verdict.from, compared.path)
            report.written++
            return yield* outputOfAudio(tree, compared)
          case "Changed":
            report.changed++
            return undefined
          case "Gone":
            return undefined
        }
      })

    const check = (page: ReadonlyArray<FileWithOutput>) =>
      Effect.gen(function* () {
        const files = page.filter(({ state }) => state === "done")
        if (files.length === 0) return
        report.files += files.length
        const [learnt, gone]: [Array<Learnt>, Array<FileWithOutput>] = [[], []]
        const agree = (compared: Compared) =>
          Effect.gen(function* () {
            const { file } = compared
            const verdict = yield* compare(tree, compared)
            const now = yield* carryOut(compared, verdict)
            if (verdict._tag === "Gone") gone.push(file)
            if (now !== undefined && isNews(tree, file, now)) learnt.push({ seq: file.seq, ...now })
          }).pipe(Effect.catchAll(noteError))
        const all = yield* Effect.promise(() => Promise.all(files.map((file) => lookAt(output, file))))
        const doubtful = all.filter((compared) => !agreesBySize(tree, compared))
        yield* Effect.forEach(doubtful, agree, { concurrency, discard: true })
        gone.sort((one, other) => one.seq - other.seq)
        yield* removePieces(files.filter((file) => !gone.includes(file)))
        if (gone.length > 0) yield* noteGone(gone)
        if (learnt.length > 0) yield* store.recordOutputs(row.id, learnt)
      })

    return {
      check,
      found: () => ({ report: new OutputReport({ ...report, goneFiles }), error: firstError })
    }
  })

const lookAt = async (output: Output, file: FileWithOutput): Promise<Compared> => {
  const path = pathOf(output, file.path)
  return { file, path, found: await find(path) }
}

/** Whether the store has recorded something else. */
const isNews = ({ isOwn, isOwnFormat }: Tree, { output: known }: FileWithOutput, now: FileOutput): boolean =>
  isOwn && isOwnFormat && (known?.size !== now.size || known.digest !== now.digest)

/** Removes kept pieces of files that are done: a process ended, or could not write the file, before it removed them. */
const makeRemovePieces = ({ isOwn, output }: Tree) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = dirname(piecesOf(output.directory, "-"))
    // The ids of the files that have some. Few have.
    const inPieces = new Set(isOwn ? yield* Effect.orElseSucceed(fs.readDirectory(folder), () => []) : [])
    return (files: ReadonlyArray<FileWithOutput>) =>
      Effect.forEach(
        files.filter(({ callId }) => inPieces.has(callId)),
        ({ callId }) => Effect.ignore(fs.remove(piecesOf(output.directory, callId), { recursive: true })),
        { discard: true }
      )
  })
