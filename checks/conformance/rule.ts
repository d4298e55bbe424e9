/** What a rule of the contract is, and how an answer is held to it. */
import type { Answer, OwnService, Service } from "./service.js"

export const sections = [
  "Transcription: request",
  "Transcription: response",
  "Transcription: errors",
  "Synthesis: request",
  "Synthesis: response",
  "Synthesis: request id",
  "Synthesis: errors",
  "Keys",
  "Billing",
  "Limits"
] as const

/** Why a rule is asked of a service of our own alone. */
export const reasons = {
  account: "it takes the account: its keys, credit or usage",
  failure: "it takes a failure of the service",
  credit: "it would cost ten thousand code points",
  knownSpeech: "it takes a recogniser that is sure to know what was said",
  knownVoice: "it takes voices whose pitch is known"
} as const

interface Stated {
  readonly section: (typeof sections)[number]
  /** A sentence of the contract, as it can be seen from outside. */
  readonly rule: string
  readonly expected: string
}

/**
 * This is what decides whom a rule is asked of. What is asked `anywhere` has no way to the platform, and costs a little at
 * most; all else names its reason, and is asked of a service that was started for it.
 */
export type Rule = Stated &
  (
    | { readonly anywhere: (service: Service) => Promise<Seen> }
    | { readonly locally: (service: OwnService) => Promise<Seen>; readonly reason: keyof typeof reasons }
  )

export interface Seen {
  readonly seen: string
  /** Absent where the contract leaves it open. */
  readonly held?: boolean
}

export const judged = (held: boolean, seen: string): Seen => ({ held, seen })

/** What the contract does not show is told. */
export const told = (seen: string): Seen => ({ seen })

/** Held where each case is; the first that is not is what was seen. */
export const every = (cases: Readonly<Record<string, Seen>>): Seen => {
  for (const [name, { held, seen }] of Object.entries(cases)) {
    if (held !== true) return judged(false, `${name}: ${seen}`)
  }
  return judged(true, [...new Set(Object.values(cases).map(({ seen }) => seen))].join(", "))
}

/** One request after the other, each with its name. */
export const forEach = async <T extends string>(
  names: ReadonlyArray<T>,
  ask: (name: T) => Promise<Seen>
): Promise<Seen> => {
  const cases: Record<string, Seen> = {}
  for (const name of names) cases[name] = await ask(name)
  return every(cases)
}

export const show = ({ bytes, headers, status }: Answer): string =>
  /^audio|octet/.test(String(headers["content-type"])) || bytes.includes(0)
    ? `${status} with ${bytes.length} bytes`
    : `${status} ${bytes.subarray(0, 2000).toString()}`.trim()

/** A JSON object, or nothing. */
export const objectIn = ({ bytes }: Answer): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

export const hasStatus = (answer: Answer, status: number): Seen =>
  answer.status === status ? judged(true, `${status}`) : judged(false, show(answer))

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** A refusal whose message names a word. */
export const refusalNaming = (answer: Answer, word: string): Seen => {
  const error = objectIn(answer)?.error
  const named = isText(error) && new RegExp(`(?<![\\w.])${word}(?![\\w])`).test(error)
  return judged(answer.status === 400 && named, show(answer))
}

/** What a failed transcription carries. */
export const isTranscriptionFailure = (answer: Answer, status: number): Seen => {
  const body = objectIn(answer)
  const carried = isText(body?.error) && isText(body.message) && body.status === "error"
  return judged(answer.status === status && carried, show(answer))
}

/** What a failed synthesis is: an object with an error and nothing else. */
export const isSynthesisFailure = (answer: Answer, status: number): Seen => {
  const body = objectIn(answer) ?? {}
  return judged(answer.status === status && isText(body.error) && Object.keys(body).length === 1, show(answer))
}

export const header = (answer: Answer, name: string): string | undefined => {
  const value = answer.headers[name.toLowerCase()]
  return value === undefined ? undefined : String(value)
}
