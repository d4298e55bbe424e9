import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"

/** Records and arrays, and those in them, with `Equal` and `Hash`. */
export const toData = <A>(value: A): A => {
  if (Array.isArray(value)) return Data.array(value.map(toData)) as A
  if (!Predicate.isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Data.struct(Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toData(field)]))) as A
}
