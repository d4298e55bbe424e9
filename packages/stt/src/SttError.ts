/**
 * The errors of a transcription: one class for each status of the contract, and one for each other way to get no
 * transcript.
 */

import {
  connectionFailed,
  deadlineExceeded,
  invalidApiKey,
  invalidRequest,
  mayBeBilled,
  quoteService,
  retryOfUnexpectedStatus,
  unexpectedStatus
} from "@effect-speech/transport/unstable/CommonError"
import { define } from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Schema from "effect/Schema"

/** What the service says about the failure, if its response says anything. */
const serviceMessage = {
  /** The summary. */
  serverError: Schema.optional(Schema.String),
  /** The details. */
  serverMessage: Schema.optional(Schema.String)
}

/** A response with a status other than 200. */
const statusFields = { status: Schema.Finite, ...serviceMessage }

const quote = ({ serverError, serverMessage }: Schema.Struct.Type<typeof serviceMessage>) =>
  quoteService(serverError, serverMessage)

/**
 * The request breaks a rule that the client checks. Nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttInvalidRequest extends define<SttInvalidRequest>()("SttInvalidRequest", invalidRequest) {}

/**
 * The key can't be read, or does not have the form `<prefix>.<secret>`. The client reads the key when the layer is
 * built (nothing was sent then), and again after a 401.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttInvalidApiKey extends define<SttInvalidApiKey>()("SttInvalidApiKey", invalidApiKey) {}

const audioHints = {
  sendAsStream: "Read it as a stream, and send the stream.",
  omitTelephony: "To send it as it is, leave telephony out."
} as const

/**
 * What you can do about a recording that can't be sent.
 *
 * | value           | means |
 * | --------------- | ----- |
 * | `sendAsStream`  | read it as a stream, and send that by `AudioSource.fromOneShotStream` |
 * | `omitTelephony` | send it without the option `telephony` |
 *
 * @since 0.1.0
 * @category schemas
 */
export const AudioHint = Schema.Literal("sendAsStream", "omitTelephony")
/**
 * @since 0.1.0
 * @category schemas
 */
export type AudioHint = typeof AudioHint.Type

/**
 * The recording can't be sent. It is missing, empty or unreadable, it changed while it was read, it is a one-shot
 * stream that was read before, or `telephony` can't convert it.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttAudioUnreadable extends define<SttAudioUnreadable>()("SttAudioUnreadable", {
  category: "recording",
  httpStatus: 422,
  fields: {
    /** The path, or the filename of the source. */
    source: Schema.String,
    /** What is wrong with it. */
    problem: Schema.String,
    /** What you can do, if it is known. */
    hint: Schema.optional(AudioHint),
    /** The system's code, if one caused it, such as `ENOENT`. */
    code: Schema.optional(Schema.String)
  },
  defaults: { source: "audio", problem: "it does not exist" },
  retry: "never",
  message: ({ hint, problem, source }) =>
    `The recording ${source} can't be sent: ${problem}.${hint === undefined ? "" : ` ${audioHints[hint]}`}`
}) {}

