/**
 * Values that are equal if their contents are: classes whose instances `Equal` and `Hash` compare field by field, with the arrays and
 * the plain objects in them. Effect 3 compares those by identity.
 */
import * as Equal from "effect/Equal"
import * as Hash from "effect/Hash"

type Fields = Readonly<Record<string, unknown>>

const isPlain = (value: unknown): value is Fields => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

type Field = readonly [name: string, value: unknown]

/** JSON drops a field that is `undefined`, so it counts as absent. The message of an error is not enumerable. */
const fieldsOf = (value: object): ReadonlyArray<Field> => {
  const fields: Array<Field> = Object.entries(value).filter(([, field]) => field !== undefined)
  if (value instanceof Error && !Object.keys(value).includes("message")) fields.push(["message", value.message])
  return fields
}

const haveSameFields = (one: object, other: object): boolean => {
  const fields = fieldsOf(one)
  return (
    fields.length === fieldsOf(other).length &&
    fields.every(([name, value]) => Object.hasOwn(other, name) && isSame(value, (other as Fields)[name]))
  )
}

const isSame = (one: unknown, other: unknown): boolean => {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  }
  return isPlain(one) ? isPlain(other) && haveSameFields(one, other) : Equal.equals(one, other)
}

const hashOf = (value: unknown): number => {
  if (Array.isArray(value)) return Hash.array(value.map(hashOf))
  return isPlain(value) ? hashOfFields(value) : Hash.hash(value)
}

/** The order of the fields has no influence. */
const hashOfFields = (value: object): number =>
  Hash.optimize(fieldsOf(value).reduce((sum, [name, field]) => sum ^ Hash.combine(Hash.string(name))(hashOf(field)), 0))

/**
 * Returns the class itself, changed so that its instances are equal if their fields are. Extend the result. Arrays and plain objects in the
 * fields are compared by their contents, anything else as `Equal` does: a `Uint8Array` by identity.
 *
 * @example
 * ```ts
 * import { Structural } from "@effect-speech/common"
 * import { Data, Equal } from "effect"
 *
 * class Words extends Structural.structural(Data.Class<{ readonly words: ReadonlyArray<string> }>) {}
 *
 * console.log(Equal.equals(new Words({ words: ["a"] }), new Words({ words: ["a"] }))) // true
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const structural = <Class extends abstract new (...parameters: never) => object>(valueClass: Class): Class => {
  Object.defineProperties(valueClass.prototype, {
    [Equal.symbol]: {
      value(this: object, that: object): boolean {
        return Object.getPrototypeOf(this) === Object.getPrototypeOf(that) && haveSameFields(this, that)
      }
    },
    [Hash.symbol]: {
      value(this: object): number {
        return hashOfFields(this)
      }
    }
  })
  return valueClass
}

/**
 * Makes an instance with these fields, without the constructor: they are not checked, and defaults are not filled in. Use it where the
 * constructor of a class of Schema takes too long and the fields are known to be valid.
 *
 * @example
 * ```ts
 * import { Structural } from "@effect-speech/common"
 * import { Schema } from "effect"
 *
 * class Cue extends Schema.Class<Cue>("Cue")({ startMillis: Schema.Number }) {}
 *
 * console.log(Structural.unsafeInstance(Cue, { startMillis: 20 }) instanceof Cue) // true
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const unsafeInstance = <A extends object>(valueClass: abstract new (...parameters: never) => A, fields: A): A =>
  Object.assign(Object.create(valueClass.prototype), fields)
