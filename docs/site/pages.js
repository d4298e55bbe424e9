/** Writes the pages of the site into `docs/.site`: the documents of the repository, the examples, and the reference. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { repository } from "../../scripts/address.js"
import { documents, examples, pageOf, pictures, root, staged, withLinks } from "./links.js"
import { coverage, reference } from "./reference.js"

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), "utf8")

/** @param {string} path @param {string} text */
const write = (path, text) => {
  const file = join(staged, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

rmSync(staged, { recursive: true, force: true })

for (const document of documents()) write(pageOf(document) ?? "", withLinks(read(document), document, repository))

for (const example of examples()) {
  const text = read(example)
  const name = example.slice("examples/".length)
  const [, about = ""] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? []
  const sentence = about.replace(/^ *\* ?/gm, "").trim()
  const code = `\`\`\`ts\n${text.trimEnd()}\n\`\`\``
  write(pageOf(example) ?? "", [`# ${name}`, sentence, code].filter((part) => part !== "").join("\n\n"))
}

const names = [...new Set(reference.map(({ name }) => name))]
for (const { path, text } of reference) write(path, `${text}\n`)
for (const name of names) {
  const page = join(staged, `packages/${name}.md`)
  const modules = reference.filter((each) => each.name === name)
  const list = modules.map(({ first, module, path }) => `| [\`${module}\`](../${path}) | ${first} |`)
  const table = `\n## All modules\n\n| module | what it holds |\n| --- | --- |\n${list.join("\n")}\n`
  writeFileSync(page, readFileSync(page, "utf8") + table)
}

for (const [from, to] of pictures) {
  mkdirSync(join(staged, "public"), { recursive: true })
  copyFileSync(join(root, from), join(staged, "public", to))
}

write(
  "modules.json",
  JSON.stringify(
    Object.fromEntries(
      names.map((name) => [name, reference.filter((each) => each.name === name).map(({ module }) => module)])
    )
  )
)
write("coverage.json", JSON.stringify(coverage))
