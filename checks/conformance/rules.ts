/** All rules of the contract, and how to check a service against one. */
import { accountRules } from "./accountRules.js"
import { type Rule, reasons, type Verdict, verdict } from "./rule.js"
import type { OwnService, Service } from "./service.js"
import { synthesisRules } from "./synthesisRules.js"
import { transcriptionRules } from "./transcriptionRules.js"

export const rules: ReadonlyArray<Rule> = [...transcriptionRules, ...synthesisRules, ...accountRules]

/** Whether a rule changes the account or makes the service fail: earlier responses then do not apply. */
export const changesService = ({ reason }: Rule): boolean => reason === "account" || reason === "failure"

export type Outcome = Verdict | { readonly skipped: string }

/** A request without a response breaks the rule. */
const verdictOn = async (check: Promise<Verdict>): Promise<Verdict> => {
  try {
    return await check
  } catch (error) {
    if (error instanceof Error && "code" in error) return verdict(false, `no response: ${error.code}`)
    throw error
  }
}

/** Checks one rule. Skips it if it needs a service of our own and this is another. */
export const checkRule = async (rule: Rule, service: Service | OwnService): Promise<Outcome> => {
  if (rule.reason === undefined) return verdictOn(rule.check(service))
  if (!("platform" in service)) return { skipped: reasons[rule.reason] }
  try {
    return await verdictOn(rule.check(service))
  } finally {
    // The next rule starts from a fresh account.
    await service.platform("POST", "reset", {})
  }
}
