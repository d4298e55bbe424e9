import { hash } from "node:crypto"
import * as Printable from "@effect-speech/common/Printable"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ArchiveSourceFailed } from "../../ArchiveError.js"
import { pathProblem } from "../pathProblem.js"
import { makePlaces, type Place } from "./places.js"
import type { SourceItem } from "./SourceItem.js"

const { additionalFields, g2pOverrides, lang, numStep, outputFormat, speed, voice } = SynthesisRequest.fields

/**
 * A text to synthesize. What it does not state comes from the operation.
 *
 * @example
 * ```ts
 * import { Source } from "@effect-speech/archive"
 *
 * export const text: Source.Text = { id: "menu/welcome", text: "Welcome.", lang: "en", speed: 0.9 }
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Text = Schema.Struct({
  /**
   * Names the text in its source, and the file of its audio. It may have folders: `menu/welcome`. Parts that are empty, `.` or
   * `..` are refused.
   */
  id: Schema.NonEmptyString,
  /** Of any length. */
  text: Schema.String,
  lang,
  voice,
  outputFormat,
  speed,
  numStep,
  g2pOverrides,
  additionalFields
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Text = typeof Text.Type

/** A line of a file, or an element of a stream. */
export interface Line {
  readonly value: unknown
  /** From 1. */
  readonly number: number
}

const decode = Schema.decodeUnknownEither(Schema.typeSchema(Text), { onExcessProperty: "error" })

/** Checks each line, and that no two have the same id. One whose audio would have the place of another's can't be called. */
export const textItems = <R>(
  lines: Stream.Stream<Line, ArchiveSourceFailed, R>,
  root: string,
  foldsCase: boolean
): Stream.Stream<SourceItem, ArchiveSourceFailed, R> =>
  Stream.suspend(() => {
    const placeOf = makePlaces(foldsCase)
    return Stream.mapChunksEffect(lines, (chunk) =>
      Effect.try({
        try: () => Chunk.map(chunk, (line) => itemOf(line, root, placeOf)),
        catch: (error) => error as ArchiveSourceFailed
      })
    )
  })

/** Throws an `ArchiveSourceFailed`. */
const itemOf = ({ number, value }: Line, root: string, placeOf: (id: string) => Place): SourceItem => {
  const refuse = (sentence: string): never => {
    throw new ArchiveSourceFailed({
      path: root,
      line: number,
      message: Printable.line(`Line ${number} of ${root} ${sentence}`)
    })
  }
  const decoded = decode(value)
  if (Either.isLeft(decoded)) {
    const { field, problem } = Issue.first(decoded.left.issue)
    const words = problem.startsWith("is not a known field")
      ? `is not a known field; use ${Object.keys(Text.fields).join(", ")}`
      : problem
    return refuse(`can't be used: ${field === "request" ? "it" : field} ${words}.`)
  }
  const { id, ...line } = decoded.right
  const problem = pathProblem(id)
  if (problem !== undefined) return refuse(`can't be used: id ${problem}.`)
  const place = placeOf(id)
  if (place === "same")
    return refuse(`has the id ${id}, which an earlier line has too. Give each line an id of its own.`)
  return {
    path: id,
    size: Buffer.byteLength(line.text),
    modifiedMillis: 0,
    content: contentOf(line),
    line,
    ...(place === "taken" && {
      problem: {
        tag: "ArchiveOutputFailed",
        message: Printable.line(
          `Line ${number} of ${root} has the id ${id}, and its audio would have the place of that of an earlier line. Nothing was sent. Give it another id, and run again.`
        )
      }
    })
  }
}

/** What makes a text another one. The order of the fields in a line does not matter. */
const contentOf = (line: Omit<Text, "id">): string => {
  const { additionalFields, g2pOverrides, lang, numStep, outputFormat, speed, text, voice } = line
  return hash(
    "sha256",
    JSON.stringify({
      text,
      lang,
      voice,
      outputFormat,
      speed,
      numStep,
      g2pOverrides: sorted(g2pOverrides),
      additionalFields: sorted(additionalFields)
    })
  )
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])])
  )
}
