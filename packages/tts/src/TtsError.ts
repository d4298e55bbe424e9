/**
 * The errors of a synthesis: one class for each status of the contract, and one for each other way to get no usable
 * audio. The statuses differ from those of a transcription: here 401 means every refused key.
 */
import type { CallReport } from "@effect-speech/transport/CallReport"
import {
  connectionFailed,
  deadlineExceeded,
  invalidApiKey,
  invalidRequest,
  quoteService,
  retryOfUnexpectedStatus,
  unexpectedStatus
} from "@effect-speech/transport/unstable/CommonError"
import { define } from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Schema from "effect/Schema"

/** A response with a status other than 200. */
const statusFields = {
  status: Schema.Finite,
  /** What the service says about the failure, if the response says anything. */
  serverMessage: Schema.optional(Schema.String)
}

const quote = ({ serverMessage }: { readonly serverMessage?: string | undefined }) => quoteService(serverMessage)

const reportRequestId = ({ receivedId, sentId }: CallReport) =>
  `report the request id${sentId === "" ? "" : ` ${receivedId ?? sentId}`} to the service.`

/**
 * The request breaks a rule that the client checks. Nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsInvalidRequest extends define<TtsInvalidRequest>()("TtsInvalidRequest", invalidRequest) {}

/**
 * The key can't be read, or does not have the form `<prefix>.<secret>`. The client reads the key when the layer is
 * built (nothing was sent then), and again after a 401.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsInvalidApiKey extends define<TtsInvalidApiKey>()("TtsInvalidApiKey", invalidApiKey) {}

/**
 * 400: the request is malformed, or the value of a field is not supported.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsBadRequest extends define<TtsBadRequest>()("TtsBadRequest", {
  category: "request",
  httpStatus: 400,
  fields: {
    ...statusFields,
    /** The field that the service's message names, such as `output_format`, if it names one. */
    field: Schema.optional(Schema.String)
  },
  defaults: { status: 400 },
  retry: "never",
  message: (facts) =>
    `The service refused the request (400).${quote(facts)} Change ${facts.field ?? "the field that it names"} and send the request again.`
}) {}

/**
 * 401: the service refused the key. It gives the same status for every reason.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsUnauthorized extends define<TtsUnauthorized>()("TtsUnauthorized", {
  category: "account",
  httpStatus: 500,
  fields: statusFields,
  defaults: { status: 401 },
  retry: "otherKey",
  message: (facts) =>
    `The service did not accept the API key (401).${quote(facts)} The service does not distinguish the causes: check on the platform that the key is the newest and has the scope tts:synth, and that the account is active and has credit.`
}) {}

/**
 * 500: the service failed.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsServerError extends define<TtsServerError>()("TtsServerError", {
  category: "service",
  httpStatus: 502,
  fields: statusFields,
  defaults: { status: 500 },
  retry: "transient",
  message: (facts) =>
    `The service failed (500).${quote(facts)} Try again later. If it keeps failing, ${reportRequestId(facts.call)}`
}) {}

/**
 * 502: the synthesis backend is unreachable or failed.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsBackendFailed extends define<TtsBackendFailed>()("TtsBackendFailed", {
  category: "service",
  httpStatus: 502,
  fields: statusFields,
  defaults: { status: 502 },
  retry: "overload",
  message: (facts) =>
    `The service's synthesis backend failed (502).${quote(facts)} Nothing was billed; try again. If it keeps failing, ${reportRequestId(facts.call)}`
}) {}

/**
 * A status that is not in the contract, such as a redirect, or the 504 of a gateway in front of the service.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsUnexpectedStatus extends define<TtsUnexpectedStatus>()("TtsUnexpectedStatus", {
  category: "service",
  httpStatus: 502,
  fields: statusFields,
  defaults: { status: 418 },
  retry: ({ status }) => retryOfUnexpectedStatus(status),
  message: (facts) => unexpectedStatus(facts.status, "synthesis", quote(facts))
}) {}

/**
 * The connection failed before the response was complete.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsConnectionFailed extends define<TtsConnectionFailed>()(
  "TtsConnectionFailed",
  connectionFailed("The request was sent completely, so the service may have synthesized and billed it.")
) {}

/**
 * A phase of the call exceeded its deadline.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsDeadlineExceeded extends define<TtsDeadlineExceeded>()(
  "TtsDeadlineExceeded",
  deadlineExceeded("A shorter text needs less time.")
) {}

/**
 * A 200 that is not audio, or does not state a usable format.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsInvalidResponse extends define<TtsInvalidResponse>()("TtsInvalidResponse", {
  category: "service",
  httpStatus: 502,
  fields: {
    /** What is wrong with the response. */
    problem: Schema.String
  },
  defaults: { problem: "X-Sample-Rate is missing" },
  retry: "never",
  message: ({ problem }) =>
    `The service answered 200 with something other than audio: ${problem}. Check that the base URL is that of the synthesis host.`
}) {}

/**
 * Audio that contradicts its headers or itself: do not use it. It may have been billed: nothing shows that it is complete.
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsCorruptAudio extends define<TtsCorruptAudio>()("TtsCorruptAudio", {
  category: "service",
  httpStatus: 502,
  fields: {
    /** What is wrong with the audio. */
    problem: Schema.String,
    /** Number of bytes of audio that had arrived. */
    receivedBytes: Schema.Finite
  },
  defaults: { problem: "it is empty", receivedBytes: 0 },
  retry: "never",
  message: (facts) =>
    `The audio is corrupt: ${facts.problem}. Don't use it. It may have been billed; ${reportRequestId(facts.call)}`
}) {}

/**
 * What audio that has begun to arrive can fail with, as a Schema.
 *
 * @since 0.1.0
 * @category errors
 */
export const SpeechStreamError = Schema.Union(TtsConnectionFailed, TtsDeadlineExceeded, TtsCorruptAudio)
/**
 * @since 0.1.0
 * @category errors
 */
export type SpeechStreamError = typeof SpeechStreamError.Type

/**
 * All errors of {@link TextToSpeech}, as a Schema: you can encode an error to JSON and decode it without loss.
 *
 * @since 0.1.0
 * @category errors
 */
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
/**
 * @since 0.1.0
 * @category errors
 */
export type TtsError = typeof TtsError.Type
