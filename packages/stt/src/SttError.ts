/**
 * Every way in which a transcription can fail: one class for each row of the status table, and for each way to
 * get no usable answer.
 */

import {
  connectionFailed,
  deadlineExceeded,
  invalidApiKey,
  invalidRequest,
  said,
  unexpectedStatus
} from "@effect-speech/transport/CommonError"
import { define } from "@effect-speech/transport/ServiceError"
import * as Schema from "effect/Schema"

/** An answer with another status than 200: the status, and the service's own words where it gave some. */
const answered = {
  status: Schema.Number,
  /** The service's summary. */
  serverError: Schema.optional(Schema.String),
  /** The service's details. */
  serverMessage: Schema.optional(Schema.String)
}

const wordsOf = ({
  serverError,
  serverMessage
}: {
  readonly serverError?: string | undefined
  readonly serverMessage?: string | undefined
}) => said(serverError, serverMessage)

/** The request breaks a rule that is known here. Nothing was sent. */
export class SttInvalidRequest extends define<SttInvalidRequest>()("SttInvalidRequest", invalidRequest) {}

/**
 * The key can't be read, or is not of the form `<prefix>.<secret>`: when the layer is built, so that nothing was sent, or
 * when it is read anew after a 401.
 */
export class SttInvalidApiKey extends define<SttInvalidApiKey>()("SttInvalidApiKey", invalidApiKey) {}

const audioHints = {
  sendAsStream: "Read it as a stream, and give that to AudioSource.fromOneShotStream.",
  omitTelephony: "To send it as it is, leave telephony out."
} as const

/**
 * What you can do about a recording that can't be sent.
 *
 * | value           | means |
 * | --------------- | ----- |
 * | `sendAsStream`  | read it as a stream, and send that |
 * | `omitTelephony` | send it without the option `telephony` |
 */
export const AudioHint = Schema.Literal("sendAsStream", "omitTelephony")
export type AudioHint = typeof AudioHint.Type

/**
 * The recording is missing, empty, can't be read, changed while it was being sent, was to be read a second time though it
 * can be but once, or is no WAV file that `telephony` could convert.
 */
export class SttAudioUnreadable extends define<SttAudioUnreadable>()("SttAudioUnreadable", {
  fields: {
    /** The path, or the name of the source. */
    source: Schema.String,
    problem: Schema.String,
    /** What you can do, if it is known. */
    hint: Schema.optional(AudioHint)
  },
  defaults: { source: "audio", problem: "it does not exist" },
  retry: "never",
  message: ({ hint, problem, source }) =>
    `The recording ${source} can't be sent: ${problem}.${hint === undefined ? "" : ` ${audioHints[hint]}`}`
}) {}

/** 400: the request is malformed, the transaction id is no UUID, or the model is not known. */
export class SttBadRequest extends define<SttBadRequest>()("SttBadRequest", {
  fields: answered,
  defaults: { status: 400 },
  retry: "never",
  message: (facts) =>
    `The service refused the request (400).${wordsOf(facts) || " It does not say why: check the name of the model, of which it has no list."} Correct it and send it again.`
}) {}

/** 401: the key is missing, malformed, not known or revoked. */
export class SttUnauthorized extends define<SttUnauthorized>()("SttUnauthorized", {
  fields: answered,
  defaults: { status: 401 },
  retry: "otherKey",
  message: (facts) =>
    `The service did not accept the API key (401).${wordsOf(facts)} Creating a new key revokes the old one at once: check that the newest is in use.`
}) {}

/** 402: the credit balance is exhausted. */
export class SttCreditExhausted extends define<SttCreditExhausted>()("SttCreditExhausted", {
  fields: answered,
  defaults: { status: 402 },
  retry: "never",
  message: (facts) =>
    `The account is out of credit (402).${wordsOf(facts)} Top it up: until then every call fails the same way.`
}) {}

/** 403: the account is suspended, closed or inactive, or the key lacks the scope. */
export class SttForbidden extends define<SttForbidden>()("SttForbidden", {
  fields: answered,
  defaults: { status: 403 },
  retry: "never",
  message: (facts) =>
    `The account or the key may not transcribe (403).${wordsOf(facts)} Check that the account is active, and the key's scopes.`
}) {}

/** 500: the service failed. */
export class SttServerError extends define<SttServerError>()("SttServerError", {
  fields: answered,
  defaults: { status: 500 },
  retry: "transient",
  message: (facts) =>
    `The service failed (500).${wordsOf(facts)} Try again later; if it lasts, report ${facts.call.sentId === "" ? "the transaction id" : `the transaction id ${facts.call.sentId}`} to the service.`
}) {}

/** 503: the service is unavailable or overloaded. */
export class SttUnavailable extends define<SttUnavailable>()("SttUnavailable", {
  fields: answered,
  defaults: { status: 503 },
  retry: "overload",
  message: (facts) =>
    `The service is unavailable or overloaded (503).${wordsOf(facts)} Try again later, and send less at once.`
}) {}

/** A status that the contract does not name, redirects among them. */
export class SttUnexpectedStatus extends define<SttUnexpectedStatus>()("SttUnexpectedStatus", {
  fields: answered,
  defaults: { status: 418 },
  retry: ({ status }) => (status === 429 ? "overload" : "never"),
  message: (facts) => unexpectedStatus(facts.status, "transcription", wordsOf(facts))
}) {}

/** No answer, or only a part of one. */
export class SttConnectionFailed extends define<SttConnectionFailed>()(
  "SttConnectionFailed",
  connectionFailed("The recording had been sent whole, so the service may have transcribed and billed it.")
) {}

/** A phase of the call took longer than it may. */
export class SttDeadlineExceeded extends define<SttDeadlineExceeded>()(
  "SttDeadlineExceeded",
  deadlineExceeded("A long recording takes long.")
) {}

/** A 200 that can't be read. */
export class SttInvalidResponse extends define<SttInvalidResponse>()("SttInvalidResponse", {
  fields: {
    /** What is wrong with it, by field. */
    problem: Schema.String
  },
  defaults: { problem: "it is not JSON" },
  retry: "never",
  message: ({ problem }) =>
    `The service answered 200 with something other than a transcription: ${problem}. Check that the base URL is the transcription host's.`
}) {}

/** A 200 whose `status` is `error`. */
export class SttTranscriptionFailed extends define<SttTranscriptionFailed>()("SttTranscriptionFailed", {
  fields: {
    serverError: Schema.optional(Schema.String),
    serverMessage: Schema.optional(Schema.String),
    callId: Schema.optional(Schema.String)
  },
  defaults: {},
  retry: "never",
  message: (facts) =>
    `The service took the recording but could not transcribe it.${wordsOf(facts)} Check that the file plays and holds speech${
      facts.callId === undefined ? "" : `, and give the service the call id ${facts.callId}`
    }.`
}) {}

/** Every failure of {@link SpeechToText}, as a Schema: it crosses a process boundary without loss. */
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
export type SttError = typeof SttError.Type
