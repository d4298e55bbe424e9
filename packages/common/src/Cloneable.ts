/**
 * Errors that stay themselves when they fail within a span, so that `structuredClone` and `postMessage` take them.
 */

/** Where Effect looks for the span of an error. Around an error that does not have it, it puts a Proxy, which can't be cloned. */
const spanAnnotation = Symbol.for("effect/SpanAnnotation")

/**
 * Returns the error class itself, changed so that Effect puts no Proxy around its errors. Extend the result.
 *
 * @example
 * ```ts
 * import { Cloneable } from "@effect-speech/common"
 * import { Effect, Schema } from "effect"
 *
 * export class NoVoice extends Cloneable.cloneable(
 *   Schema.TaggedError<NoVoice>("NoVoice")("NoVoice", { voice: Schema.String })
 * ) {}
 *
 * const failure = new NoVoice({ voice: "v1" }).pipe(Effect.withSpan("speak"), Effect.flip, Effect.runSync)
 * console.log(structuredClone(failure) instanceof Error) // true
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const cloneable = <Class extends abstract new (...parameters: never) => Error>(errorClass: Class): Class => {
  Object.defineProperty(errorClass.prototype, spanAnnotation, { value: undefined })
  return errorClass
}
