/**
 * What the local service was asked: the latest requests of both operations.
 */
import * as Schema from "effect/Schema"
import { OperationName } from "./OperationName.js"

export const JournalEntry = Schema.Struct({
  /** Counted from 1, since the start. */
  number: Schema.Int,
  /** When it arrived: ISO 8601, UTC. */
  at: Schema.String,
  operation: OperationName,
  /** Of the key that was accepted. */
  keyId: Schema.NullOr(Schema.String),
  /** The request id of a synthesis; the call id of a transcription. */
  id: Schema.NullOr(Schema.String),
  /**
   * The fields of a request that could be read, by their names on the wire, without the recording; those of a synthesis
   * with their defaults. One is cut at 1,000 characters, and told as text then.
   */
  request: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  /** Of the answer, where one was begun. */
  status: Schema.NullOr(Schema.Int),
  /** `faulted` is a failure that was asked for; `abandoned`, that the client went away. */
  outcome: Schema.Literal("underWay", "answered", "faulted", "abandoned"),
  /** From its head to the head of the answer, in milliseconds. */
  millis: Schema.NullOr(Schema.Number)
})
export type JournalEntry = typeof JournalEntry.Type
