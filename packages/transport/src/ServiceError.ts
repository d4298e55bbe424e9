/**
 * The factory of all errors of a call.
 *
 * An error has a tag, facts, the report of the call, and a `message` that says what happened and what to do. The message
 * is a field, computed from the facts when the error is made: `toJSON` and Effect's loggers would drop a getter. It is one printable line,
 * and the stack holds nothing else, so a program that ends with the error prints one line.
 */

import { cloneable } from "@effect-speech/common/Cloneable"
import * as Printable from "@effect-speech/common/Printable"
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { type Billing, CallReport, describePiece, nothingSent, type Piece } from "./CallReport.js"

/**
 * Whether the same request may succeed if it is sent again.
 *
 * | value       | meaning |
 * | ----------- | ------- |
 * | `never`     | it would fail the same way, or the response had already begun |
 * | `transient` | it may succeed a little later |
 * | `overload`  | it may succeed when the service is available again, or has less load |
 * | `ambiguous` | it may succeed, but the service may have carried out the attempt: each attempt may be billed |
 * | `otherKey`  | it may succeed with another key |
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
 */
export type Category = "request" | "recording" | "account" | "service" | "connection"

/** The parts of an error that the transport needs. */
export interface ServiceError {
  readonly _tag: string
  readonly retry: Retry
  /** What is known of billing, among others. */
  readonly call?: Pick<CallReport, "billing"> | undefined
}

const common = { call: CallReport, message: Schema.String }

type AllFields<Tag extends string, Fields extends Schema.Struct.Fields> = {
  readonly _tag: Schema.tag<Tag>
} & Fields &
  typeof common

type Facts<Fields extends Schema.Struct.Fields> = Schema.Struct.Type<Fields> & { readonly call: CallReport }

/** An error class that is also a `Schema` of itself. Every field has a default, so `new SttForbidden()` works in a test. */
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
  Partial<Schema.Struct.Type<Fields & typeof common>>,
  {
    /** What the error concerns. */
    readonly category: C
    /** Whether the same request may succeed if it is sent again. */
    readonly retry: Retry
    /** Whether `retry` is `transient` or `overload`. */
    readonly retryable: boolean
    /** What happened, and what to do. It is the `message`, but without the piece that {@link withPiece} adds. */
    readonly sentence: string
  },
  Cause.YieldableError
> & { readonly _tag: Tag }

export interface Definition<Fields extends Schema.Struct.Fields, C extends Category> {
  readonly category: C
  readonly fields: Fields
  /** Facts of an error that is made without arguments, as in a test. */
  readonly defaults: Schema.Struct.Type<Fields>
  /** Status of the response of an HttpApi that fails with this error. Where its caller can change nothing, it is a 5xx. */
  readonly httpStatus: number
  readonly retry: Retry | ((facts: Facts<Fields>) => Retry)
  /** One or two sentences: what happened, and what to do. */
  readonly message: (facts: Facts<Fields>) => string
}

/**
 * The annotation from which `HttpApi` of `@effect/platform` reads the status of an error. Its module takes too long to load for this
 * one name; a test holds the two together.
 */
const httpStatusAnnotation = Symbol.for("@effect/platform/HttpApiSchema/AnnotationStatus")

/** Defines an error class. Call it as `ServiceError.define<Self>()(tag, definition)`, and extend the result. */
export const define =
  <Self = never>() =>
  <const Tag extends string, Fields extends Schema.Struct.Fields, C extends Category>(
    tag: Tag,
    definition: Definition<Fields, C>
  ): ServiceErrorClass<Self, Tag, Fields, C> => {
    type Props = Partial<Facts<Fields> & { readonly message: string }>
    const Base = Schema.TaggedError<Error>(tag)(
      tag,
      { ...definition.fields, ...common },
      { [httpStatusAnnotation]: definition.httpStatus }
    ) as unknown as new (
      props: object,
      options?: Schema.MakeOptions
    ) => Error

    class Defined extends Base {
      constructor(props: Props = {}, options?: Schema.MakeOptions) {
        const facts = Object.assign({ call: nothingSent }, definition.defaults, props)
        const message = props.message ?? ofPiece(Printable.line(definition.message(facts)), facts.call.piece)
        super({ ...facts, message }, options)
        // Drop the stack: only library frames. An effect runs outside the synchronous stack of the caller's code.
        this.stack = `${this.name}: ${this.message}`
      }
      get category(): C {
        return definition.category
      }
      get retry(): Retry {
        const { retry } = definition
        return typeof retry === "function" ? retry(this as unknown as Facts<Fields>) : retry
      }
      get retryable(): boolean {
        return this.retry === "transient" || this.retry === "overload"
      }
      get sentence(): string {
        return Printable.line(definition.message(this as unknown as Facts<Fields>))
      }
    }
    return cloneable(Defined) as unknown as ServiceErrorClass<Self, Tag, Fields, C>
  }

/** The sentence of an error, and that of its piece. */
const ofPiece = (message: string, piece: Piece | undefined): string =>
  piece === undefined ? message : `${message} ${describePiece(piece)}`.trimEnd()

/**
 * The same error, of the same class, with this piece in its report and in its message. `billing` is that of all pieces that failed.
 * Default: that of the error.
 */
export const withPiece = <E extends ServiceError & { readonly call: CallReport; readonly message: string }>(
  error: E,
  piece: Piece,
  billing: Billing = error.call.billing
): E => {
  const Class = error.constructor as new (props: object) => E
  return new Class({ ...error, call: { ...error.call, piece, billing }, message: ofPiece(error.message, piece) })
}
