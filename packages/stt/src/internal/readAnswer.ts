import { cooperatively, type Steps } from "@effect-speech/common/Cooperative"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import type { Response } from "@effect-speech/transport/unstable/Operation"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Contract from "../SttContract.js"
import { readJson } from "./readJson.js"

/** Reads the body of a 200, without the key, in case the service quotes it. The left side says what is wrong with it. */
export const readAnswer = <E>({
  pull,
  withoutKey
}: Response<E>): Effect.Effect<Either.Either<Contract.Answer, string>, E> =>
  Effect.flatMap(readJson(pull, withoutKey), (json) => {
    if (Either.isLeft(json)) return Effect.succeed(Either.left(json.left))
    if (!Predicate.isRecord(json.right)) return Effect.succeed(Either.left("it is not a JSON object of that form"))
    const body = Either.mapLeft(decodeBody(outlineOf(json.right)), fieldProblem)
    if (Either.isLeft(body) || body.right.status === "error" || body.right.aux_info === undefined) {
      return Effect.succeed(body)
    }
    const { right } = body
    return Effect.map(wholeAuxInfo(json.right.aux_info, body.right.aux_info), (auxInfo) =>
      Either.right({ ...right, aux_info: auxInfo })
    )
  })

const decodeBody = Schema.decodeUnknownEither(Contract.Answer, { errors: "all" })

const auxScalars = ["request_time", "received_request_time", "confidence"] as const

/**
 * The fields that the contract names, without the content of the others. For a large `aux_info` the schema would take minutes
 * and copy it, and an error would quote a large field.
 */
const outlineOf = (json: Record<string, unknown>): Record<string, unknown> => {
  const outline = fieldsOf(json, ["status", "text", "call_id", "error", "message"])
  // The schema compares strings, and no valid status is longer.
  if (typeof outline.status === "string") outline.status = outline.status.slice(0, 32)
  if (Predicate.isRecord(json.aux_info)) outline.aux_info = fieldsOf(json.aux_info, auxScalars)
  return outline
}

const fieldsOf = (json: Record<string, unknown>, names: ReadonlyArray<string>): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  for (const name of names) {
    const value = json[name]
    if (value !== undefined) fields[name] = Predicate.isObject(value) ? {} : value
  }
  return fields
}

/** Names the invalid fields without their values, since a value may be a transcript. */
const fieldProblem = (error: ParseResult.ParseError): string => {
  const fields = Issue.fields(error.issue)
  return fields.length === 0
    ? "it is not a JSON object of that form"
    : `${fields.join(", ")} ${fields.length === 1 ? "is" : "are"} missing or of another type`
}

/**
 * `auxInfo` as it was received, with `undefined` for each known field of an unexpected type. It is changed in place: a copy of
 * a large one would double the memory.
 */
const wholeAuxInfo = (auxInfo: unknown, known: Contract.AuxInfo): Effect.Effect<Contract.AuxInfo> =>
  Effect.gen(function* () {
    const whole = auxInfo as Record<string, unknown>
    for (const name of auxScalars) if (Object.hasOwn(whole, name)) whole[name] = known[name]
    if (Object.hasOwn(whole, "segments_meta") && !(yield* cooperatively(clearSegments(whole.segments_meta)))) {
      whole.segments_meta = undefined
    }
    return whole
  })

/** Segments that are looked at in one step. */
const stepLength = 10_000

/** Clears each confidence that is not a finite number: JSON may state 1e999. Returns whether the value is an array of objects. */
function* clearSegments(segments: unknown): Steps<boolean> {
  if (!Array.isArray(segments)) return false
  for (let at = 0; at < segments.length; at += stepLength) {
    if (!segments.slice(at, at + stepLength).every(clearSegment)) return false
    yield
  }
  return true
}

const clearSegment = (segment: unknown): boolean => {
  if (!Predicate.isRecord(segment)) return false
  if (segment.confidence !== undefined && !Number.isFinite(segment.confidence)) segment.confidence = undefined
  return true
}
