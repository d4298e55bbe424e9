import { maximumCodePoints } from "@effect-speech/tts/TtsContract"
import type { HideKey } from "./hideKey.js"

const maximumFields = 16

/** In UTF-16 code units, of a name and of a value. */
const maximumName = 100
const maximumValue = 1000

/** In UTF-16 code units, of all fields but `text`. */
const maximumJson = 8000

/** In UTF-16 code units: the longest text of a synthesis, which a replay sends again. */
const maximumText = 2 * maximumCodePoints

export interface ShortenedFields {
  readonly json: string
  /** Whether no field was cut, changed or left out. */
  readonly isWhole: boolean
}

/**
 * The fields of a request as JSON, shortened for the journal: at most 16, each with at most 1,000 characters, together at most
 * 8,000. A longer value that is no string becomes the beginning of its JSON. A `text` is whole, as long as it can be valid. Keys are
 * hidden before a value is cut: a part of one would stay.
 *
 * JSON is a copy. A part of a string would keep the whole string in memory, and objects take many times their JSON.
 */
export const shortenFields = (fields: Readonly<Record<string, unknown>>, hide: HideKey): ShortenedFields => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const members: Array<string> = []
  let isWhole = true
  let left = maximumJson
  for (const [name, value] of given.slice(0, maximumFields)) {
    const isText = name === "text" && typeof value === "string"
    const short = shortJson(value, isText ? maximumText : maximumValue, hide)
    const shortName = hide(name).slice(0, maximumName)
    const member = `${JSON.stringify(shortName)}:${short.json}`
    if (!isText) left -= member.length
    if (left < 0) break
    members.push(member)
    isWhole &&= short.isWhole && shortName === name
  }
  return { json: `{${members.join(",")}}`, isWhole: isWhole && members.length === given.length }
}

const shortJson = (value: unknown, maximum: number, hide: HideKey): ShortenedFields => {
  if (typeof value === "string") {
    const short = hide(value).slice(0, maximum)
    return { json: JSON.stringify(short), isWhole: short === value }
  }
  try {
    const json = JSON.stringify(value) ?? "null"
    const safe = hide(json)
    return safe.length > maximum
      ? { json: JSON.stringify(safe.slice(0, maximum)), isWhole: false }
      : { json: safe, isWhole: safe === json }
  } catch {
    return { json: '"nested too deep"', isWhole: false }
  }
}

/** The beginning of a text, as a string of its own: a part would keep the whole in memory. */
export const shortText = (text: string, maximum: number): string =>
  text.length <= maximum ? text : Buffer.from(text.slice(0, maximum).replace(/[\uD800-\uDBFF]$/, "")).toString()
