/**
 * The errors that every operation has, defined once: an operation gives them its own tags.
 */
import * as Schema from "effect/Schema"
import { Sent } from "./CallReport.js"
import { Phase } from "./Deadlines.js"
import { ConnectionReason } from "./Failure.js"
import type { Definition } from "./ServiceError.js"

const invalidRequestFields = {
  /** The field of the request, as the caller writes it. */
  field: Schema.String,
  /** The rule it breaks. */
  problem: Schema.String
}

/** The request breaks a rule that is known before it is sent. */
export const invalidRequest: Definition<typeof invalidRequestFields> = {
  fields: invalidRequestFields,
  defaults: { field: "request", problem: "is not valid" },
  retry: "never",
  message: ({ field, problem }) => `Nothing was sent: ${field} ${problem}.`
}

const invalidApiKeyFields = { problem: Schema.String }

/** The key can't be read, or is not of the form `<prefix>.<secret>`. */
export const invalidApiKey: Definition<typeof invalidApiKeyFields> = {
  fields: invalidApiKeyFields,
  defaults: { problem: "it is empty" },
  retry: "never",
  message: ({ call, problem }) =>
    `${
      call.attempts.length === 0
        ? "Nothing was sent, because of the API key"
        : "The service refused the API key, and there is no new one to send"
    }: ${problem}. It is to be the whole <prefix>.<secret> value, as the platform showed it when the key was created.`
}

const connectionFailedFields = {
  reason: ConnectionReason,
  /** How much of the request had left this process. */
  sent: Sent,
  /** The system's code, such as `ECONNREFUSED`. */
  code: Schema.optional(Schema.String)
}

const reasonWords: Record<ConnectionReason, string> = {
  refused: "nothing listens at the address, or no route leads there",
  notFound: "the host name is not known",
  tls: "no secure connection could be made",
  reset: "it was closed before an answer came",
  timeout: "the network gave up",
  cut: "the answer ended before its end",
  closed: "its client was closed, with the layer that it came from",
  unknown: "it is not known why"
}

/** No answer, or only a part of one. `afterAll` says what that means once the request had been sent whole. */
export const connectionFailed = (afterAll: string): Definition<typeof connectionFailedFields> => ({
  fields: connectionFailedFields,
  defaults: { reason: "refused", sent: "nothing" },
  // A certificate does not mend itself, a closed client opens no more, and what is cut short had begun to be answered.
  retry: ({ reason, sent }) =>
    reason === "tls" || reason === "closed" || reason === "cut" ? "never" : sent === "all" ? "ambiguous" : "transient",
  message: ({ code, reason, sent }) =>
    `The connection to the service failed: ${reasonWords[reason]}${code === undefined ? "" : ` (${code})`}. ${
      sent === "all" ? afterAll : "Check the base URL and the network, and try again."
    }`
})

const deadlineExceededFields = { phase: Phase, limitMillis: Schema.Number }

const optionOf = { upload: "uploadIdle", answer: "answer", download: "downloadIdle", total: "total" } as const

/** A phase of the call took longer than it may. `advice` says what else to do than to raise the deadline. */
export const deadlineExceeded = (advice: string): Definition<typeof deadlineExceededFields> => ({
  fields: deadlineExceededFields,
  defaults: { phase: "answer", limitMillis: 600_000 },
  retry: "never",
  message: ({ limitMillis, phase }) =>
    `The ${phase} deadline of ${limitMillis} ms passed, and the call was ended. ${advice} If the service was still at work, raise deadlines.${optionOf[phase]}.`
})

/** A sentence that quotes the service, with a leading space. Empty if there are no words to quote. */
export const quoteService = (...words: ReadonlyArray<string | undefined>): string => {
  const given = words.filter((part) => part !== undefined && part !== "")
  return given.length === 0 ? "" : ` The service says: ${given.join(": ").replace(/[.!?]?$/, (end) => end || ".")}`
}

/** A status that the contract does not name. `host` is whose base URL may be wrong; `words` are those of the service. */
export const unexpectedStatus = (status: number, host: string, words: string): string =>
  status === 429
    ? `The service is asked too much at once (429).${words} Send less at once, or later.`
    : `The service answered ${status}, which is not in its contract.${words} Check that the base URL is the ${host} host's; redirects are not followed.`
