/**
 * Makes the tree of a run agree with its store, and says what it found and changed.
 *
 * A file of the tree agrees if it has the size and the digest that are recorded. At the end of a run its size is enough, unless it is older
 * than the run or another file has had its path: a million files are looked at, and not read. Then only what is missing, empty or
 * known to be out of date is written, and what a person has changed is kept. `export` and `repair` compare each digest, and write
 * all transcripts that differ.
 *
 * The store has no audio, so audio that does not agree is copied from an earlier folder of the run, or is gone.
 */
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { OutputFailed, type RunNotFound, type StoreFailed } from "../../ArchiveError.js"
import { pathOf, SynthesisResult } from "../../Output.js"
import type { Output, OutputReport } from "../../Run.js"
import type { Job } from "../file/job.js"
import type * as Money from "../model/money.js"
import { type FileOutput, type FileWithOutput, type RunRow, Store } from "../store/Store.js"
import { writeResults } from "./results.js"
import {
  copy,
  digestOfFile,
  outputOf,
  outputOfFile,
  outputUnreadable,
  piecesOf,
  transcriptOf,
  writeText
} from "./write.js"

export interface AgreeOptions {
  /** Compares the content of each file, and writes each transcript that differs. */
  readonly everything: boolean
  /** Where the tree is. Default: the output of the run. */
  readonly output?: Output | undefined
  /** What the call of a file costs at most. */
  readonly costOf: (job: Job) => Effect.Effect<Money.Cost>
  /** Called with the files whose audio is gone, a page at a time. */
  readonly onGone?: ((files: ReadonlyArray<FileWithOutput>) => Effect.Effect<void, StoreFailed>) | undefined
}

