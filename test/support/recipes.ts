/** The recipes of docs/guides/bundling.md. */
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
  /** The size of the bundle, in megabytes, if the document says it. */
  readonly megabytes: number | undefined
}

/** The code of a section by its language, and the text of the section. */
interface Section {
  readonly code: Record<string, string>
  text: string
}

const recipeOf = (name: string, { code, text }: Section): ReadonlyArray<Recipe> => {
  const { js: config, sh: command } = code
  if (command === undefined) return []
  const [entry] = /\b\w+\.ts\b/.exec(config ?? command) ?? []
  if (entry === undefined) throw new Error(`The recipe "${name}" names no program.`)
  const [, output = `dist/${entry.replace(/\.ts$/, ".js")}`] = /--outfile=(\S+)/.exec(command) ?? []
  const [, megabytes] = /([\d.]+) MB/.exec(text) ?? []
  return [{ name, entry, config, command, output, megabytes: megabytes === undefined ? undefined : Number(megabytes) }]
}

/** The first `sh` block below each heading of the second level, with the `js` block there. */
export const recipes: ReadonlyArray<Recipe> = (() => {
  const found: Array<readonly [name: string, section: Section]> = []
  for (const token of lexer(readFileSync(join(root, "docs/guides/bundling.md"), "utf8"))) {
    if (token.type === "heading" && token.depth === 2) found.push([token.text, { code: {}, text: "" }])
    const section = found.at(-1)?.[1]
    if (section === undefined) continue
    if (token.type === "code") section.code[token.lang] = token.text
    if (token.type === "paragraph") section.text += token.text
  }
  return found.flatMap(([name, section]) => recipeOf(name, section))
})()
