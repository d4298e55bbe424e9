import type { OperationName } from "../../OperationName.js"
import { quote } from "../http/problems.js"
import { type ExchangeIndex, type IndexedExchange, type Sketch, sketchesOf } from "./exchangeIndex.js"
import { canonicalJson, type RequestContent } from "./identity.js"

/** The recorded request that differs in the fewest fields. `undefined`: none of the operation is recorded. */
export const nearestTo = (request: RequestContent, index: ExchangeIndex): IndexedExchange | undefined => {
  const fields = sketchesOf(request.fields)
  let nearest: { readonly exchange: IndexedExchange; readonly distance: number } | undefined
  for (const exchange of index.values()) {
    if (exchange.operation !== request.operation) continue
    const distance = distanceOf({ fields, audio: request.audio }, exchange)
    if (nearest === undefined || distance < nearest.distance) nearest = { exchange, distance }
  }
  return nearest?.exchange
}

/** The number of fields that differ, and between 0 and 1 more: how much they do. */
const distanceOf = (
  { audio, fields }: { readonly audio: RequestContent["audio"]; readonly fields: IndexedExchange["fields"] },
  recorded: IndexedExchange
): number => {
  const names = new Set([...fields.keys(), ...recorded.fields.keys()])
  let count = audio?.sha256 === recorded.audio?.sha256 ? 0 : 1
  let difference = 0
  for (const name of names) {
    const alike = likeness(fields.get(name), recorded.fields.get(name))
    if (alike === 1) continue
    count++
    difference += 1 - alike
  }
  return count + difference / (names.size + 1)
}

/** From 0 to 1: the part of two values that is the same at their beginnings and their ends. Of long values only these are known. */
const likeness = (one: Sketch | undefined, other: Sketch | undefined): number => {
  if (one === undefined || other === undefined) return 0
  const [a, b] = [one.beginning + one.end, other.beginning + other.end]
  if (a === b && one.length === other.length) return 1
  const shorter = Math.min(a.length, b.length)
  const from = sharedBeginning(a, b)
  const to = sharedEnd(a, b, shorter - from)
  return Math.min((from + to) / Math.max(a.length, b.length, 1), 0.999)
}

const sharedBeginning = (one: string, other: string): number => {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}

const sharedEnd = (one: string, other: string, most: number): number => {
  let length = 0
  while (length < most && one[one.length - 1 - length] === other[other.length - 1 - length]) length++
  return length
}

/** A request as a message describes it. */
export interface DescribedRequest extends Omit<RequestContent, "operation"> {
  readonly filename?: string | undefined
}

const nouns = { transcribe: "transcription", synthesize: "synthesis" }

/** The most differences that a message names. */
const mostDifferences = 3

/** In one sentence: that a request is not recorded, and how it differs from the nearest that is. */
export const describeMissing = (
  operation: OperationName,
  folder: string,
  request: DescribedRequest,
  recorded: (DescribedRequest & { readonly name: string }) | undefined
): string => {
  const how = `record it with --record ${folder} of speech run or speech serve, or send a recorded one`
  if (recorded === undefined) return `no ${nouns[operation]} is recorded; ${how}`
  const differences = differencesOf(request, recorded)
  const more = differences.length - mostDifferences
  const named = differences.slice(0, mostDifferences).join(", ")
  const others = more > 0 ? `, and ${more} more` : ""
  return `this ${nouns[operation]} is not recorded; the nearest, ${recorded.name}, differs in ${named}${others}; ${how}`
}

const differencesOf = (request: DescribedRequest, recorded: DescribedRequest): ReadonlyArray<string> => {
  const names = [...new Set([...Object.keys(request.fields), ...Object.keys(recorded.fields)])].toSorted()
  const differences = names.flatMap((name) => {
    const [here, there] = [textOf(request.fields, name), textOf(recorded.fields, name)]
    return here === there ? [] : [`${printableName(name)} (${compare(here, there)})`]
  })
  const isSame = request.audio?.sha256 === recorded.audio?.sha256
  return isSame
    ? differences
    : [...differences, `the audio (${describeAudio(request)}, recorded ${describeAudio(recorded)})`]
}

const printableName = (name: string): string => (/^[\w[\]]{1,60}$/.test(name) ? name : quote(name))

const textOf = (fields: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  if (!Object.hasOwn(fields, name)) return undefined
  const value = fields[name]
  return typeof value === "string" ? value : canonicalJson(value)
}

/** In characters, before the first difference of two values. */
const context = 20

/** Both values, from shortly before they differ. */
const compare = (here: string | undefined, there: string | undefined): string => {
  if (here === undefined) return `absent, recorded ${quote(there ?? "")}`
  if (there === undefined) return `${quote(here)}, recorded without it`
  const start = sharedBeginning(here, there) - context
  const from = start <= context ? 0 : start
  const part = (text: string) => quote(from === 0 ? text : `…${text.slice(from)}`)
  return distinct(part(here), part(there)).join(", recorded ")
}

/** In code units. A syllable of Hangul has up to three if it is not composed. */
const escaped = 3

/** Two texts, with the first difference written as escapes if it is not visible, as between `é` in one code point and in two. */
const distinct = (one: string, other: string): readonly [string, string] => {
  const at = sharedBeginning(one, other)
  const isVisible = sharedBeginning(appearance(one), appearance(other)) <= appearance(one.slice(0, at)).length
  return isVisible ? [one, other] : [escapeAt(one, at), escapeAt(other, at)]
}

const appearance = (text: string): string => text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "")

const escapeAt = (text: string, at: number): string => {
  const end = at + escaped
  const escapes = text
    .slice(at, end)
    .replace(/[^ -~…]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return `${text.slice(0, at)}${escapes}${text.slice(end)}`
}

const describeAudio = ({ audio, filename }: DescribedRequest): string =>
  audio === undefined ? "none" : `${filename === undefined ? "" : `${quote(filename)} of `}${audio.bytes} bytes`
