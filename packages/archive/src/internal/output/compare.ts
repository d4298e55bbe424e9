/**
 * Whether a file of the tree is the one that the store has recorded, and what to do if it is not. Nothing is changed here.
 *
 * A file agrees if it has the size and the digest that are recorded. At the end of a run its size is enough, unless it is older than the
 * run or another file has had its path: a million files are looked at, and not read.
 */
import { stat } from "node:fs/promises"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ArchiveOutputFailed } from "../../ArchiveError.js"
import { pathOf, SynthesisResult } from "../../Output.js"
import type { Output } from "../../Run.js"
import type { FileOutput, FileWithOutput, RunRow } from "../store/Store.js"
import { digestOfFile, outputOf, outputOfFile, outputUnreadable, transcriptOf } from "./write.js"

/** A tree that is compared with the store. */
export interface Tree {
  readonly output: Output
  /** When the run was created: what is older was not written for it. Milliseconds since 1970. */
  readonly createdAt: number
  /** It is the output of the run, and not a folder of an export. */
  readonly isOwn: boolean
  readonly isOwnFormat: boolean
  /** Where audio may be that is missing in the tree. */
  readonly otherFolders: ReadonlyArray<string>
  /** Compares each digest, and takes no file for one that a person has changed. */
  readonly everything: boolean
}

export const treeOf = ({ createdAt, settings }: RunRow, output: Output, everything: boolean): Tree => ({
  output,
  createdAt,
  isOwn: output.directory === settings.output.directory,
  isOwnFormat: output.format === settings.output.format,
  otherFolders: [settings.output.directory, ...(settings.earlierOutputs ?? [])].filter(
    (folder) => folder !== output.directory
  ),
  everything
})

/** What the system says of a file of the tree. */
export type Found =
  | { readonly _tag: "File"; readonly size: number; readonly modifiedMillis: number; readonly mode: number }
  | { readonly _tag: "Missing" }
  /** It is a folder, or it can't be looked at. */
  | { readonly _tag: "Unusable"; readonly error: unknown }

type FoundFile = Found & { readonly _tag: "File" }

export const find = async (path: string): Promise<Found> => {
  try {
    const info = await stat(path)
    return info.isFile()
      ? { _tag: "File", size: info.size, modifiedMillis: info.mtimeMs, mode: info.mode & 0o777 }
      : { _tag: "Unusable", error: { code: "EISDIR" } }
  } catch (error) {
    return systemCode(error) === "ENOENT" ? { _tag: "Missing" } : { _tag: "Unusable", error }
  }
}

/** A file of the store, and what lies in its place in the tree. */
export interface Compared {
  readonly file: FileWithOutput
  readonly path: string
  readonly found: Found
}

export type Verdict =
  /** `output` is what the store should have recorded. Absent: it is not known. */
  | { readonly _tag: "Agrees"; readonly output?: FileOutput | undefined }
  /** The transcript is missing or out of date. `mode` is that of the file which it replaces. */
  | { readonly _tag: "Write"; readonly mode: number | undefined }
  /** A person has changed the transcript, and it is kept. */
  | { readonly _tag: "Changed" }
  /** The audio is in an earlier folder of the run. */
  | { readonly _tag: "Copy"; readonly from: string }
  /** The audio is in no folder. */
  | { readonly _tag: "Gone" }

/** Whether the size of a file does not say that it is the one that was written. */
const mayDiffer = ({ createdAt, everything }: Tree, { others }: FileWithOutput, found: FoundFile): boolean =>
  everything || others.length > 0 || found.modifiedMillis < createdAt

/** Whether the size alone says that the file agrees. */
export const agreesBySize = (tree: Tree, { file, found }: Compared): boolean =>
  tree.isOwnFormat && found._tag === "File" && found.size === file.output?.size && !mayDiffer(tree, file, found)

const digestAt = (path: string) => Effect.mapError(digestOfFile(path), (error) => outputUnreadable(path, error))

const hasDigest = (path: string, digest: string) => Effect.map(digestAt(path), (found) => found === digest)

// --- Transcripts ---

/** What was written for an earlier recording of this path, or before the run, is no change by a person. */
const isStale = ({ createdAt }: Tree, { others }: FileWithOutput, path: string, found: FoundFile) =>
  found.size === 0 || found.modifiedMillis < createdAt || others.includes("?")
    ? Effect.succeed(true)
    : others.length === 0
      ? Effect.succeed(false)
      : Effect.map(digestAt(path), (digest) => others.includes(digest))

export const compareTranscript = (
  tree: Tree,
  { file, found, path }: Compared
): Effect.Effect<Verdict, ArchiveOutputFailed> =>
  Effect.gen(function* () {
    if (found._tag !== "File") return { _tag: "Write", mode: undefined }
    const expected = (tree.isOwnFormat ? file.output : undefined) ?? outputOf(yield* transcriptOf(tree.output, file))
    const agrees =
      found.size === expected.size && (!mayDiffer(tree, file, found) || (yield* hasDigest(path, expected.digest)))
    if (agrees) return { _tag: "Agrees", output: expected }
    return tree.everything || (yield* isStale(tree, file, path, found))
      ? { _tag: "Write", mode: found.mode }
      : { _tag: "Changed" }
  })

// --- Audio ---

const decodeSynthesis = Schema.decodeUnknownOption(SynthesisResult)

/** Whether this is the audio that was written. What an earlier version wrote has no digest: it must have all samples. */
const isAudio = (tree: Tree, { file, found, path }: Compared, byContent = false) =>
  Effect.gen(function* () {
    if (found._tag === "Unusable") return yield* outputUnreadable(path, found.error)
    if (found._tag === "Missing" || found.size === 0) return false
    if (file.output === undefined) {
      const result = decodeSynthesis(file.result)
      return result._tag === "None" || found.size >= result.value.bytes
    }
    if (found.size !== file.output.size) return false
    return byContent || mayDiffer(tree, file, found) ? yield* hasDigest(path, file.output.digest) : true
  })

export const compareAudio = (tree: Tree, compared: Compared): Effect.Effect<Verdict, ArchiveOutputFailed> =>
  Effect.gen(function* () {
    if (yield* isAudio(tree, compared)) return { _tag: "Agrees" }
    for (const directory of tree.otherFolders) {
      const path = pathOf({ ...tree.output, directory }, compared.file.path)
      const found = yield* Effect.promise(() => find(path))
      if (found._tag === "File" && (yield* isAudio(tree, { ...compared, found, path }, true))) {
        return { _tag: "Copy", from: path }
      }
    }
    return { _tag: "Gone" }
  })

/** What the store should record of audio that is there. `undefined`: it is recorded, or it is that of an export. */
export const outputOfAudio = ({ isOwn }: Tree, { file, path }: Compared) =>
  !isOwn || file.output !== undefined
    ? Effect.succeed(undefined)
    : Effect.mapError(outputOfFile(path), (error) => outputUnreadable(path, error))