/**
 * 400: the request is malformed, the transaction id is not a UUID, or the model is unknown.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttBadRequest extends define<SttBadRequest>()("SttBadRequest", {
  category: "request",
  httpStatus: 400,
  fields: statusFields,
  defaults: { status: 400 },
  retry: "never",
  message: (facts) =>
    `The service refused the request (400).${quote(facts) || " It gives no reason; check the name of the model."} Correct the request and send it again.`
}) {}

/**
 * 401: the key is missing, malformed, unknown or revoked.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttUnauthorized extends define<SttUnauthorized>()("SttUnauthorized", {
  category: "account",
  httpStatus: 500,
  fields: statusFields,
  defaults: { status: 401 },
  retry: "otherKey",
  message: (facts) =>
    `The service did not accept the API key (401).${quote(facts)} A new key revokes the old one at once: check that you use the newest key.`
}) {}

/**
 * 402: the credit balance is exhausted.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttCreditExhausted extends define<SttCreditExhausted>()("SttCreditExhausted", {
  category: "account",
  httpStatus: 503,
  fields: statusFields,
  defaults: { status: 402 },
  retry: "never",
  message: (facts) => `The account is out of credit (402).${quote(facts)} Top it up; until then every call fails.`
}) {}

/**
 * 403: the account is suspended, closed or inactive, or the key lacks the scope.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttForbidden extends define<SttForbidden>()("SttForbidden", {
  category: "account",
  httpStatus: 500,
  fields: statusFields,
  defaults: { status: 403 },
  retry: "never",
  message: (facts) =>
    `The account or the key may not transcribe (403).${quote(facts)} Check that the account is active, and check the scopes of the key.`
}) {}

/**
 * 500: the service failed. It is retried, and each attempt may be billed: the contract does not say when a transcription is
 * billed.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttServerError extends define<SttServerError>()("SttServerError", {
  category: "service",
  httpStatus: 502,
  fields: statusFields,
  defaults: { status: 500 },
  retry: "transient",
  message: (facts) =>
    `The service failed (500).${quote(facts)} ${mayBeBilled}: the contract does not say. Try again later. If it keeps failing, report the transaction id${facts.call.sentId === "" ? "" : ` ${facts.call.sentId}`} to the service.`
}) {}

/**
 * 503: the service is unavailable or overloaded.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttUnavailable extends define<SttUnavailable>()("SttUnavailable", {
  category: "service",
  httpStatus: 503,
  fields: statusFields,
  defaults: { status: 503 },
  retry: "overload",
  message: (facts) =>
    `The service is unavailable or overloaded (503).${quote(facts)} Try again later, with fewer calls at once.`
}) {}

/**
 * A status that is not in the contract, such as a redirect, or the 504 of a gateway in front of the service.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttUnexpectedStatus extends define<SttUnexpectedStatus>()("SttUnexpectedStatus", {
  category: "service",
  httpStatus: 502,
  fields: statusFields,
  defaults: { status: 418 },
  retry: ({ status }) => retryOfUnexpectedStatus(status),
  message: (facts) => unexpectedStatus(facts.status, "transcription", quote(facts))
}) {}

/**
 * The connection failed before the response was complete.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttConnectionFailed extends define<SttConnectionFailed>()(
  "SttConnectionFailed",
  connectionFailed("The recording was sent completely, so the service may have transcribed and billed it.")
) {}

/**
 * A phase of the call exceeded its deadline.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttDeadlineExceeded extends define<SttDeadlineExceeded>()(
  "SttDeadlineExceeded",
  deadlineExceeded("A long recording needs more time.")
) {}

/**
 * A 200 whose body is not a transcription.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttInvalidResponse extends define<SttInvalidResponse>()("SttInvalidResponse", {
  category: "service",
  httpStatus: 502,
  fields: {
    /** What is wrong with the body. It names fields, and never quotes them. */
    problem: Schema.String
  },
  defaults: { problem: "it is not JSON" },
  retry: "never",
  message: ({ problem }) =>
    `The service answered 200 with something other than a transcription: ${problem}. Check that the base URL is that of the transcription host.`
}) {}

/**
 * A 200 whose `status` is `error`.
 *
 * @since 0.1.0
 * @category errors
 */
export class SttTranscriptionFailed extends define<SttTranscriptionFailed>()("SttTranscriptionFailed", {
  category: "recording",
  httpStatus: 422,
  fields: {
    ...serviceMessage,
    /** The service's id of this transcription, if the response has one. */
    callId: Schema.optional(Schema.String)
  },
  defaults: {},
  retry: "never",
  message: (facts) =>
    `The service received the recording but could not transcribe it.${quote(facts)} Check that the file plays and contains speech.${
      facts.callId === undefined ? "" : ` If it does, report the call id ${facts.callId} to the service.`
    }`
}) {}

/**
 * All errors of {@link SpeechToText}, as a Schema: you can encode an error to JSON and decode it without loss.
 *
 * @since 0.1.0
 * @category errors
 */
export const SttError = Schema.Union(
  SttInvalidRequest,
  SttInvalidApiKey,
  SttAudioUnreadable,
  SttBadRequest,
  SttUnauthorized,
  SttCreditExhausted,
  SttForbidden,
  SttServerError,
  SttUnavailable,
  SttUnexpectedStatus,
  SttConnectionFailed,
  SttDeadlineExceeded,
  SttInvalidResponse,
  SttTranscriptionFailed
)
/**
 * @since 0.1.0
 * @category errors
 */
export type SttError = typeof SttError.Type
