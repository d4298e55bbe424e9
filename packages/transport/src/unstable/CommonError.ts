/**
 * Definitions of the errors that all operations share. Each operation gives them its own tags.
 */
import * as Schema from "effect/Schema"
import { type CallReport, Sent } from "../CallReport.js"
import { Phase } from "../Deadlines.js"
import { ConnectionReason, type Retry } from "../ServiceError.js"
import type { Definition } from "./ErrorDefinition.js"
import { isRefusal } from "./Report.js"

const invalidRequestFields = {
  /** Name of the field, as the caller writes it. */
  field: Schema.String,
  /** The rule that the field breaks: the words after its name in a sentence. */
  problem: Schema.String
}

/**
 * The request breaks a rule that is checked before sending.
 *
 * @since 0.1.0
 * @category constructors
 */
export const invalidRequest: Definition<typeof invalidRequestFields, "request"> = {
  category: "request",
  httpStatus: 400,
  fields: invalidRequestFields,
  defaults: { field: "request", problem: "is not valid" },
  retry: "never",
  message: ({ field, problem }) => `Nothing was sent: ${field} ${problem}.`
}

const invalidApiKeyFields = { problem: Schema.String }

/**
 * How the problem of a key begins that could not be read.
 *
 * @since 0.1.0
 * @category constants
 */
export const keyNotRead = "reading it failed"

/**
 * The key can't be read, or does not have the form `<prefix>.<secret>`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const invalidApiKey: Definition<typeof invalidApiKeyFields, "account"> = {
  category: "account",
  httpStatus: 500,
  fields: invalidApiKeyFields,
  defaults: { problem: "it is empty" },
  retry: "never",
  message: ({ call, problem }) =>
    `${
      call.attempts.length === 0
        ? "Nothing was sent, because of the API key"
        : "The service refused the API key, and no new key is available"
    }: ${problem}. ${
      problem.startsWith(keyNotRead)
        ? "Check what reads it, the option apiKey."
        : "Use the whole <prefix>.<secret> value that the platform showed when the key was created."
    }`
}

const connectionFailedFields = {
  reason: ConnectionReason,
  /** How much of the request left this process. */
  sent: Sent,
  /** The system's code, such as `ECONNREFUSED`. */
  code: Schema.optional(Schema.String)
}

const reasonWords: Record<ConnectionReason, string> = {
  refused: "nothing listens at the address, or there is no route to it",
  notFound: "the host name is unknown",
  proxy: "the proxy did not open it",
  tls: "the secure connection failed",
  reset: "it was closed before the response",
  timeout: "it timed out",
  cut: "the response was cut off",
  informational: "the service sent 100 Continue without being asked to, which this HttpClient can't read",
  closed: "the HttpClient was closed together with its layer",
  tooManyOpenFiles: "the process has too many open files",
  unknown: "the cause is unknown"
}

const readsInformational = "Use the HttpClient of NodeTransport.layer or NodeHttpClient.layer, which ignore it."

const checkCertificate =
  "Check the certificate of the service, and whether the base URL must begin with https:// or http://."

const checkProxy = "Check the proxy that HTTPS_PROXY or HTTP_PROXY names, or add the host of the service to NO_PROXY."

const keepOpen = "Keep the layer open until all calls have ended, such as in a ManagedRuntime."

const isFinal: ReadonlySet<ConnectionReason> = new Set(["tls", "closed", "cut", "informational"])

/**
 * There was no response, or only a part of one. `afterAll` is the advice if the whole request was sent.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connectionFailed = (afterAll: string): Definition<typeof connectionFailedFields, "connection"> => ({
  category: "connection",
  httpStatus: 502,
  fields: connectionFailedFields,
  defaults: { reason: "refused", sent: "nothing" },
  // A retry does not help with a bad certificate, a closed client, one that can't read the service, or a proxy that refuses. A
  // cut response had already begun.
  retry: ({ code, reason, sent }) =>
    isFinal.has(reason) || (reason === "proxy" && /^(4|ERR_)/.test(code ?? ""))
      ? "never"
      : sent === "all"
        ? "ambiguous"
        : "transient",
  message: ({ code, reason, sent }) =>
    `The connection to the service failed: ${reasonWords[reason]}${code === undefined ? "" : ` (${code})`}. ${
      reason === "tooManyOpenFiles"
        ? "Make fewer calls at once by the option concurrency, or raise the limit of open files (ulimit -n)."
        : reason === "proxy"
          ? checkProxy
          : reason === "tls"
            ? checkCertificate
            : reason === "informational"
              ? `${readsInformational}${sent === "all" ? ` ${afterAll}` : ""}`
              : reason === "closed"
                ? `${keepOpen}${sent === "all" ? ` ${afterAll}` : ""}`
                : sent === "all"
                  ? afterAll
                  : "Check the base URL and the network, and try again."
    }`
})

const deadlineExceededFields = { phase: Phase, limitMillis: Schema.Finite }

const optionOf = { upload: "uploadIdle", answer: "answer", download: "downloadIdle", total: "total" } as const

/**
 * A phase exceeded its deadline. `advice` is what the caller can do instead of raising that of the response or the call.
 *
 * @since 0.1.0
 * @category constructors
 */
