/**
 * The one factory of all errors of a call.
 *
 * An error has a tag, its facts, the report of the call, and a `message` that tells a person what to do. The
 * message is a field like the others, computed once when the error is made: a getter would be lost by
 * `toJSON` and by Effect's loggers.
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { CallReport, nothingSent } from "./CallReport.js"

/**
 * What may become of the same request if it is sent again.
 *
 * | value       | means |
 * | ----------- | ----- |
 * | `never`     | it would fail the same way, or the answer had already begun |
 * | `transient` | it may succeed a little later |
 * | `overload`  | it may succeed once the service has less to do |
 * | `ambiguous` | it may succeed, but the first one may have been carried out and billed |
 * | `otherKey`  | it may succeed with another key |
 */
export type Retry = "never" | "transient" | "overload" | "ambiguous" | "otherKey"

/** What the transport needs to know of an operation's errors. */
export interface ServiceError {
  readonly _tag: string
  readonly retry: Retry
}

const common = { call: CallReport, message: Schema.String }

type AllFields<Tag extends string, Fields extends Schema.Struct.Fields> = {
  readonly _tag: Schema.tag<Tag>
} & Fields &
  typeof common

type Facts<Fields extends Schema.Struct.Fields> = Schema.Struct.Type<Fields> & { readonly call: CallReport }

/** An error class that is also a `Schema` of itself. Every field has a default, so `new SttForbidden()` works in a test. */
export type ServiceErrorClass<Self, Tag extends string, Fields extends Schema.Struct.Fields> = Schema.Class<
  Self,
  AllFields<Tag, Fields>,
  Schema.Struct.Encoded<AllFields<Tag, Fields>>,
  Schema.Struct.Context<AllFields<Tag, Fields>>,
  Partial<Schema.Struct.Type<Fields & typeof common>>,
  {
    /** What may become of the same request if it is sent again. */
    readonly retry: Retry
    /** Whether the same call may succeed a little later, and the answer to this one was not merely lost. */
    readonly retryable: boolean
  },
  Cause.YieldableError
> & { readonly _tag: Tag }

export interface Definition<Fields extends Schema.Struct.Fields> {
  readonly fields: Fields
  /** The facts of an error that is made with none, as in a test. */
  readonly defaults: Schema.Struct.Type<Fields>
  readonly retry: Retry | ((facts: Facts<Fields>) => Retry)
  /** What happened and what to do, in one or two sentences. */
  readonly message: (facts: Facts<Fields>) => string
}

export const define =
  <Self = never>() =>
  <const Tag extends string, Fields extends Schema.Struct.Fields>(
    tag: Tag,
    definition: Definition<Fields>
  ): ServiceErrorClass<Self, Tag, Fields> => {
    type Props = Partial<Facts<Fields> & { readonly message: string }>
    const Base = Schema.TaggedError<Error>(tag)(tag, { ...definition.fields, ...common }) as unknown as new (
      props: object,
      options?: Schema.MakeOptions
    ) => Error

    class Defined extends Base {
      constructor(props: Props = {}, options?: Schema.MakeOptions) {
        const facts = Object.assign({ call: nothingSent }, definition.defaults, props)
        super({ ...facts, message: props.message ?? definition.message(facts) }, options)
      }
      get retry(): Retry {
        const { retry } = definition
        return typeof retry === "function" ? retry(this as unknown as Facts<Fields>) : retry
      }
      get retryable(): boolean {
        return this.retry === "transient" || this.retry === "overload"
      }
    }
    return Defined as unknown as ServiceErrorClass<Self, Tag, Fields>
  }
