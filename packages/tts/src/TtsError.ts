/**
 * Every way in which a synthesis can fail: one class for each row of the status table, and for each way to get no
 * usable audio. The table is not the transcription's: here a 401 stands for every refused key.
 */
import type { CallReport } from "@effect-speech/transport/CallReport"
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
  serverMessage: Schema.optional(Schema.String)
}

const wordsOf = ({ serverMessage }: { readonly serverMessage?: string | undefined }) => said(serverMessage)

const reference = ({ receivedId, sentId }: CallReport) =>
  sentId === "" ? "the request id" : `the request id ${receivedId ?? sentId}`

/** The request breaks a rule that is known here. Nothing was sent. */
export class TtsInvalidRequest extends define<TtsInvalidRequest>()("TtsInvalidRequest", invalidRequest) {}

/**
 * The key can't be read, or is not of the form `<prefix>.<secret>`: when the layer is built, so that nothing was sent, or
 * when it is read anew after a 401.
 */
export class TtsInvalidApiKey extends define<TtsInvalidApiKey>()("TtsInvalidApiKey", invalidApiKey) {}

/** 400: the request is malformed, or a field has a value that is not supported. */
export class TtsBadRequest extends define<TtsBadRequest>()("TtsBadRequest", {
  fields: {
    ...answered,
    /** The field of the wire that the service's message names, if it names one. */
    field: Schema.optional(Schema.String)
  },
  defaults: { status: 400 },
  retry: "never",
  message: (facts) =>
    `The service refused the request (400).${wordsOf(facts)} Change ${facts.field ?? "what it names"} and send it again.`
}) {}

/** 401: the key was not accepted, for whatever reason. */
export class TtsUnauthorized extends define<TtsUnauthorized>()("TtsUnauthorized", {
  fields: answered,
  defaults: { status: 401 },
  retry: "otherKey",
  message: (facts) =>
    `The service did not accept the API key (401).${wordsOf(facts)} It does not tell the reasons apart: the key may be wrong or revoked or lack the tts:synth scope, the account out of credit or not active. Look at the platform.`
}) {}

/** 500: the service failed. */
export class TtsServerError extends define<TtsServerError>()("TtsServerError", {
  fields: answered,
  defaults: { status: 500 },
  retry: "transient",
  message: (facts) =>
    `The service failed (500).${wordsOf(facts)} Try again later; if it lasts, report ${reference(facts.call)} to the service.`
}) {}

/** 502: the synthesis backend was unreachable or failed. */
export class TtsBackendFailed extends define<TtsBackendFailed>()("TtsBackendFailed", {
  fields: answered,
  defaults: { status: 502 },
  retry: "transient",
  message: (facts) =>
    `The service's synthesis backend failed (502).${wordsOf(facts)} Nothing was billed: try again; if it lasts, report ${reference(facts.call)} to the service.`
}) {}

/** A status that the contract does not name, redirects among them. */
export class TtsUnexpectedStatus extends define<TtsUnexpectedStatus>()("TtsUnexpectedStatus", {
  fields: answered,
  defaults: { status: 418 },
  retry: ({ status }) => (status === 429 ? "overload" : "never"),
  message: (facts) => unexpectedStatus(facts.status, "synthesis", wordsOf(facts))
}) {}

/** No answer, or only a part of one. */
export class TtsConnectionFailed extends define<TtsConnectionFailed>()(
  "TtsConnectionFailed",
  connectionFailed("The request had been sent, so the service may have synthesized and billed it.")
) {}

/** A phase of the call took longer than it may. */
export class TtsDeadlineExceeded extends define<TtsDeadlineExceeded>()(
  "TtsDeadlineExceeded",
  deadlineExceeded("A shorter text takes less time.")
) {}

/** A 200 that is not audio, or does not say which. */
export class TtsInvalidResponse extends define<TtsInvalidResponse>()("TtsInvalidResponse", {
  fields: {
    /** What is wrong with it. */
    problem: Schema.String
  },
  defaults: { problem: "X-Sample-Rate is missing" },
  retry: "never",
  message: ({ problem }) =>
    `The service answered 200 with something other than audio: ${problem}. Check that the base URL is the synthesis host's.`
}) {}

/** Audio that contradicts itself, and is not to be used. It was billed if it came to its end. */
export class TtsCorruptAudio extends define<TtsCorruptAudio>()("TtsCorruptAudio", {
  fields: {
    /** What is wrong with it. */
    problem: Schema.String,
    /** How many bytes of audio had come. */
    receivedBytes: Schema.Number
  },
  defaults: { problem: "it is empty", receivedBytes: 0 },
  retry: "never",
  message: (facts) =>
    `The audio that came back can't be right: ${facts.problem}. Don't use it; ${facts.call.billing === "billed" ? "it was billed" : "it may have been billed"}, so report ${reference(facts.call)} to the service.`
}) {}

/** Every failure of {@link TextToSpeech}, as a Schema: it crosses a process boundary without loss. */
export const TtsError = Schema.Union(
  TtsInvalidRequest,
  TtsInvalidApiKey,
  TtsBadRequest,
  TtsUnauthorized,
  TtsServerError,
  TtsBackendFailed,
  TtsUnexpectedStatus,
  TtsConnectionFailed,
  TtsDeadlineExceeded,
  TtsInvalidResponse,
  TtsCorruptAudio
)
export type TtsError = typeof TtsError.Type
