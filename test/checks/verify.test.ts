import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import { type Check, checks } from "../../checks/checks.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const verify = (...parameters: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ["--import", "tsx", "checks/verify.ts", ...parameters], { cwd: root, encoding: "utf8" })

it("lists every check without a name, and suggests one for a misspelt name", () => {
  const { status, stdout } = verify()
  expect(status).toBe(0)
  for (const { shows } of Object.values(checks)) expect(stdout).toContain(shows)

  const misspelt = verify("netwrk")
  expect(misspelt.status).toBe(2)
  expect(misspelt.stderr).toContain('Did you mean "network"?')
})

it("passes the options to the check, and its exit status on", () => {
  const { status, stderr } = verify("corpus", "no folder")
  expect(status).toBe(2)
  expect(stderr).toContain("manifest.json")
})

it("documents every check as it is declared", () => {
  const rows = readFileSync(`${root}checks/README.md`, "utf8")
    .split("\n")
    .map((row) => row.replaceAll(/ +/g, " "))
  for (const [name, { options, shows, takes }] of Object.entries<Check>(checks)) {
    expect(rows).toContain(`| \`${name}\` | ${shows} | ${options === undefined ? "" : `\`${options}\` `}| ${takes} |`)
  }
})
