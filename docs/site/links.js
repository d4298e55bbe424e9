/** Where each document of the repository is in the site. */
import { existsSync, readdirSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The folder that the site is built from. */
export const staged = join(root, "docs", ".site")

/**
 * The page of a file of the repository, or of the README of a folder. `undefined` if it has none.
 *
 * @param {string} file
 * @returns {string | undefined}
 */
export const pageOf = (file) => {
  const path = existsSync(join(root, file, "README.md")) ? posix.join(file, "README.md") : file
  if (path === "README.md") return "index.md"
  if (path.startsWith("docs/")) return path.endsWith(".md") ? path.slice("docs/".length) : undefined
  const [, name, document] = /^packages\/([\w-]+)\/(README|CHANGELOG)\.md$/.exec(path) ?? []
  if (name !== undefined) return document === "README" ? `packages/${name}.md` : `versions/${name}.md`
  const [, example] = /^examples\/([\w.-]+)\.ts$/.exec(path) ?? []
  if (example !== undefined) return `examples/${example}.md`
  if (path === "examples/README.md") return "examples/index.md"
  if (!path.endsWith(".md") || /^\.|(^|\/)api\.md$/.test(path)) return undefined
  return `project/${path.toLowerCase().replace(/readme\.md$/, "index.md")}`
}

/** @param {string} folder @returns {Array<string>} */
const filesBelow = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return /^(\.|node_modules$|dist$|coverage$)/.test(entry.name) ? [] : filesBelow(path)
    return [path]
  })

/** The documents that get a page, by their path in the repository. `docs/index.md` takes the place of the README. */
export const documents = () =>
  filesBelow("").filter((path) => /\.md$/.test(path) && path !== "README.md" && pageOf(path) !== undefined)

/** The programs in `examples` that get a page. */
export const examples = () =>
  filesBelow("examples").filter((path) => path.endsWith(".ts") && pageOf(path) !== undefined)

/** The pictures of the documents. */
export const pictures = new Map([["packages/local-service/console/console.jpg", "console.jpg"]])

const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g

/**
 * A document with its relative links as the site has them. A link to a file without a page leads to the repository. While the address of
 * the repository is not known, its text stands without a link.
 *
 * @param {string} text
 * @param {string} path the path of the document in the repository
 * @param {string} repository the address of the repository, without a slash at its end, or ""
 */
export const withLinks = (text, path, repository) => {
  const page = pageOf(path) ?? path
  /** @param {string} to */
  const relative = (to) => {
    const found = posix.relative(posix.dirname(page), to)
    return found.startsWith(".") ? found : `./${found}`
  }
  /** @param {string} whole @param {string} mark @param {string} label @param {string} target */
  const rewrite = (whole, mark, label, target) => {
    if (/^([a-z]+:|#|\/)/.test(target)) return whole
    const [file = "", anchor] = decodeURI(target).split("#")
    const at = posix.join(posix.dirname(path), file).replace(/\/$/, "")
    const picture = pictures.get(at)
    if (mark === "!") return `![${label}](${picture === undefined ? target : `/${picture}`})`
    const linked = at.startsWith("docs/reference/") ? at.slice("docs/".length) : pageOf(at)
    // The front page has other headings than the README of the root.
    const suffix = anchor === undefined || linked === "index.md" ? "" : `#${anchor}`
    const text = label.replace(link, rewrite)
    if (linked !== undefined) return `[${text}](${relative(linked)}${suffix})`
    return repository === "" ? text : `[${text}](${repository}/blob/main/${at}${suffix})`
  }
  // Each second part is a block of code.
  return text
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(link, rewrite)))
    .join("")
}
