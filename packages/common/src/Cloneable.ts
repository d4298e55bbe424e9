/**
 * Errors that stay themselves when they fail within a span, so that `structuredClone` and `postMessage` take them.
 */

/** Where Effect looks for the span of an error. Around an error that does not have it, it puts a Proxy, which can't be cloned. */
const spanAnnotation = Symbol.for("effect/SpanAnnotation")

/**
 * The class, whose errors no Proxy is put around. Extend the result.
 *
 * @since 0.1.0
 * @category combinators
 */
export const cloneable = <Class extends abstract new (...parameters: never) => Error>(errorClass: Class): Class => {
  Object.defineProperty(errorClass.prototype, spanAnnotation, { value: undefined })
  return errorClass
}
