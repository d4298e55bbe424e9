import { maximumCodePoints } from "@effect-speech/tts/TtsContract"

const maximumFields = 16

/** In UTF-16 code units, of a name and of a value. */
const maximumName = 100
const maximumValue = 1000

/** In UTF-16 code units, of all fields but `text`. */
const maximumJson = 8000

/** In UTF-16 code units: the longest text of a synthesis, which a replay sends again. */
const maximumText = 2 * maximumCodePoints

/**
 * The fields of a request as JSON, shortened for the journal: at most 16, each with at most 1,000 characters, together at most
 * 8,000. A longer value that is no string becomes the beginning of its JSON. A `text` is whole, as long as it can be valid.
 *
 * JSON is a copy. A part of a string would keep the whole string in memory, and objects take many times their JSON.
 */
export const fieldsAsJson = (fields: Readonly<Record<string, unknown>>): string => {
  const members: Array<string> = []
  let left = maximumJson
  for (const [name, value] of Object.entries(fields).slice(0, maximumFields)) {
    if (value === undefined) continue
    const isText = name === "text" && typeof value === "string"
    const member = `${JSON.stringify(name.slice(0, maximumName))}:${shortJson(value, isText ? maximumText : maximumValue)}`
    if (!isText) left -= member.length
    if (left < 0) break
    members.push(member)
  }
  return `{${members.join(",")}}`
}

const shortJson = (value: unknown, maximum: number): string => {
  if (typeof value === "string") return JSON.stringify(value.slice(0, maximum))
  try {
    const json = JSON.stringify(value) ?? "null"
    return json.length > maximum ? JSON.stringify(json.slice(0, maximum)) : json
  } catch {
    return '"nested too deep"'
  }
}
