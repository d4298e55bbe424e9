import { withoutLink } from "@effect-speech/common/ErrorPage"
import type { RecogniserFailed } from "../../Recogniser.js"
import type { VoiceFailed } from "../../Voice.js"
import type { Problem } from "../http/problems.js"

/** A time for an engine that states none, in milliseconds. */
const defaultRetryAfterMillis = 1000

const verbs = { Overloaded: "is overloaded", Unavailable: "is unavailable", Failed: "failed" }

/** The response to a failure of the recogniser. Another attempt at what `Failed` would fail too. */
export const recogniserProblem = (failure: RecogniserFailed): Problem =>
  problemOf(failure, "the recogniser", failure.reason === "Failed" ? 500 : 503)

/** The response to a failure of the voice. */
export const voiceProblem = (failure: VoiceFailed): Problem => problemOf(failure, "the synthesis backend", 502)

const problemOf = (
  { message, reason, retryAfterMillis = defaultRetryAfterMillis }: RecogniserFailed | VoiceFailed,
  subject: string,
  status: number
): Problem => ({
  status,
  message: `${subject} ${verbs[reason]}: ${withoutLink(message)}`,
  headers: reason === "Failed" ? undefined : { "Retry-After": String(Math.max(1, Math.ceil(retryAfterMillis / 1000))) }
})
