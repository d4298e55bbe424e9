const maximumFields = 16

/** In UTF-16 code units, of a name and of a value. */
const maximumName = 100
const maximumValue = 1000

/** In UTF-16 code units, of all fields: 16 MB for the thousand requests of the journal. */
const maximumJson = 8000

/**
 * The fields of a request as JSON, shortened for the journal: at most 16, each with at most 1,000 characters, together at most
 * 8,000. A longer value that is no string becomes the beginning of its JSON.
 *
 * JSON is a copy. A part of a string would keep the whole string in memory, and objects take many times their JSON.
 */
export const fieldsAsJson = (fields: Readonly<Record<string, unknown>>): string => {
  const members: Array<string> = []
  let left = maximumJson
  for (const [name, value] of Object.entries(fields).slice(0, maximumFields)) {
    if (value === undefined) continue
    const member = `${JSON.stringify(name.slice(0, maximumName))}:${shortJson(value)}`
    left -= member.length
    if (left < 0) break
    members.push(member)
  }
  return `{${members.join(",")}}`
}

const shortJson = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value.slice(0, maximumValue))
  try {
    const json = JSON.stringify(value) ?? "null"
    return json.length > maximumValue ? JSON.stringify(json.slice(0, maximumValue)) : json
  } catch {
    return '"nested too deep"'
  }
}
