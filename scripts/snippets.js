/**
 * The TypeScript in the documents and in the examples of docstrings, each block as a module. `node scripts/snippets.js` writes them into
 * `.snippets`, where `pnpm check` compiles them with everything else: alone, they would cost as much as the whole.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { lexer } from "marked"

const root = fileURLToPath(new URL("..", import.meta.url))

/** @param {string} folder @returns {ReadonlyArray<string>} */
const filesBelow = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^(\.|node_modules$|dist$)/.test(entry.name) ? [] : filesBelow(path)
    return [path]
  })

/** The paths of all Markdown files, from the root. The reference in `docs` is made from the declarations. */
export const documents = filesBelow("").filter(
  (path) => path.endsWith(".md") && !path.startsWith(join("docs", "reference"))
)

/** The documents whose code is that of this version: a change log shows earlier ones, and `api.md` is declarations. */
export const withCode = documents.filter((document) => !/(^|\/)(CHANGELOG|api)\.md$/.test(document))

/** `line` is that of the snippet in the document, from 0. */
export const snippets = withCode.flatMap((document) => {
  let line = 0
  return lexer(readFileSync(join(root, document), "utf8")).flatMap((token) => {
    const at = line + 1
    line += token.raw.split("\n").length - 1
    const isCode = token.type === "code" && /^(ts|typescript)$/.test(token.lang ?? "")
    return isCode ? [{ document, line: at, code: String(token.text) }] : []
  })
})

/** The code below `@example` in the docstrings of the packages. `line` is that of the code in the source, from 0. */
export const examples = filesBelow("packages")
  .filter((path) => /^packages.[\w-]+.src..*\.ts$/.test(path))
  .flatMap((document) => {
    const text = readFileSync(join(root, document), "utf8")
    return [...text.matchAll(/^( *) \* @example\n(?:\1 \*.*\n)*?\1 \* ```ts\n((?:\1 \*.*\n)*?)\1 \* ```$/gm)].map(
      (found) => {
        const [whole, , code = ""] = found
        const line = text.slice(0, found.index + whole.lastIndexOf(code)).split("\n").length - 1
        return { document, line, code: code.replace(/^ *\* ?/gm, "") }
      }
    )
  })

/** Writes each snippet into a file with the name of its document, in the same lines, which the compiler names in its errors. */
const write = () => {
  const folder = join(root, ".snippets")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { code, document, line } of [...snippets, ...examples]) {
    writeFileSync(join(folder, `${document.replaceAll("/", "+")}+${line}.ts`), "\n".repeat(line) + code)
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) write()
