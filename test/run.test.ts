/** `scripts/run.js`, by which `pnpm demo`, `pnpm example` and `pnpm speech` run the sources. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it } from "@effect/vitest"
import { root, run, temporaryFolder } from "effect-speech-test-support/processes"
import { afterAll } from "vitest"

const temporary = temporaryFolder("run-")
const runner = join(root, "scripts/run.js")
const cache = join(root, "node_modules/.cache/effect-speech")

/** Removes the bundles of programs that only a test has. */
afterAll(() => {
  for (const state of readdirSync(cache).filter((name) => name.endsWith(".json"))) {
    if (!readFileSync(join(cache, state), "utf8").includes(temporary)) continue
    for (const extension of ["", ".map", ".json"]) rmSync(join(cache, state.replace(/\.json$/, extension)))
  }
})

it("a program from the sources takes arguments, runs as it is after a change, and names the place of an error", async () => {
  const program = join(temporary, "program.ts")
  const start = () => run(process.execPath, [runner, program, "argument"], { mayFail: true })
  writeFileSync(
    program,
    `import { word } from "./word.js"
const [, file, argument]: ReadonlyArray<string> = process.argv
console.log(word, file, argument, import.meta.url)
if (word === "two") throw new Error("the end")
`
  )
  for (const [word, status] of [
    ["one", 0],
    ["one", 0],
    ["two", 1]
  ] as const) {
    writeFileSync(join(temporary, "word.ts"), `export const word: string = "${word}"\n`)
    const outcome = await start()
    expect(outcome).toMatchObject({ status, stdout: `${word} ${program} argument ${pathToFileURL(program)}\n` })
    if (status === 1) expect(outcome.stderr).toContain(`${program}:4:`)
  }
})

it("a program from the sources that does not compile is refused with the place", async () => {
  const program = join(temporary, "broken.ts")
  writeFileSync(program, "const = 1\n")
  const { status, stderr } = await run(process.execPath, [runner, program], { mayFail: true })
  expect(status).toBe(1)
  expect(stderr).toContain("broken.ts:1:6")
})
