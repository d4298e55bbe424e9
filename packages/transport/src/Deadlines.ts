/**
 * How long each phase of a call may take. The phases cover the whole call, its body included. Connecting belongs to
 * the HttpClient layer: its time counts to the upload of a recording, and to the answer to a text.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

export const Phase = Schema.Literal("upload", "answer", "download", "total")
export type Phase = typeof Phase.Type

export interface Deadlines {
  /** The longest pause while the request is being sent. Default: 60 seconds. */
  readonly uploadIdle?: Duration.DurationInput | undefined
  /** From the last byte of the request to the head of the answer. The default is the operation's. */
  readonly answer?: Duration.DurationInput | undefined
  /** The longest pause while the answer's body is read. Default: 60 seconds. */
  readonly downloadIdle?: Duration.DurationInput | undefined
  /** From the start of the call to the last byte of the answer. Default: none. */
  readonly total?: Duration.DurationInput | undefined
}

/** The same in milliseconds, with the defaults filled in. */
export interface ResolvedDeadlines {
  readonly uploadIdle: number
  readonly answer: number
  readonly downloadIdle: number
  readonly total: number
}

export const resolve = (given: Deadlines, answer: Duration.DurationInput): ResolvedDeadlines => ({
  uploadIdle: Duration.toMillis(given.uploadIdle ?? "60 seconds"),
  answer: Duration.toMillis(given.answer ?? answer),
  downloadIdle: Duration.toMillis(given.downloadIdle ?? "60 seconds"),
  total: given.total === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(given.total)
})
