import * as Printable from "@effect-speech/common/Printable"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ServiceError } from "../../ServiceError.js"
import type { Operation, Response } from "../../unstable/Operation.js"
import { fillBuffer, makeBoundedBuffer } from "../http/boundedBuffer.js"
import type { HttpResponse } from "../http/httpDriver.js"
import { withoutKey as removeKey } from "../redaction/withoutKey.js"
import type { Call } from "./call.js"

/** In bytes. */
const errorTextLimit = 64 * 1024
const errorTextMillis = 3_000

/** The response as its operation reads it: without any of `keys`, and with the errors of the operation. */
export const redactedResponse = <A, E extends ServiceError, Context, Reading extends E>(
  { header, pull, status }: HttpResponse,
  keys: ReadonlyArray<Redacted.Redacted>,
  { progress }: Call,
  operation: Operation<A, E, Context, Reading>
): Response<Reading> => {
  // One key may be a prefix of another.
  const longestFirst = keys.toSorted((one, other) => Redacted.value(other).length - Redacted.value(one).length)
  const withoutKey = (text: string) => longestFirst.reduce(removeKey, text)
  const redact = (text: string) => Printable.line(withoutKey(text))
  const response: Response<Reading> = {
    status,
    header: (name) => {
      const value = header(name.toLowerCase())
      if (value === undefined || value === "") return undefined
      // Every report has this id anyway, and a search for the key in all encodings costs more than the rest of the header.
      return value === operation.sentId ? value : redact(value)
    },
    pull: Effect.mapError(pull, (failure) => operation.failReading(failure, progress(), response)),
    errorText: Effect.suspend(() => Effect.map(firstBytes(pull), (bytes) => new TextDecoder().decode(bytes))),
    redact,
    withoutKey,
    progress
  }
  return response
}

/** The bytes that arrive within the limits. A failure of the body is ignored. */
const firstBytes = (pull: HttpResponse["pull"]): Effect.Effect<Uint8Array> => {
  const buffer = makeBoundedBuffer(errorTextLimit)
  const reading = Effect.timeoutOption(Effect.ignore(fillBuffer(buffer, pull)), errorTextMillis)
  return Effect.map(reading, () => buffer.read().bytes)
}
