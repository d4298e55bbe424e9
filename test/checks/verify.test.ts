import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import { checks, groups } from "../../checks/checks.js"
import { documents } from "../../scripts/snippets.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const verify = (...parameters: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ["--import", "tsx", "checks/verify.ts", ...parameters], { cwd: root, encoding: "utf8" })

it("lists every check without a name, and suggests one for a misspelt name", () => {
  const { status, stdout } = verify()
  expect(status).toBe(0)
  // The README says what each check shows and how long it takes.
  for (const name of Object.keys(checks)) expect(stdout).toMatch(new RegExp(`^${name} +\\d+ (s|min) {2}[A-Z]`, "m"))

  const misspelt = verify("netwrk")
  expect(misspelt.status).toBe(2)
  expect(misspelt.stderr).toContain('Did you mean "network"?')
})

it("passes the options to the check, and its exit status on", () => {
  const { status, stderr } = verify("corpus", "no folder")
  expect(status).toBe(2)
  expect(stderr).toContain("manifest.json")
})

it("has each check that a document names", () => {
  const named = documents.flatMap((document) => [
    ...readFileSync(`${root}${document}`, "utf8").matchAll(/pnpm verify ([a-z\d-]+)/g)
  ])
  const unknown = named.flatMap(([, name = ""]) => (name in checks || name in groups ? [] : [name]))
  expect(unknown).toEqual([])
})
