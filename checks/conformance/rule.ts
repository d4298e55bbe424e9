/** A rule of the contract, and what its check demands of responses. */
import type { HttpResponse, OwnService, Service } from "./service.js"

/** Why a rule is checked only against a service that this check started itself. */
export const reasons = {
  account: "it changes the account: its keys, credit or usage",
  failure: "it needs a service that fails on demand",
  credit: "it would cost ten thousand code points",
  knownSpeech: "it needs a recogniser that is sure to know the words",
  knownVoice: "it needs voices whose pitch is known"
} as const

/** Throws `Broken` if the rule does not hold. Where the contract does not say what is right, returns what the service does, as a string. */
type Check<S> = (service: S) => Promise<unknown>

export type Rule = {
  readonly section: string
  /** One sentence of the contract, as a client can observe it. Unique. */
  readonly sentence: string
  // Without a `reason`, any service is asked: the rule cannot reach the platform, and costs little.
} & (
  | { readonly reason?: undefined; readonly check: Check<Service> }
  | { readonly reason: keyof typeof reasons; readonly check: Check<OwnService> }
)

/** Makes the rules of a section: for any service, and for one that this check started. */
export const inSection = (section: string) => ({
  rule: (sentence: string, check: Check<Service>): Rule => ({ section, sentence, check }),
  ownRule: (reason: keyof typeof reasons, sentence: string, check: Check<OwnService>): Rule => ({
    section,
    reason,
    sentence,
    check
  })
})

/** A service breaks a rule. The message says what it does instead. */
export class Broken extends Error {}

export const demand: (holds: boolean, observed: string) => asserts holds = (holds, observed) => {
  if (!holds) throw new Broken(observed)
}

/** A response, with the request that it answers. */
export const show = ({ bytes, headers, request, status }: HttpResponse): string => {
  const isAudio = /^audio|octet/.test(String(headers["content-type"])) || bytes.includes(0)
  return `${request}: ${status} ${isAudio ? `with ${bytes.length} bytes` : bytes.subarray(0, 2000).toString()}`.trim()
}

export const demandStatus = (response: HttpResponse, status: number): void =>
  demand(response.status === status, show(response))

/** The JSON object in the body, or `undefined`. */
export const jsonObject = ({ bytes }: HttpResponse): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** Demands a 400 whose message names a word. */
export const demandRefusalNaming = (response: HttpResponse, word: string): void => {
  const error = jsonObject(response)?.error
  const isNamed = isText(error) && new RegExp(`(?<![\\w.])${word}(?![\\w])`).test(error)
  demand(response.status === 400 && isNamed, show(response))
}

/** Demands `error`, `message`, and `status` with the value `error`. */
export const demandTranscriptionFailure = (response: HttpResponse, status: number): void => {
  const body = jsonObject(response)
  const isComplete = isText(body?.error) && isText(body.message) && body.status === "error"
  demand(response.status === status && isComplete, show(response))
}

/** Demands an object with `error` and nothing else. */
export const demandSynthesisFailure = (response: HttpResponse, status: number): void => {
  const body = jsonObject(response) ?? {}
  demand(response.status === status && isText(body.error) && Object.keys(body).length === 1, show(response))
}

export const header = ({ headers }: HttpResponse, name: string): string | undefined => {
  const value = headers[name.toLowerCase()]
  return value === undefined ? undefined : String(value)
}
