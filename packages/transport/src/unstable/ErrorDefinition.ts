/**
 * The factory of all errors of a call.
 *
 * An error has a tag, facts, the report of the call, and a `message` that says what happened and what to do. The message
 * is a field, computed from the facts when the error is made: `toJSON` and Effect's loggers would drop a getter. It is one printable line that ends
 * with a link to the page of the error, and the stack holds nothing else, so a program that ends with the error prints one line.
 */

import { cloneable } from "@effect-speech/common/Cloneable"
import { withLink, withoutLink } from "@effect-speech/common/ErrorPage"
import * as Printable from "@effect-speech/common/Printable"
import { structural } from "@effect-speech/common/Structural"
import * as Schema from "effect/Schema"
import { type Billing, CallReport, nothingSent, type Piece } from "../CallReport.js"
import type { Category, Retry, ServiceError, ServiceErrorClass } from "../ServiceError.js"
import { describePiece, toReport, withPieceOf } from "./Report.js"

const common = { call: CallReport, message: Schema.String }

type Facts<Fields extends Schema.Struct.Fields> = Schema.Struct.Type<Fields> & { readonly call: CallReport }

/**
 * What makes an error: its facts, their defaults, and the sentence of its message.
 *
 * @since 0.1.0
 * @category models
 */
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
 *
 * @since 0.1.0
 * @category constants
 */
export const httpStatusAnnotation = Symbol.for("@effect/platform/HttpApiSchema/AnnotationStatus")

/**
 * Defines an error class. Call it as `ErrorDefinition.define<Self>()(tag, definition)`, and extend the result.
 *
 * @since 0.1.0
 * @category constructors
 */
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
    const validate = validatorOf({ ...definition.fields, ...common }, `${tag} (Constructor)`)

    class Defined extends Base {
      constructor(props: Props = {}, options?: Schema.MakeOptions) {
        const facts = Object.assign({}, definition.defaults, props, { call: toReport(props.call ?? nothingSent) })
        const message = withLink(
          props.message ?? ofPiece(Printable.line(definition.message(facts)), facts.call.piece),
          tag
        )
        const fields = { ...facts, message }
        super(isUnchecked(options) ? fields : validate(fields), true)
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
    return cloneable(structural(Defined)) as unknown as ServiceErrorClass<Self, Tag, Fields, C>
  }

/**
 * Checks the fields of a constructor. The constructor of a class of Schema would build the same check anew for each instance, if one of
 * the fields is another class, and each failed attempt of a call makes an error. It is built by the first instance: few programs meet
 * all errors.
 */
const validatorOf = (fields: Schema.Struct.Fields, title: string): ((facts: object) => object) => {
  let check: ((facts: object) => object) | undefined
  return (facts) => {
    check ??= Schema.validateSync(Schema.typeSchema(Schema.Struct(fields)).annotations({ title })) as typeof check & {}
    return check(facts)
  }
}

const isUnchecked = (options: Schema.MakeOptions | undefined): boolean =>
  typeof options === "object" ? options.disableValidation === true : options === true

/** The sentence of an error, and that of its piece. */
const ofPiece = (message: string, piece: Piece | undefined): string =>
  piece === undefined ? message : `${message} ${describePiece(piece)}`.trimEnd()

/**
 * The same error, of the same class, with this piece in its report and in its message. `billing` is that of all pieces that failed.
 * Default: that of the error.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withPiece = <E extends ServiceError & { readonly call: CallReport; readonly message: string }>(
  error: E,
  piece: Piece,
  billing: Billing = error.call.billing
): E => {
  const Class = error.constructor as new (props: object) => E
  return new Class({
    ...error,
    call: withPieceOf(error.call, piece, billing),
    message: ofPiece(withoutLink(error.message), piece)
  })
}
