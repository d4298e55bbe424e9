/** The recipes of BUNDLING.md. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { lexer } from "marked"
import { root } from "./processes.js"

export interface Recipe {
  /** Its heading. */
  readonly name: string
  /** The program that it bundles: `program.ts`, `fetch.ts` or `service.ts`. */
  readonly entry: string
  /** The content of `vite.config.js`, if it needs one. */
  readonly config: string | undefined
  readonly command: string
  /** The path of the bundle. */
  readonly output: string
}

const recipeOf = (name: string, code: Readonly<Record<string, string>>): ReadonlyArray<Recipe> => {
  const { js: config, sh: command } = code
  if (command === undefined) return []
  const [entry] = /\b\w+\.ts\b/.exec(config ?? command) ?? []
  if (entry === undefined) throw new Error(`The recipe "${name}" names no program.`)
  const [, output = `dist/${entry.replace(/\.ts$/, ".js")}`] = /--outfile=(\S+)/.exec(command) ?? []
  return [{ name, entry, config, command, output }]
}

/** The first `sh` block below each heading of the second level, with the `js` block there. */
export const recipes: ReadonlyArray<Recipe> = (() => {
  const found: Array<readonly [name: string, code: Record<string, string>]> = []
  for (const token of lexer(readFileSync(join(root, "BUNDLING.md"), "utf8"))) {
    if (token.type === "heading" && token.depth === 2) found.push([token.text, {}])
    if (token.type === "code") Object.assign(found.at(-1)?.[1] ?? {}, { [token.lang]: token.text })
  }
  return found.flatMap(([name, code]) => recipeOf(name, code))
})()
