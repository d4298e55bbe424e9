/** The whole contract, rule by rule, and how a service is held to it. */
import { accountRules } from "./accountRules.js"
import { judged, type Rule, reasons, type Seen, sections } from "./rule.js"
import type { OwnService, Service } from "./service.js"
import { synthesisRules } from "./synthesisRules.js"
import { transcriptionRules } from "./transcriptionRules.js"

export const rules = { ...transcriptionRules, ...synthesisRules, ...accountRules }

export type RuleName = keyof typeof rules

/** In the order of their sections. */
export const ruleNames: ReadonlyArray<RuleName> = sections.flatMap((section) =>
  (Object.keys(rules) as ReadonlyArray<RuleName>).filter((name) => rules[name].section === section)
)

/** Whether a rule changes the account, or makes the service fail: what is asked for it is asked anew. */
export const changesService = (name: RuleName): boolean => {
  const rule: Rule = rules[name]
  return "reason" in rule && (rule.reason === "account" || rule.reason === "failure")
}

/** What was seen of each rule, or why it was not asked. */
export type Outcome = Seen | { readonly notAsked: string }

/** A question that gets no answer breaks the rule that it is asked for. */
const seenBy = async (ask: Promise<Seen>): Promise<Seen> => {
  try {
    return await ask
  } catch (error) {
    if (error instanceof Error && "code" in error) return judged(false, `no answer: ${error.code}`)
    throw error
  }
}

/** Asks what may be asked of any service, and of one of our own the rest. */
export const outcomeOf = async (name: RuleName, service: Service | OwnService): Promise<Outcome> => {
  const rule: Rule = rules[name]
  if ("anywhere" in rule) return seenBy(rule.anywhere(service))
  if (!("platform" in service)) return { notAsked: reasons[rule.reason] }
  try {
    return await seenBy(rule.locally(service))
  } finally {
    // As at the start, for whatever is asked next.
    await service.platform("POST", "reset", {})
  }
}
