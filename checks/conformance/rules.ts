/** All rules of the contract, and how to check a service against one. */
import { accountRules } from "./accountRules.js"
import { Broken, type Rule, reasons } from "./rule.js"
import { makeOwnService, makeService, type OwnService, remembering, type Send, type ServiceOptions } from "./service.js"
import { synthesisRules } from "./synthesisRules.js"
import { transcriptionRules } from "./transcriptionRules.js"

export const rules: ReadonlyArray<Rule> = [...transcriptionRules, ...synthesisRules, ...accountRules]

/** What came of a rule, and what the service does if that is not obvious. */
export interface Outcome {
  readonly held: "yes" | "NO" | "skipped" | "not specified"
  readonly observed: string
}

const verdictOn = async (check: Promise<unknown>): Promise<Outcome> => {
  try {
    const observed = await check
    return typeof observed === "string" ? { held: "not specified", observed } : { held: "yes", observed: "" }
  } catch (error) {
    if (error instanceof Broken) return { held: "NO", observed: error.message }
    if (error instanceof Error && "code" in error) return { held: "NO", observed: `no response: ${error.code}` }
    throw error
  }
}

const checkOwn = async (rule: Rule & { readonly reason: string }, service: OwnService): Promise<Outcome> => {
  try {
    return await verdictOn(rule.check(service))
  } finally {
    // The next rule starts from a fresh account.
    await service.platform("POST", "reset", {})
  }
}

/**
 * Checks a service. Without the admin token, the rules with a reason are skipped; with it, only those with a reason of `without`. Equal requests are sent once, except by rules that
 * change the account or make the service fail.
 */
export const checker = (
  send: Send,
  options: ServiceOptions & { readonly adminToken?: string; readonly without?: ReadonlyArray<keyof typeof reasons> }
) => {
  const { adminToken, without = [], ...own } = options
  const remembered = remembering(send)
  return async (rule: Rule): Promise<Outcome> => {
    if (rule.reason === undefined) return verdictOn(rule.check(makeService(remembered, own)))
    if (adminToken === undefined || without.includes(rule.reason)) {
      return { held: "skipped", observed: reasons[rule.reason] }
    }
    const changesService = rule.reason === "account" || rule.reason === "failure"
    return checkOwn(rule, makeOwnService(changesService ? send : remembered, { ...own, adminToken }))
  }
}
