/**
 * The errors of a synthesis: one class for each status of the contract, and one for each other way to get no usable
 * audio. The statuses differ from those of a transcription: here 401 means every refused key.
 */
import type { CallReport } from "@effect-speech/transport/CallReport"
import {
  billOfUnusable,
  connectionFailed,
  deadlineExceeded,
  invalidApiKey,
  invalidRequest,
  invalidResponse,
  quoteService,
  retryOfUnexpectedStatus,
  unexpectedStatus
} from "@effect-speech/transport/unstable/CommonError"
import { define } from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Schema from "effect/Schema"

/** A response with a status other than 200. */
const statusFields = {
  /** The status of the response. */
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
 * Correct `field`. It is never retried.
 *
 * @example
 * ```ts
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect } from "effect"
 *
 * export const speech = TextToSpeech.pipe(
 *   Effect.flatMap((tts) => tts.synthesize({ text: "नमस्ते", lang: "hi" })),
 *   Effect.catchTag("TtsInvalidRequest", ({ field, problem }) => Console.error(`Correct ${field}: it ${problem}.`))
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsInvalidRequest extends define<TtsInvalidRequest>()("TtsInvalidRequest", invalidRequest) {}

/**
 * The key can't be read, or does not have the form `<prefix>.<secret>`. The client reads the key when the layer is
 * built (nothing was sent then), and again after a 401.
 *
 * @example
 * ```ts
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect, Layer } from "effect"
 *
 * // Says what is wrong with the key, and ends the program.
 * export const live = TextToSpeech.layerFromEnv.pipe(
 *   Layer.tapError((error) =>
 *     error._tag === "TtsInvalidApiKey" ? Console.error(`Check SPEECH_API_KEY: ${error.problem}`) : Effect.void
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsInvalidApiKey extends define<TtsInvalidApiKey>()("TtsInvalidApiKey", invalidApiKey) {}

/**
 * 400: the request is malformed, or the value of a field is not supported.
 *
 * Change `field`. It is never retried.
 *
 * @example
 * ```ts
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect } from "effect"
 *
 * export const speech = TextToSpeech.pipe(
 *   Effect.flatMap((tts) => tts.synthesize({ text: "नमस्ते", lang: "hi" })),
 *   Effect.catchTag("TtsBadRequest", ({ field, serverMessage }) => Console.error(`${field ?? "a field"}: ${serverMessage}`))
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class TtsBadRequest extends define<TtsBadRequest>()("TtsBadRequest", {
  category: "request",
  httpStatus: 400,
  fields: {
    ...statusFields,
    /** The field that the service's message names, such as `output_format`. Absent if it names none. */
    field: Schema.optional(Schema.String)
  },
  defaults: { status: 400 },
  retry: "never",
  message: (facts) =>
    `The service refused the request (400).${quote(facts) || " It gives no reason; check lang, voice and the output format."} ${
      facts.field === undefined
        ? "Correct the request and send it again."
        : `Change ${facts.field} and send the request again.`
    }`
}) {}

