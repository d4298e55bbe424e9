import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { names, report, reportFile } from "../../scripts/apiReport.js"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The exports of a built package that lack a tag in their docstring. `export { … }` names what another module declares. */
const withoutTags = (name: string): ReadonlyArray<string> => {
  const dist = `${root}packages/${name}/dist`
  const modules = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".d.ts") && !file.startsWith("internal/") && !file.endsWith("index.d.ts")
  )
  return modules.flatMap((file) => {
    const text = readFileSync(`${dist}/${file}`, "utf8")
    const exported =
      /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (?:declare )?(?:const|class|function\*?|interface|type) (\w+)/gm
    return [...text.matchAll(exported)].flatMap(([, docstring = "", exportedName]) =>
      /@since \d+\.\d+\.\d+\n \* @category \w/.test(docstring) ? [] : [`${file}: ${exportedName}`]
    )
  })
}

describe("the public API", () => {
  it.each(names)("of %s is the one in its report, which `pnpm api` writes", (name) => {
    expect(report(name)).toBe(readFileSync(reportFile(name), "utf8"))
  })

  it.each(names)("of %s says of each export since when it exists, and what kind of thing it is", (name) => {
    expect(withoutTags(name)).toEqual([])
  })
})