export type AgreeError = OutputFailed | StoreFailed | RunNotFound

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
      return yield* new OutputFailed({
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

/** What the system says of a file of the tree. */
type Found =
  | { readonly _tag: "File"; readonly size: number; readonly modifiedMillis: number; readonly mode: number }
  | { readonly _tag: "Missing" }
  /** It is a folder, or it can't be looked at. */
  | { readonly _tag: "Unusable"; readonly error: unknown }

const lookAt = async (path: string): Promise<Found> => {
  try {
    const info = await stat(path)
    return info.isFile()
      ? { _tag: "File", size: info.size, modifiedMillis: info.mtimeMs, mode: info.mode & 0o777 }
      : { _tag: "Unusable", error: { code: "EISDIR" } }
  } catch (error) {
    return systemCode(error) === "ENOENT" ? { _tag: "Missing" } : { _tag: "Unusable", error }
  }
}

/** Files that are compared or written at once. */
const concurrency = 8

/** After these, no other file can be written either. */
const noneCanBeWritten = new Set(["ENOSPC", "EDQUOT", "EROFS"])

const decodeSynthesis = Schema.decodeUnknownOption(SynthesisResult)

const makeTree = (row: RunRow, output: Output, { costOf, everything, onGone }: AgreeOptions) =>
  Effect.gen(function* () {
    const store = yield* Store
    const { createdAt, settings } = row
    const isOwn = output.directory === settings.output.directory
    const isOwnFormat = output.format === settings.output.format
    /** Where audio may be that is missing in the tree. */
    const otherFolders = [settings.output.directory, ...(settings.earlierOutputs ?? [])].filter(
      (folder) => folder !== output.directory
    )

    const fs = yield* FileSystem.FileSystem
    /** The ids of the files that have kept pieces. Few have. */
    const inPieces = new Set(
      isOwn ? yield* Effect.orElseSucceed(fs.readDirectory(dirname(piecesOf(output.directory, "-"))), () => []) : []
    )
    /** A process ended, or could not write the file, before it removed the pieces of a file that is done. */
    const removePieces = ({ callId }: FileWithOutput) =>
      Effect.ignore(fs.remove(piecesOf(output.directory, callId), { recursive: true }))

    const report = { files: 0, written: 0, changed: 0, gone: 0, goneCost: 0, goneFiles: [] as string[] }
    let firstError: OutputFailed | undefined

    /** Whether the size of a file does not say that it is the one that was written. */
    const mayDiffer = ({ others }: FileWithOutput, found: Found & { _tag: "File" }) =>
      everything || others.length > 0 || found.modifiedMillis < createdAt

    const hasDigest = (path: string, digest: string) =>
      Effect.mapBoth(digestOfFile(path), {
        onFailure: (error) => outputUnreadable(path, error),
        onSuccess: (found) => found === digest
      })

    // --- Transcripts ---

    const writeTranscript = (file: FileWithOutput, path: string, mode: number | undefined, learnt: Learnt) =>
      Effect.gen(function* () {
        const text = yield* transcriptOf(output, file)
        yield* writeText(path, text, mode)
        report.written++
        learn(file, outputOf(text), learnt)
      })

    /** What was written for an earlier recording of this path, or before the run, is no change by a person. */
    const isStale = ({ others }: FileWithOutput, path: string, found: Found & { _tag: "File" }) =>
      found.size === 0 || found.modifiedMillis < createdAt || others.includes("?")
        ? Effect.succeed(true)
        : others.length === 0
          ? Effect.succeed(false)
          : Effect.mapBoth(digestOfFile(path), {
              onFailure: (error) => outputUnreadable(path, error),
              onSuccess: (digest) => others.includes(digest)
            })

    const checkTranscript = (file: FileWithOutput, path: string, found: Found, learnt: Learnt) =>
      Effect.gen(function* () {
        if (found._tag !== "File") return yield* writeTranscript(file, path, undefined, learnt)
        const expected = (isOwnFormat ? file.output : undefined) ?? outputOf(yield* transcriptOf(output, file))
        const agrees =
          found.size === expected.size && (!mayDiffer(file, found) || (yield* hasDigest(path, expected.digest)))
        if (agrees) return learn(file, expected, learnt)
        if (everything || (yield* isStale(file, path, found))) {
          return yield* writeTranscript(file, path, found.mode, learnt)
        }
        report.changed++
      })

    // --- Audio ---

    /** Whether this is the audio that was written. What an earlier version wrote has no digest: it must have all samples. */
    const isAudio = (file: FileWithOutput, path: string, found: Found, byContent = false) =>
      Effect.gen(function* () {
        if (found._tag === "Unusable") return yield* outputUnreadable(path, found.error)
        if (found._tag === "Missing" || found.size === 0) return false
        if (file.output === undefined) {
          const result = decodeSynthesis(file.result)
          return result._tag === "None" || found.size >= result.value.bytes
        }
        if (found.size !== file.output.size) return false
        return byContent || mayDiffer(file, found) ? yield* hasDigest(path, file.output.digest) : true
      })

    const copied = (file: FileWithOutput, path: string) =>
      Effect.gen(function* () {
        for (const directory of otherFolders) {
          const original = pathOf({ ...output, directory }, file.path)
          const found = yield* Effect.promise(() => lookAt(original))
          if (found._tag !== "File" || !(yield* isAudio(file, original, found, true))) continue
          yield* copy(original, path)
          return true
        }
        return false
      })

    const checkAudio = (
      file: FileWithOutput,
      path: string,
      found: Found,
      learnt: Learnt,
      gone: Array<FileWithOutput>
    ) =>
      Effect.gen(function* () {
        if (!(yield* isAudio(file, path, found))) {
          if (!(yield* copied(file, path))) {
            gone.push(file)
            return
          }
          report.written++
        }
        if (!isOwn || file.output !== undefined) return
        const written = yield* Effect.mapError(outputOfFile(path), (error) => outputUnreadable(path, error))
        learn(file, written, learnt)
      })

    // --- A page ---

    const learn = ({ output: known, seq }: FileWithOutput, now: FileOutput, learnt: Learnt) => {
      if (isOwn && isOwnFormat && (known?.size !== now.size || known.digest !== now.digest))
        learnt.push({ seq, ...now })
    }

    const noteError = (error: OutputFailed) =>
      Effect.suspend(() => {
        firstError ??= error
        return noneCanBeWritten.has(error.code ?? "") ? Effect.fail(error) : Effect.void
      })

    const noteGone = (files: ReadonlyArray<FileWithOutput>) =>
      Effect.gen(function* () {
        for (const file of files) {
          report.gone++
          report.goneCost += (yield* costOf({ file: { ...file, run: row.id }, settings })).most
          if (report.goneFiles.length < 10) report.goneFiles.push(pathOf(output, file.path))
        }
        yield* onGone?.(files) ?? Effect.void
      })

    const check = (page: ReadonlyArray<FileWithOutput>) =>
      Effect.gen(function* () {
        const files = page.filter(({ state }) => state === "done")
        if (files.length === 0) return
        report.files += files.length
        const paths = files.map(({ path }) => pathOf(output, path))
        const found = yield* Effect.promise(() => Promise.all(paths.map(lookAt)))
        const [learnt, gone]: [Array<FileOutput & { seq: number }>, Array<FileWithOutput>] = [[], []]
        const doubtful = files.flatMap((file, index) => {
          const [path, seen] = [paths[index] as string, found[index] as Found]
          const agrees =
            isOwnFormat && seen._tag === "File" && seen.size === file.output?.size && !mayDiffer(file, seen)
          return agrees ? [] : [{ file, path, seen }]
        })
        yield* Effect.forEach(
          doubtful,
          ({ file, path, seen }) =>
            Effect.catchAll(
              output.format === "wav"
                ? checkAudio(file, path, seen, learnt, gone)
                : checkTranscript(file, path, seen, learnt),
              noteError
            ),
          { concurrency, discard: true }
        )
        gone.sort((one, other) => one.seq - other.seq)
        yield* Effect.forEach(
          files.filter((file) => inPieces.has(file.callId) && !gone.includes(file)),
          removePieces
        )
        if (gone.length > 0) yield* noteGone(gone)
        if (learnt.length > 0) yield* store.recordOutputs(row.id, learnt)
      })

    return { check, found: () => ({ report: { ...report } satisfies OutputReport, error: firstError }) }
  })

type Learnt = Array<FileOutput & { seq: number }>
