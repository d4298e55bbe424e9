/** In UTF-16 code units. */
const maximumLength = 1000
const maximumFields = 16

/**
 * The fields of a request, shortened for the journal: at most 16, each with at most 1,000 characters. A longer value that
 * is no string becomes the beginning of its JSON.
 */
export const truncateFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, maximumFields)
      .map(([name, value]) => [name.slice(0, 100), truncate(value)])
  )

const truncate = (value: unknown): unknown => {
  if (typeof value === "string") return value.slice(0, maximumLength)
  try {
    const json = JSON.stringify(value) ?? ""
    return json.length > maximumLength ? json.slice(0, maximumLength) : value
  } catch {
    return "nested too deep"
  }
}