/**
 * 401: the service refused the key. It gives the same status for every reason.
 *
 * The key is wrong or revoked, lacks the scope `tts:synth`, or its account has no credit. It is retried once if the key has changed: give `apiKey`
 * as an effect.
 *
 * @example
 * ```ts
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect } from "effect"
 *
 * export const speech = TextToSpeech.pipe(
 *   Effect.flatMap((tts) => tts.synthesize({ text: "नमस्ते", lang: "hi" })),
 *   Effect.catchTag("TtsUnauthorized", ({ message }) => Console.error(`Stop all calls. ${message}`))
 * )
 * ```
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
 * It is retried. It is not billed.
 *
 * @example
 * ```ts
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect } from "effect"
 *
 * export const speech = TextToSpeech.pipe(
 *   Effect.flatMap((tts) => tts.synthesize({ text: "नमस्ते", lang: "hi" })),
 *   Effect.catchTag("TtsServerError", ({ call }) => Console.error(`Report ${call.sentId}, after ${call.attempts.length} attempts`))
 * )
 * ```
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
 * It is retried, also through an `outage`. It is not billed.
 *
 * @example
 * ```ts
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect } from "effect"
 *
 * export const speech = TextToSpeech.pipe(
 *   Effect.flatMap((tts) => tts.synthesize({ text: "नमस्ते", lang: "hi" })),
 *   Effect.catchTag("TtsBackendFailed", ({ call }) => Console.error(`Down for ${call.elapsedMillis} ms: try again later`))
 * )
 * ```
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
    `The service's synthesis backend failed (502).${quote(facts)} ${facts.call.billing === "notBilled" ? "Nothing was billed; try" : "An earlier attempt may have been billed. Try"} again. If it keeps failing, ${reportRequestId(facts.call)}`
}) {}

/**
 * A status that is not in the contract, such as a redirect, or the 504 of a gateway in front of the service.
 *
 * `retry` says by the status whether it is retried.
 *
 * @example
 * ```ts
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect } from "effect"
 *
 * export const speech = TextToSpeech.pipe(
 *   Effect.flatMap((tts) => tts.synthesize({ text: "नमस्ते", lang: "hi" })),
 *   Effect.catchTag("TtsUnexpectedStatus", ({ retryable, status }) => Console.error(retryable ? `${status}: try later` : `${status}: check the base URL`))
 * )
 * ```
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
 * `reason` says why, and `sent` how much of the request left this process. `retry` says whether it is retried. Audio that breaks off
 * has the reason `cut`, or `closed` if its HttpClient was closed, and is never retried.
 *
 * @example
 * ```ts
 * import { TextToSpeech, TtsConnectionFailed } from "@effect-speech/tts"
 *
 * // In a test: the response is lost.
 * export const double = TextToSpeech.layerTest(new TtsConnectionFailed({ reason: "reset", sent: "all" }))
 * ```
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
 * Send a shorter text, or raise the deadline of `phase`. It is never retried.
 *
 * @example
 * ```ts
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect } from "effect"
 *
 * export const speech = TextToSpeech.pipe(
 *   Effect.flatMap((tts) => tts.synthesize({ text: "नमस्ते", lang: "hi" })),
 *   Effect.catchTag("TtsDeadlineExceeded", ({ limitMillis, phase }) => Console.error(`${phase} took longer than ${limitMillis} ms`))
 * )
 * ```
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
 * Check the base URL. It is never retried, and the call may be billed.
 *
 * @example
 * ```ts
 * import { TextToSpeech, TtsInvalidResponse } from "@effect-speech/tts"
 *
 * // In a test: a proxy answers with a page of HTML.
 * export const double = TextToSpeech.layerTest(new TtsInvalidResponse({ problem: "its body is text/html" }))
 * ```
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
  message: (facts) => invalidResponse(facts, { result: "audio", host: "synthesis", isCut: false })
}) {}

/**
 * Audio that contradicts its headers or itself: do not use it. It may have been billed: nothing shows that it is complete.
 *
 * It is never retried.
 *
 * @example
 * ```ts
 * import { TextToSpeech, TtsCorruptAudio } from "@effect-speech/tts"
 *
 * // In a test: the audio is shorter than its headers say.
 * export const double = TextToSpeech.layerTest(new TtsCorruptAudio({ problem: "it lasts 50.0 ms, and 100 ms were announced", receivedBytes: 4800 }))
 * ```
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
    `The audio is corrupt: ${facts.problem}. Don't use it. ${billOfUnusable(facts.call)} To ask about it, ${reportRequestId(facts.call)}`
}) {}

/**
 * What audio that has begun to arrive can fail with, as a Schema.
 *
 * Before the audio begins, a call can fail with all of {@link TtsError}.
 *
 * @example
 * ```ts
 * import type { SpeechStream, SpeechStreamError } from "@effect-speech/tts"
 * import { Console, Stream } from "effect"
 *
 * const report = ({ _tag, message }: SpeechStreamError) => Console.error(`The audio broke off (${_tag}): ${message}`)
 *
 * export const observed = ({ stream }: SpeechStream) => Stream.tapError(stream, report)
 * ```
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
 * @example
 * ```ts
 * import { TtsError } from "@effect-speech/tts"
 * import { Schema } from "effect"
 *
 * // To store an error, or to send it to another process.
 * export const toJson = Schema.encodeSync(Schema.parseJson(TtsError))
 * export const fromJson = Schema.decodeSync(Schema.parseJson(TtsError))
 * ```
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
