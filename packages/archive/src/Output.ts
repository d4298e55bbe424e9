/**
 * The files of a run: `results.jsonl`, and a tree that mirrors the source, with the result of `a/b.wav` in `a/b.wav.txt`. Each file
 * appears whole or not at all.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { structural } from "@effect-speech/common/Structural"
import * as Schema from "effect/Schema"
import { pathProblem } from "./internal/pathProblem.js"

/**
 * The format of the results: `txt`, `json`, `srt` or `vtt` for a transcription; `wav` for a synthesis.
 *
 * @example
 * ```ts
 * import { Archive, Output, type Run } from "@effect-speech/archive"
 * import { Effect } from "effect"
 *
 * const format: Output.Format = "srt"
 * export const subtitles = (id: Run.RunId) =>
 *   Effect.flatMap(Archive, (archive) => archive.export(id, { directory: "subtitles", format }))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Format = Schema.Literal("txt", "json", "srt", "vtt", "wav")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Format = typeof Format.Type

/**
 * Where the results are written, and in which format.
 *
 * @example
 * ```ts
 * import { Output } from "@effect-speech/archive"
 *
 * export const output: Output.Output = { directory: "transcripts", format: "txt" }
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Output = Schema.Struct({
  /** The folder with `results.jsonl`, and a tree that mirrors the source. */
  directory: Schema.String,
  /** The format of each file of the tree. */
  format: Format
})
/**
 * @since 0.1.0
 * @category schemas
 */
export interface Output extends Schema.Schema.Type<typeof Output> {}

/**
 * A part of a transcript and its times. Encoded, they are `start` and `end`.
 *
 * @example
 * ```ts
 * import { Output } from "@effect-speech/archive"
 *
 * export const line = ({ startMillis, text }: Output.Segment) => `${startMillis / 1000} s: ${text}`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Segment extends structural(
  Schema.Class<Segment>("@effect-speech/archive/Segment")({
    /** In milliseconds from the beginning of the recording. */
    startMillis: Schema.propertySignature(Schema.Number).pipe(Schema.fromKey("start")),
    /** In milliseconds from the beginning of the recording. */
    endMillis: Schema.propertySignature(Schema.Number).pipe(Schema.fromKey("end")),
    /** Its words. */
    text: Schema.String,
    /** From 0 to 1, if the service states it. */
    confidence: Schema.optional(Schema.Number)
  })
) {}

const Warnings = Schema.Array(Schema.String)

/**
 * The recorded result of a transcription.
 *
 * @example
 * ```ts
 * import { Output } from "@effect-speech/archive"
 *
 * export const isEmpty = ({ warnings }: Output.TranscriptionResult) => warnings.includes("NothingRecognised")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class TranscriptionResult extends structural(
  Schema.Class<TranscriptionResult>("@effect-speech/archive/TranscriptionResult")({
    /** The transcript. */
    text: Schema.String,
    /** Absent if the recording does not state it. */
    durationMillis: Schema.optional(Schema.Number),
    /** From 0 to 1, if the service states it. */
    confidence: Schema.optional(Schema.Number),
    /** Empty if the service states no times. */
    segments: Schema.Array(Segment),
    /** The tags of the warnings. */
    warnings: Warnings
  })
) {}

/**
 * The recorded result of a synthesis. Its audio is in the `.wav` file alone.
 *
 * @example
 * ```ts
 * import { Output } from "@effect-speech/archive"
 *
 * export const seconds = ({ durationMillis }: Output.SynthesisResult) => durationMillis / 1000
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class SynthesisResult extends structural(
  Schema.Class<SynthesisResult>("@effect-speech/archive/SynthesisResult")({
    /** How long the audio is. */
    durationMillis: Schema.Number,
    /** In Hz. */
    sampleRate: Schema.Number,
    /** Of the samples: `pcm16` or `float32`. */
    encoding: Schema.String,
    /** Size of the samples. */
    bytes: Schema.Number,
    /** The tags of the warnings. */
    warnings: Warnings
  })
) {}

/**
 * A recorded result that is neither, such as one of another version or of another program. The other records of the run are read.
 *
 * @example
 * ```ts
 * import { Output, type Run } from "@effect-speech/archive"
 *
 * export const isReadable = ({ result }: Run.DoneFile) => !(result instanceof Output.UnreadableResult)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class UnreadableResult extends structural(
  Schema.Class<UnreadableResult>("@effect-speech/archive/UnreadableResult")({
    /** The JSON value that is stored. */
    stored: Schema.Unknown
  })
) {}

/** Of a name on most file systems, in bytes. */
const longestName = 255

/** The name with its ending. If it is too long for a file system, its end becomes a digest of it. */
const nameOf = (name: string, ending: string): string => {
  const whole = name + ending
  if (Buffer.byteLength(whole) <= longestName) return whole
  const digest = `~${createHash("sha256").update(name).digest("hex").slice(0, 16)}${ending}`
  let beginning = ""
  let left = longestName - Buffer.byteLength(digest)
  for (const character of name) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    beginning += character
  }
  return beginning + digest
}

/**
 * The path of the result of a file. The ending is added to the whole name, so that `a.wav` and `a.mp3` have different results. A
 * name that would be longer than 255 bytes is shortened, and ends with a digest of itself.
 *
 * Throws a `RangeError` if the path leads out of the folder. No source gives such a path.
 *
 * @example
 * ```ts
 * import { Output } from "@effect-speech/archive"
 *
 * export const path = Output.pathOf({ directory: "transcripts", format: "txt" }, "2026/call-17.wav")
 * // "transcripts/2026/call-17.wav.txt"
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const pathOf = ({ directory, format }: Output, path: string): string => {
  const problem = pathProblem(path)
  if (problem !== undefined) throw new RangeError(`The path ${problem}.`)
  const parts = path.split("/")
  return join(directory, ...parts.map((part, index) => nameOf(part, index === parts.length - 1 ? `.${format}` : "")))
}
