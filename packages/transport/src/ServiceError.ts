/**
 * What the errors of all calls have in common.
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import type { CallReport } from "./CallReport.js"

/**
 * Whether the same request may succeed if it is sent again.
 *
 * | value       | meaning |
 * | ----------- | ------- |
 * | `never`     | no: it would fail the same way, its deadline has passed, or the response had already begun |
 * | `transient` | it may succeed a little later |
 * | `overload`  | it may succeed when the service is available again, or has less load |
 * | `ambiguous` | it may succeed, but the service may have carried out the attempt: each attempt may be billed |
 * | `otherKey`  | it may succeed with another key |
 *
 * @example
 * ```ts
 * import type { ServiceError } from "@effect-speech/transport"
 *
 * // For a queue of your own: whether to put a failed call back.
 * export const mayComeBack = (retry: ServiceError.Retry): boolean => retry === "transient" || retry === "overload"
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Retry = "never" | "transient" | "overload" | "ambiguous" | "otherKey"

/**
 * What an error concerns, for handlers that treat many errors alike. Each error has one category.
 *
 * | value        | meaning | what helps |
 * | ------------ | ------- | ---------- |
 * | `request`    | the request breaks a rule | another request |
 * | `recording`  | the recording can't be read or transcribed | another recording |
 * | `account`    | the key, the account or its credit is refused: every call fails until that changes | the owner of the account |
 * | `service`    | the service, or a gateway in front of it, failed or sent something that can't be used | a later try, or the right base URL |
 * | `connection` | there is no complete response in time | a later try, a better network, or longer deadlines |
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import type { ServiceError } from "@effect-speech/transport"
 * import { Console, Effect } from "effect"
 *
 * const owner: ServiceError.Category = "account"
 *
 * export const transcription = SpeechToText.pipe(
 *   Effect.flatMap((stt) => stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })),
 *   Effect.catchIf(
 *     ({ category }) => category === owner,
 *     ({ message }) => Console.error(`Stop all calls. ${message}`)
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Category = "request" | "recording" | "account" | "service" | "connection"

/**
 * The parts of an error that the transport needs.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServiceError {
  readonly _tag: string
  /** Whether the same request may succeed if it is sent again. */
  readonly retry: Retry
  /** What is known of billing, among others. */
  readonly call?: Pick<CallReport, "billing"> | undefined
}

/**
 * Why a connection failed.
 *
 * | reason             | means |
 * | ------------------ | ----- |
 * | `refused`          | nothing listens at the address, or there is no route to it |
 * | `notFound`         | the host name is unknown |
 * | `proxy`            | the proxy did not open the connection; `code` is the status of its response, or the system's code |
 * | `tls`              | the secure connection failed |
 * | `reset`            | the connection was closed before the response |
 * | `timeout`          | a timeout of the network or of the HttpClient |
 * | `cut`              | the connection was lost in the middle of the response |
 * | `informational`    | the service sent an unrequested `100 Continue`, which this HttpClient can't read |
 * | `closed`           | the HttpClient was closed together with its layer |
 * | `tooManyOpenFiles` | the process or the system can open no further file or socket |
 * | `unknown`          | none of these; `code` may say more |
 *
 * @example
 * ```ts
 * import type { ServiceError } from "@effect-speech/transport"
 *
 * const hints: Partial<Record<ServiceError.ConnectionReason, string>> = {
 *   refused: "Is the service running?",
 *   notFound: "Check the host name.",
 *   tls: "Check the certificate."
 * }
 *
 * export const hintOf = (reason: ServiceError.ConnectionReason): string => hints[reason] ?? "Try again later."
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const ConnectionReason = Schema.Literal(
  "refused",
  "notFound",
  "proxy",
  "tls",
  "reset",
  "timeout",
  "cut",
  "informational",
  "closed",
  "tooManyOpenFiles",
  "unknown"
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type ConnectionReason = typeof ConnectionReason.Type

type Common = {
  /** The report of the call: ids, attempts, billing. */
  readonly call: typeof CallReport
  /** What happened, and what to do. */
  readonly message: typeof Schema.String
}

type AllFields<Tag extends string, Fields extends Schema.Struct.Fields> = {
  readonly _tag: Schema.tag<Tag>
} & Fields &
  Common

/**
 * An error class that is also a `Schema` of itself. Every field has a default, so `new SttForbidden()` works in a test. The constructor throws a
 * `ParseError` if a field is not valid.
 *
 * `SttError` and `TtsError` are unions of such classes.
 *
 * @example
 * ```ts
 * import { SttForbidden } from "@effect-speech/stt"
 * import { HttpApiEndpoint } from "@effect/platform"
 *
 * // A class is the Schema of an error of an HTTP API.
 * export const endpoint = HttpApiEndpoint.get("account", "/account").addError(SttForbidden)
 *
 * // In a test it needs no arguments.
 * export const error = new SttForbidden()
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type ServiceErrorClass<
  Self,
  Tag extends string,
  Fields extends Schema.Struct.Fields,
  C extends Category
> = Schema.Class<
  Self,
  AllFields<Tag, Fields>,
  Schema.Struct.Encoded<AllFields<Tag, Fields>>,
  Schema.Struct.Context<AllFields<Tag, Fields>>,
  Partial<Schema.Struct.Type<Fields & Common>>,
  {
    /** What the error concerns. */
    readonly category: C
    /** Whether the same request may succeed if it is sent again. */
    readonly retry: Retry
    /** Whether `retry` is `transient` or `overload`. */
    readonly retryable: boolean
    /** What happened, and what to do. It is the `message`, but without the piece that {@link withPiece} adds, and without the link to its page. */
    readonly sentence: string
  },
  Cause.YieldableError
> & { readonly _tag: Tag }
