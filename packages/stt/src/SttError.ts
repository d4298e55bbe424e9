/**
 * The errors of a transcription: one class for each status of the contract, and one for each other way to get no
 * transcript.
 */

import {
  billOfUnusable,
  connectionFailed,
  deadlineExceeded,
  invalidApiKey,
  invalidRequest,
  invalidResponse,
  mayBeBilled,
  quoteService,
  retryOfUnexpectedStatus,
  unexpectedStatus
} from "@effect-speech/transport/unstable/CommonError"
import { define } from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Schema from "effect/Schema"
import { cutOff } from "./internal/readJson.js"

/** What the service says about the failure, if its response says anything. */
const serviceMessage = {
  /** The summary. */
  serverError: Schema.optional(Schema.String),
  /** The details. */
  serverMessage: Schema.optional(Schema.String)
}

/** A response with a status other than 200. */
const statusFields = {
  /** The status of the response. */
  status: Schema.Finite,
  ...serviceMessage
}

const quote = ({ serverError, serverMessage }: Schema.Struct.Type<typeof serviceMessage>) =>
  quoteService(serverError, serverMessage)

/**
 * The request breaks a rule that the client checks. Nothing was sent.
 *
 * Correct `field`. It is never retried.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttInvalidRequest", ({ field, problem }) => Console.error(`Correct ${field}: it ${problem}.`))
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class SttInvalidRequest extends define<SttInvalidRequest>()("SttInvalidRequest", invalidRequest) {}

/**
 * The key can't be read, or does not have the form `<prefix>.<secret>`. The client reads the key when the layer is
 * built (nothing was sent then), and again after a 401.
 *
 * @example
 * ```ts
 * import { SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect, Layer } from "effect"
 *
 * // Says what is wrong with the key, and ends the program.
 * export const live = SpeechToText.layerFromEnv.pipe(
 *   Layer.tapError((error) =>
 *     error._tag === "SttInvalidApiKey" ? Console.error(`Check SPEECH_API_KEY: ${error.problem}`) : Effect.void
 *   )
 * )
 * ```
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
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * // Sends a file as it is if it can't be converted.
 * export const transcribe = (path: string) =>
 *   Effect.gen(function* () {
 *     const stt = yield* SpeechToText
 *     const request = { audio: AudioSource.fromPath(path), model: "hi-general-v2-8khz" }
 *     return yield* stt.transcribe({ ...request, telephony: true }).pipe(
 *       Effect.catchIf(
 *         (error) => error._tag === "SttAudioUnreadable" && error.hint === "omitTelephony",
 *         () => stt.transcribe(request)
 *       )
 *     )
 *   })
 * ```
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
 * `source` names the recording, `problem` says what is wrong, and `hint` what you can do. It is never retried.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttAudioUnreadable", ({ problem, source }) => Console.error(`Skipped ${source}: ${problem}`))
 * )
 * ```
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
 * Check the name of the model, and what the service says. It is never retried.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttBadRequest", ({ serverMessage }) => Console.error(`The service says: ${serverMessage}`))
 * )
 * ```
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
 * It is retried once if the key has changed: give `apiKey` as an effect.
 *
 * @example
 * ```ts
 * import { SpeechToText, SttUnauthorized } from "@effect-speech/stt"
 *
 * // In a test: the key was revoked.
 * export const double = SpeechToText.layerTest(new SttUnauthorized({ serverError: "invalid_key" }))
 * ```
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
 * Every call fails until the account is topped up, so stop a batch. It is never retried.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttCreditExhausted", ({ message }) => Console.error(`Stop the batch. ${message}`))
 * )
 * ```
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
 * It is never retried.
 *
 * @example
 * ```ts
 * import { SpeechToText, SttForbidden } from "@effect-speech/stt"
 *
 * // In a test: the account is suspended.
 * export const double = SpeechToText.layerTest(new SttForbidden({ serverMessage: "account suspended" }))
 * ```
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
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttServerError", ({ call }) => Console.error(`Report ${call.sentId}; ${call.attempts.length} attempts, ${call.billing}`))
 * )
 * ```
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
 * It is retried, also through an `outage`.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttUnavailable", ({ call }) => Console.error(`Down for ${call.elapsedMillis} ms: try again later`))
 * )
 * ```
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
 * `retry` says by the status whether it is retried.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttUnexpectedStatus", ({ retryable, status }) => Console.error(retryable ? `${status}: try later` : `${status}: check the base URL`))
 * )
 * ```
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
 * `reason` says why, and `sent` how much of the request left this process. `retry` says whether it is retried. If all of the request left, it
 * is not retried without `retryAmbiguous`.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttConnectionFailed", ({ reason, sent }) => Console.error(`${reason}; sent: ${sent}`))
 * )
 * ```
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
 * Raise the deadline of `phase` if the service was still at work. It is never retried.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttDeadlineExceeded", ({ limitMillis, phase }) => Console.error(`${phase} took longer than ${limitMillis} ms`))
 * )
 * ```
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
 * Check the base URL. It is never retried, and the call may be billed.
 *
 * @example
 * ```ts
 * import { SpeechToText, SttInvalidResponse } from "@effect-speech/stt"
 *
 * // In a test: a proxy answers with a page of HTML.
 * export const double = SpeechToText.layerTest(new SttInvalidResponse({ problem: "it is not JSON" }))
 * ```
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
  message: (facts) =>
    invalidResponse(facts, { result: "a transcription", host: "transcription", isCut: facts.problem === cutOff })
}) {}

/**
 * A 200 whose `status` is `error`.
 *
 * Check that the recording plays. It is never retried, and the call may be billed.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Console, Effect } from "effect"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchTag("SttTranscriptionFailed", ({ callId, serverMessage }) => Console.error(`${callId ?? "no id"}: ${serverMessage}`))
 * )
 * ```
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
    `The service received the recording but could not transcribe it.${quote(facts)} ${billOfUnusable(facts.call)} Check that the file plays and contains speech.${
      facts.callId === undefined ? "" : ` If it does, report the call id ${facts.callId} to the service.`
    }`
}) {}

/**
 * All errors of {@link SpeechToText}, as a Schema: you can encode an error to JSON and decode it without loss.
 *
 * @example
 * ```ts
 * import { SttError } from "@effect-speech/stt"
 * import { Schema } from "effect"
 *
 * // To store an error, or to send it to another process.
 * export const toJson = Schema.encodeSync(Schema.parseJson(SttError))
 * export const fromJson = Schema.decodeSync(Schema.parseJson(SttError))
 * ```
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
