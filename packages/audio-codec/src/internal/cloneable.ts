/** As in `Cloneable` of transport, on which this package does not depend: no Proxy of Effect is put around its errors in a span. */
export const cloneable = <Class extends abstract new (...parameters: never) => Error>(errorClass: Class): Class => {
  Object.defineProperty(errorClass.prototype, Symbol.for("effect/SpanAnnotation"), { value: undefined })
  return errorClass
}