export const deadlineExceeded = (advice: string): Definition<typeof deadlineExceededFields, "connection"> => ({
  category: "connection",
  httpStatus: 504,
  fields: deadlineExceededFields,
  defaults: { phase: "answer", limitMillis: 600_000 },
  retry: "never",
  message: ({ call, limitMillis, phase }) => {
    if (call.queuedMillis !== undefined && call.attempts.length === 0)
      return `The call waited for other calls until its total deadline of ${limitMillis} ms, so nothing was sent. Start fewer calls at once, or raise concurrency or deadlines.total.`
    const exceeded = `The call exceeded its ${phase} deadline of ${limitMillis} ms`
    const option = `deadlines.${optionOf[phase]}`
    switch (phase) {
      case "upload":
        return `${exceeded}: nothing could be sent in that time. Check the network and what reads the recording, or raise ${option}.`
      case "download":
        return `${exceeded}: nothing arrived in that time. Check the network, or raise ${option}.`
      default:
        return `${exceeded}. ${advice} If the service was still working, raise ${option}.`
    }
  }
})

/**
 * A sentence that quotes the service, with a leading space. Empty if there are no words to quote.
 *
 * @since 0.1.0
 * @category combinators
 */
export const quoteService = (...words: ReadonlyArray<string | undefined>): string => {
  const given = words.filter((part) => part !== undefined && part !== "")
  return given.length === 0 ? "" : ` The service says: ${given.join(": ").replace(/[.!?]?$/, (end) => end || ".")}`
}

/**
 * Statuses that a gateway in front of the service sends if it can't reach the service or gets no response from it: 502, 503
 * and 504 (RFC 9110), Cloudflare's 520 to 527 and 530, and 529, 598 and 599, which no standard defines.
 */
const isGatewayStatus = (status: number): boolean =>
  (status >= 502 && status <= 504) || (status >= 520 && status <= 527) || [529, 530, 598, 599].includes(status)

/**
 * Whether a status that the contract does not define may be gone at the next attempt. Unless it says that the gateway has
 * not reached the service, it is as ambiguous as a lost response: the service may have carried out the request.
 *
 * @since 0.1.0
 * @category combinators
 */
export const retryOfUnexpectedStatus = (status: number): Retry => {
  if (status !== 429 && !isGatewayStatus(status)) return "never"
  return isRefusal(status) ? "overload" : "ambiguous"
}

/**
 * The words for an attempt that may be billed although it failed. The documents use them too.
 *
 * @since 0.1.0
 * @category constants
 */
export const mayBeBilled = "Each attempt may be billed"

/**
 * The sentence about the bill of a call that ended with a 200 whose result can't be used.
 *
 * @since 0.1.0
 * @category combinators
 */
export const billOfUnusable = ({ billing }: Pick<CallReport, "billing">): string =>
  billing === "billed" ? "The call was billed." : "The call may have been billed."

/**
 * The message for a 200 whose body is not a `result`, such as a transcription. `isCut`: its beginning shows that the base URL is right.
 *
 * @since 0.1.0
 * @category constructors
 */
export const invalidResponse = (
  { call, problem }: { readonly call: CallReport; readonly problem: string },
  { host, isCut, result }: { readonly result: string; readonly host: string; readonly isCut: boolean }
): string =>
  `The service answered 200 with something other than ${result}: ${problem}. ${billOfUnusable(call)} ${
    isCut
      ? "Look for what ends the response early, such as a proxy. A second call may be billed too."
      : `Check that the base URL is that of the ${host} host.`
  }`

/**
 * The message for a status that the contract does not define. `words` is the result of {@link quoteService}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unexpectedStatus = (status: number, host: string, words: string): string => {
  if (status === 429) return `The service received too many requests (429).${words} Send fewer at once, or wait.`
  if (status === 413)
    return `The request is too large for the service or a gateway in front of it (413).${words} Send less.`
  if (isGatewayStatus(status))
    return isRefusal(status)
      ? `A gateway in front of the service returned ${status}: the service is down or overloaded.${words} Try again later.`
      : `A gateway in front of the service returned ${status}: it got no response from the service, which may have carried out the request.${words} ${mayBeBilled}: send it again only if a second bill is acceptable.`
  return `The service sent status ${status}, which its contract does not define.${words} Check that the base URL is that of the ${host} host; redirects are not followed.`
}
