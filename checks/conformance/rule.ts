/** A rule of the contract, and its verdict on a service. */
import type { HttpResponse, OwnService, Service } from "./service.js"

/** Why a rule is checked only against a service that this check started itself. */
export const reasons = {
  account: "it changes the account: its keys, credit or usage",
  failure: "it needs a service that fails on demand",
  credit: "it would cost ten thousand code points",
  knownSpeech: "it needs a recogniser that is sure to know the words",
  knownVoice: "it needs voices whose pitch is known"
} as const

interface Statement {
  /** One sentence of the contract, as a client can observe it. Unique. */
  readonly sentence: string
  readonly expected: string
}

/** Without a `reason`, any service is asked: the rule cannot reach the platform, and costs little. */
type Check =
  | { readonly reason?: undefined; readonly check: (service: Service) => Promise<Verdict> }
  | { readonly reason: keyof typeof reasons; readonly check: (service: OwnService) => Promise<Verdict> }

export type Rule = Statement & Check & { readonly section: string }

export interface Verdict {
  readonly observed: string
  /** `undefined` if the contract does not say what is right. */
  readonly held?: boolean
}

/** A rule for any service. */
export const rule = (sentence: string, expected: string, check: (service: Service) => Promise<Verdict>) => ({
  sentence,
  expected,
  check
})

/** A rule for a service that this check started. */
export const ownRule = (
  reason: keyof typeof reasons,
  sentence: string,
  expected: string,
  check: (service: OwnService) => Promise<Verdict>
) => ({ reason, sentence, expected, check })

export const inSection = (section: string, rules: ReadonlyArray<Statement & Check>): ReadonlyArray<Rule> =>
  rules.map((each) => ({ section, ...each }))

export const verdict = (held: boolean, observed: string): Verdict => ({ held, observed })

/** `expected` if the rule holds, so that the table shows the same words in both columns. */
export const verdictOf = (held: boolean, expected: string, otherwise: string): Verdict =>
  verdict(held, held ? expected : otherwise)

/** The contract does not say what is right: the table shows what the service does. */
export const notSpecified = (observed: string): Verdict => ({ observed })

/** Holds if every case holds. Otherwise shows the first case that does not. */
const allCasesHold = (cases: ReadonlyArray<readonly [name: string, verdict: Verdict]>): Verdict => {
  for (const [name, { held, observed }] of cases) if (held !== true) return verdict(false, `${name}: ${observed}`)
  return verdict(true, [...new Set(cases.map(([, { observed }]) => observed))].join(", "))
}

export const allHold = (cases: Readonly<Record<string, Verdict>>): Verdict => allCasesHold(Object.entries(cases))

/** Checks one case after the other. */
export const forEachCase = async <T>(
  cases: ReadonlyArray<T>,
  check: (each: T) => Promise<Verdict>,
  nameOfCase: (each: T) => string = String
): Promise<Verdict> => {
  const verdicts: Array<readonly [string, Verdict]> = []
  for (const each of cases) verdicts.push([nameOfCase(each), await check(each)])
  return allCasesHold(verdicts)
}

export const show = ({ bytes, headers, status }: HttpResponse): string =>
  /^audio|octet/.test(String(headers["content-type"])) || bytes.includes(0)
    ? `${status} with ${bytes.length} bytes`
    : `${status} ${bytes.subarray(0, 2000).toString()}`.trim()

/** The JSON object in the body, or `undefined`. */
export const jsonObject = ({ bytes }: HttpResponse): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

export const hasStatus = (response: HttpResponse, status: number): Verdict =>
  verdictOf(response.status === status, `${status}`, show(response))

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** A 400 whose message names a word. */
export const refusalNaming = (response: HttpResponse, word: string): Verdict => {
  const error = jsonObject(response)?.error
  const isNamed = isText(error) && new RegExp(`(?<![\\w.])${word}(?![\\w])`).test(error)
  return verdict(response.status === 400 && isNamed, show(response))
}

/** `error`, `message`, and `status` with the value `error`. */
export const isTranscriptionFailure = (response: HttpResponse, status: number): Verdict => {
  const body = jsonObject(response)
  const isComplete = isText(body?.error) && isText(body.message) && body.status === "error"
  return verdict(response.status === status && isComplete, show(response))
}

/** An object with `error` and nothing else. */
export const isSynthesisFailure = (response: HttpResponse, status: number): Verdict => {
  const body = jsonObject(response) ?? {}
  return verdict(response.status === status && isText(body.error) && Object.keys(body).length === 1, show(response))
}

export const header = ({ headers }: HttpResponse, name: string): string | undefined => {
  const value = headers[name.toLowerCase()]
  return value === undefined ? undefined : String(value)
}
