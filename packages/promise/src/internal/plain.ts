/**
 * The values of the Effect clients as plain objects: no class, no symbols of Effect, and no field that is `undefined`, as in JSON.
 */

/** A value of the Effect clients as the public types declare it: only fields, and `tag` in place of `_tag`. */
export type Plain<A> = A extends string | number | boolean | null | undefined | Uint8Array
  ? A
  : A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Plain<Item>>
    : {
        readonly [Name in keyof A as Name extends "_tag"
          ? "tag"
          : Name extends symbol
            ? never
            : Name]: Name extends "auxInfo" ? A[Name] : Plain<A[Name]>
      }

/** A copy without classes. Bytes are not copied. `auxInfo` is the JSON of the service, which stays as it is. */
export const plain = <A>(value: A): Plain<A> => convert(value) as Plain<A>

const convert = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return value.map(convert)
  const fields: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[name]
    if (field !== undefined) fields[name === "_tag" ? "tag" : name] = name === "auxInfo" ? field : convert(field)
  }
  return fields
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** A copy of the plain objects and the arrays in a value, so that a later change of them has no effect on a call. */
export const snapshot = <A>(value: A): A => copy(value) as A

const copy = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  if (!isPlain(value)) return value
  // A spread keeps a field `__proto__`, which JSON may have. An assignment to a new object would lose it.
  const fields: Record<string, unknown> = { ...value }
  for (const name of Object.keys(fields)) fields[name] = copy(fields[name])
  return fields
}
