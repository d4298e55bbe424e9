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
 * `txt`, `json`, `srt` or `vtt` for a transcription; `wav` for a synthesis.
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
 * Where the results are written.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Output = Schema.Struct({
  /** The folder with `results.jsonl`, and a tree that mirrors the source. */
  directory: Schema.String,
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
 * @since 0.1.0
 * @category models
 */
export class Segment extends structural(
  Schema.Class<Segment>("@effect-speech/archive/Segment")({
    startMillis: Schema.propertySignature(Schema.Number).pipe(Schema.fromKey("start")),
    endMillis: Schema.propertySignature(Schema.Number).pipe(Schema.fromKey("end")),
    text: Schema.String,
    /** From 0 to 1, if the service states it. */
    confidence: Schema.optional(Schema.Number)
  })
) {}

const Warnings = Schema.Array(Schema.String)

/**
 * The recorded result of a transcription.
 *
 * @since 0.1.0
 * @category models
 */
export class TranscriptionResult extends structural(
  Schema.Class<TranscriptionResult>("@effect-speech/archive/TranscriptionResult")({
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
 * @since 0.1.0
 * @category models
 */
export class SynthesisResult extends structural(
  Schema.Class<SynthesisResult>("@effect-speech/archive/SynthesisResult")({
    durationMillis: Schema.Number,
    /** In Hz. */
    sampleRate: Schema.Number,
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
 * @throws RangeError if the path leads out of the folder. No source gives such a path.
 * @since 0.1.0
 * @category getters
 */
export const pathOf = ({ directory, format }: Output, path: string): string => {
  const problem = pathProblem(path)
  if (problem !== undefined) throw new RangeError(`The path ${problem}.`)
  const parts = path.split("/")
  return join(directory, ...parts.map((part, index) => nameOf(part, index === parts.length - 1 ? `.${format}` : "")))
}
