/**
 * The report of the public API of each package, `packages/NAME/api.md`: its modules as they are declared to a user, without
 * comments. A review sees a change of the API there. `pnpm api` writes the reports from the build; a test compares them with it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const packages = fileURLToPath(new URL("../packages/", import.meta.url))

/** The packages that programs import. */
export const names: ReadonlyArray<string> = readdirSync(packages).filter((name) => name !== "cli")

export const reportFile = (name: string): string => join(packages, name, "api.md")

const declarationsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((file) => /\.d\.c?ts$/.test(file) && !/^index\./.test(file))
    .toSorted()
    .map((file) => join(folder, file))

/** A module as a user imports it. */
interface Module {
  /** The path below the package, without an ending, such as `Wav` or `internal/wav/parser`. */
  readonly name: string
  readonly declarations: string
  readonly exports: ReadonlyArray<string>
}

const exported = /^export (?:declare )?(?:abstract )?(?:const|class|function\*?|interface|type|namespace) (\w+)/gm
const reexported = /^export (?:type )?\{([^}]*)\} from/gm
const namespaces = /^export \* as (\w+)/gm

/** The names that declarations export, except those of `export * from`. */
const exportsOf = (declarations: string): ReadonlyArray<string> => {
  const listed = [...declarations.matchAll(reexported)].flatMap(([, list = ""]) =>
    list.split(",").map(
      (each) =>
        each
          .trim()
          .replace(/^type /, "")
          .split(" as ")
          .at(-1) ?? ""
    )
  )
  const direct = [...declarations.matchAll(exported), ...declarations.matchAll(namespaces)].map(([, name = ""]) => name)
  return [...new Set([...direct, ...listed])].filter((name) => name !== "")
}

const relativeImports = /(?:from|import\() ?"(\.{1,2}\/[^"]+)\.(c?)js"/g

/** All public modules of a built package, then the internal ones whose declarations they use. */
const modulesOf = (name: string) => {
  const dist = join(packages, name, "dist")
  const folders = readdirSync(dist, { withFileTypes: true }).filter(
    (each) => each.isDirectory() && each.name !== "internal"
  )
  const entries = [dist, ...folders.map((each) => join(dist, each.name))].flatMap(declarationsIn)
  const seen = new Map<string, Module>()
  const read = (file: string): void => {
    if (seen.has(file) || /^index\./.test(relative(dist, file))) return
    const text = readFileSync(file, "utf8")
    const declarations = withoutComments(text)
    seen.set(file, {
      name: relative(dist, file).replace(/\.d\.c?ts$/, ""),
      declarations,
      exports: exportsOf(declarations)
    })
    for (const [, path = "", kind] of declarations.matchAll(relativeImports))
      read(join(file, "..", `${path}.d.${kind}ts`))
  }
  for (const entry of entries) read(entry)
  const isPublic = new Set(entries)
  const modules = [...seen].toSorted(([left], [right]) => (left < right ? -1 : 1))
  return {
    shown: modules.flatMap(([file, module]) => (isPublic.has(file) ? [module] : [])),
    used: modules.flatMap(([file, module]) => (isPublic.has(file) ? [] : [module]))
  }
}

/** The compiler writes a comment only on lines of its own. */
const withoutComments = (text: string): string =>
  text
    .replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "")
    .replace(/^\/\/# sourceMappingURL=.*\n?/m, "")
    .replace(/^export \{\};\n/m, "")
    .trim()

/** The index after the bracket that closes the one at `open`. */
const endOfBrackets = (text: string, open: number): number => {
  let depth = 0
  for (let index = open; index < text.length; index++) {
    const isArrow = text[index] === ">" && text[index - 1] === "="
    if ("<({[".includes(text[index] ?? "")) depth++
    else if (!isArrow && ">)}]".includes(text[index] ?? "") && --depth === 0) return index + 1
  }
  return text.length
}

/** Sorts the members of each union of one generic type, such as `Box<A> | Box<B>`: the compiler writes them in another order each time. */
const withSortedUnions = (text: string): string => {
  const generic = /[\w.]+(?=<)/g
  let sorted = ""
  let done = 0
  for (let match = generic.exec(text); match !== null; match = generic.exec(text)) {
    const [name] = match
    const members: Array<string> = []
    let end = match.index
    do {
      const start: number = members.length === 0 ? end : end + " | ".length
      end = endOfBrackets(text, start + name.length)
      members.push(`${name}<${withSortedUnions(text.slice(start + name.length + 1, end))}`)
    } while (text.startsWith(` | ${name}<`, end))
    sorted += text.slice(done, match.index) + members.toSorted().join(" | ")
    done = end
    generic.lastIndex = end
  }
  return sorted + text.slice(done)
}

const section = ({ declarations, name }: Pick<Module, "declarations" | "name">): string =>
  `## ${name}\n\n\`\`\`ts\n${withSortedUnions(declarations)}\n\`\`\`\n`

export const report = (name: string): string => {
  const { shown, used } = modulesOf(name)
  // A package that is one file for both kinds of modules declares its names for CommonJS, and exports them again.
  const [file = ""] = ["index.d.cts", "index.d.ts"]
    .map((each) => join(packages, name, "dist", each))
    .filter((each) => existsSync(each))
  const index = withoutComments(readFileSync(file, "utf8"))
  const promised = shown.filter((module) => !module.name.startsWith("unstable/"))
  const count = promised.reduce((sum, module) => sum + module.exports.length, 0)
  return `# The API of @effect-speech/${name}

\`pnpm api\` writes this file from the build: each public module as it is declared, without comments. Do not edit it.

${count} names in ${promised.length} modules${promised.length === shown.length ? "" : ", and what is below `unstable`"}.

${[{ name: "index", declarations: index }, ...shown].map(section).join("\n")}${
  used.length === 0 ? "" : `\n# Internal modules that these declarations use\n\n${used.map(section).join("\n")}`
}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of names) writeFileSync(reportFile(name), report(name))
}
