/** In UTF-16 units. */
const longest = 1000
const mostFields = 16

/**
 * The fields of a request as they are kept of many: one that is too long is cut, and told as the beginning of its JSON
 * where it is no string.
 */
export const abridged = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, mostFields)
      .map(([name, value]) => [name.slice(0, 100), abridge(value)])
  )

const abridge = (value: unknown): unknown => {
  if (typeof value === "string") return value.slice(0, longest)
  try {
    const json = JSON.stringify(value) ?? ""
    return json.length > longest ? json.slice(0, longest) : value
  } catch {
    return "nested too deep"
  }
}
