/** The rules of WCAG that a page breaks, by axe. */
import axe from "axe-core"
import type { Locator } from "playwright-core"

/** Levels A and AA of WCAG 2.2, and what axe recommends beyond them. */
const all = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/**
 * The rules that a part of a page breaks, and where. If the part is not the element `html`, the rules of whole pages are skipped.
 *
 * axe writes a style element. If a policy of the page blocks it, the browser prints a message.
 *
 * @param rules Tags or names. Default: WCAG 2.2 at levels A and AA.
 */
export const findViolations = async (
  part: Locator,
  rules: ReadonlyArray<string> = all
): Promise<ReadonlyArray<string>> => {
  await part.page().evaluate(`globalThis.axe === undefined && (() => { ${axe.source} })()`)
  return part.evaluate(async (element, runOnly) => {
    // Nobody reads what passes, and it is most of the result.
    const options = { runOnly: [...runOnly], resultTypes: ["violations" as const], iframes: false }
    const { violations } = await (globalThis as unknown as { readonly axe: typeof axe }).axe.run(element, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ failureSummary, target }) => `${id}: ${target.join(" ")}: ${failureSummary}`)
    )
  }, rules)
}
