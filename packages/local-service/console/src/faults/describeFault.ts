/** A fault as a sentence: "Every third synthesis fails with 503." */
import type { Fault } from "../../../src/Faults.js"
import { number, plural } from "../format.js"

/** Says which requests meet a fault, and what happens to them. */
export const describeFault = (fault: Fault): string => {
  const { isMany, words } = subjectOf(fault)
  const phrases = effectsOf(fault).map(({ many, one, rest }) => `${isMany ? many : one} ${rest}`)
  const sentence = [timeOf(fault), words, listed(phrases)].filter(Boolean).join(" ")
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
}

/** What happens to one request that meets the fault: "fails with 503". */
export const describeEffect = (fault: Fault): string =>
  listed(effectsOf(fault).map(({ one, rest }) => `${one} ${rest}`))

interface Subject {
  readonly words: string
  /** Whether its verb is in the plural. */
  readonly isMany: boolean
}

const nouns = {
  synthesize: ["synthesis", "syntheses"],
  transcribe: ["transcription", "transcriptions"],
  both: ["request", "requests"]
} as const

const subjectOf = ({ every = 1, nth = every, operation, probability = 1, times }: Fault): Subject => {
  const [noun, nounOfMany] = nouns[operation ?? "both"]
  if (probability < 1) {
    const share = `about ${percent(probability)} of ${every > 1 ? `every ${ordinal(every)} ${noun}` : `the ${nounOfMany}`}`
    return { words: `${share}${beginning(nth, every)}${limit(times)}`, isMany: true }
  }
  if (every > 1)
    return { words: `every ${ordinal(every)} ${noun}${beginning(nth, every)}${limit(times)}`, isMany: false }
  if (times === undefined) {
    return { words: nth === 1 ? `every ${noun}` : `every ${noun} from the ${ordinal(nth)} on`, isMany: false }
  }
  if (times === 1) return { words: nth === 1 ? `the next ${noun}` : `the ${ordinal(nth)} ${noun}`, isMany: false }
  return {
    words: `the next ${number(times)} ${nounOfMany}${nth === 1 ? "" : ` from the ${ordinal(nth)} on`}`,
    isMany: true
  }
}

const beginning = (nth: number, every: number): string => (nth === every ? "" : `, from the ${ordinal(nth)} on,`)

const limit = (times: number | undefined): string =>
  times === undefined ? "" : ` (at most ${times === 1 ? "once" : `${number(times)} times`})`

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`

const ordinals = [
  "zeroth",
  "first",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth"
]
const rules = new Intl.PluralRules("en", { type: "ordinal" })
const suffixes: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" }
const ordinal = (value: number): string => ordinals[value] ?? `${number(value)}${suffixes[rules.select(value)] ?? "th"}`

const timeOf = ({ afterMillis = 0, forMillis }: Fault): string =>
  [
    afterMillis > 0 && `${duration(afterMillis)} after it is set,`,
    forMillis !== undefined && `for ${duration(forMillis)},`
  ]
    .filter(Boolean)
    .join(" ")

/** Such as 1.5 s. */
export const duration = (millis: number): string => {
  if (millis < 1000) return `${number(millis)} ms`
  const seconds = millis / 1000
  if (seconds < 120) return `${Number(seconds.toFixed(1))} s`
  return `${Number((seconds / 60).toFixed(1))} min`
}

interface Effect {
  readonly one: string
  readonly many: string
  readonly rest: string
}

const effectsOf = (fault: Fault): ReadonlyArray<Effect> => {
  const { body, delayMillis, malformedHeader, reset, stallAtByte, status, truncateAtByte } = fault
  const gets = (rest: string): Effect => ({ one: "gets", many: "get", rest })
  const is = (rest: string): Effect => ({ one: "is", many: "are", rest })
  const ends = reset !== undefined || malformedHeader !== undefined
  const effects: ReadonlyArray<Effect | false> = [
    status !== undefined && !ends && statusEffect(fault),
    status === undefined && body !== undefined && !ends && gets("a 200 with a body of yours"),
    reset === "request" && { one: "loses", many: "lose", rest: "the connection at once" },
    reset === "answer" && { one: "loses", many: "lose", rest: "the connection instead of a response" },
    malformedHeader !== undefined && !reset && gets("a header that no client can parse"),
    truncateAtByte !== undefined && is(`cut off after ${plural(truncateAtByte, "byte")}`),
    stallAtByte !== undefined && gets(`${plural(stallAtByte, "byte")} of the response and then nothing`),
    !ends && headersEffect(fault),
    delayMillis !== undefined && is(`answered ${duration(delayMillis)} late`)
  ]
  return effects.filter((effect) => effect !== false)
}

const statusEffect = ({ body, headers, message, status = 200 }: Fault): Effect => {
  const retryAfter = retryAfterOf(headers)
  const more = [
    body !== undefined && "a body of yours",
    body === undefined && message !== undefined && `“${message}”`,
    retryAfter !== undefined && `Retry-After: ${retryAfter}`
  ].filter(Boolean)
  const rest = [status, ...more].join(", ")
  return status < 400 ? { one: "gets", many: "get", rest } : { one: "fails", many: "fail", rest: `with ${rest}` }
}

const retryAfterOf = (headers: Fault["headers"] = {}): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? undefined

/** The headers that no other effect names. */
const headersEffect = ({ headers = {}, status }: Fault): Effect | false => {
  const isNamed = (name: string) => status !== undefined && name.toLowerCase() === "retry-after"
  const changed = Object.entries(headers).filter(([name]) => !isNamed(name))
  if (changed.length === 0) return false
  const words = changed.map(([name, value]) => (value === null ? `no ${name}` : `${name}: ${value}`))
  return { one: "has", many: "have", rest: words.join(", ") }
}

const listed = (phrases: ReadonlyArray<string>): string =>
  phrases.length < 2 ? phrases.join("") : `${phrases.slice(0, -1).join(", ")} and ${phrases.at(-1)}`
