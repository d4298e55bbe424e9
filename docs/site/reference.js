/**
 * Makes the reference from the declarations of the built packages: a page for each public module, with all its exports. The coverage says
 * which export lacks a sentence, an example or its errors.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Application, ReflectionKind } from "typedoc"
import { declarationOf } from "./declarations.js"

/**
 * @typedef {import("typedoc").DeclarationReflection} Declaration
 * @typedef {import("typedoc").SomeType} Type
 * @typedef {{ name: string, file: string, module: string, reflection: Declaration }} Page
 */

const here = fileURLToPath(new URL("..", import.meta.url))
const packages = join(here, "..", "packages")

/** The packages that programs import. */
const names = readdirSync(packages).filter((name) => name !== "cli" && existsSync(join(packages, name, "dist")))

/** @param {string} name */
const entriesOf = (name) => {
  // The compiler leaves the declarations of a module that is gone.
  const hasSource = /** @param {string} path */ (path) =>
    existsSync(join(packages, name, "src", path.replace(/\.d\.c?ts$/, ".ts")))
  const modules = /** @param {string} folder */ (folder) =>
    existsSync(join(packages, name, "dist", folder))
      ? readdirSync(join(packages, name, "dist", folder))
          .filter((file) => /^(?!index\.)\w+\.d\.c?ts$/.test(file) && hasSource(join(folder, file)))
          .map((file) => join(packages, name, "dist", folder, file))
      : []
  return [...modules(""), ...modules("unstable")]
}

const convert = async () => {
  const entries = names.flatMap(entriesOf)
  const app = await Application.bootstrap({
    entryPoints: entries,
    tsconfig: join(here, "tsconfig.json"),
    readme: "none",
    excludeExternals: true,
    excludePrivate: true,
    sort: ["source-order"],
    disableGit: true,
    sourceLinkTemplate: "{path}#{line}",
    validation: { notExported: false, invalidLink: true },
    blockTags: ["@category", "@example", "@since", "@throws", "@deprecated"],
    logLevel: "Warn"
  })
  const project = await app.convert()
  if (project === undefined) throw new Error("The declarations have errors. `pnpm build` makes them anew.")
  return { entries, project }
}

/** @param {string} file */
const moduleOf = (file) => {
  const [, name = "", module = ""] = /packages.([\w-]+).dist.(.+)\.d\.c?ts$/.exec(file) ?? []
  return { name, module: module.replaceAll("\\", "/") }
}

const { entries, project } = await convert()
/** @type {ReadonlyArray<Page>} */
const pages = (project.children ?? []).map((reflection) => {
  // TypeDoc names a module by its path, without the folders that all have.
  const [, name = "", module = ""] = /^([\w-]+)\/dist\/(.+?)(?:\.d)?$/.exec(reflection.name) ?? []
  const file = entries.find((entry) => moduleOf(entry).name === name && moduleOf(entry).module === module) ?? ""
  return { name, module, file, reflection }
})

/**
 * The anchor of an export: its name in lower case. Of two that differ only in case, such as `plan` and `Plan`, the type has `plan-type`.
 *
 * @param {Page} page
 * @param {string} name
 */
function anchorOf({ reflection }, name) {
  const anchor = name.toLowerCase()
  const isTwice = reflection.children?.some((other) => other.name !== name && other.name.toLowerCase() === anchor)
  return isTwice && name !== anchor ? `${anchor}-type` : anchor
}

/** Where a name has its heading: the first page that declares it, by the reflection. @type {Map<number, string>} */
const addresses = new Map()
for (const page of pages) {
  for (const child of page.reflection.children ?? []) {
    const address = `${page.name}/${page.module}.md#${anchorOf(page, child.name)}`
    child.traverse((inner) => void addresses.set(inner.id, address))
    addresses.set(child.id, address)
  }
}

const errorTags = new Set(
  existsSync(join(here, "errors")) ? readdirSync(join(here, "errors")).map((file) => file.replace(/\.md$/, "")) : []
)

/** The path from a page of the reference to another document. @param {Page} page @param {string} target */
const linkFrom = (page, target) => "../".repeat(page.module.split("/").length) + target

/** The text of a comment, with links. @param {Page} page @param {ReadonlyArray<import("typedoc").CommentDisplayPart> | undefined} parts */
const textOf = (page, parts) =>
  (parts ?? [])
    .map((part) => {
      if (part.kind !== "inline-tag") return part.text
      const { target } = part
      const address =
        target !== undefined && typeof target === "object" && "id" in target ? addresses.get(target.id) : undefined
      return address === undefined ? `\`${part.text}\`` : `[\`${part.text}\`](${linkFrom(page, address)})`
    })
    .join("")
    .trim()

/** @param {string} text */
const firstSentence = (text) => (/^([\s\S]+?[.?!])(?=\s|$)/.exec(text)?.[1] ?? text).replace(/\s+/g, " ").trim()

/** @param {string} text */
const cell = (text) => text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim()

/** @param {Declaration} declaration */
const commentOf = (declaration) =>
  declaration.comment ??
  declaration.getSignature?.comment ??
  declaration.signatures?.find(({ comment }) => comment !== undefined)?.comment ??
  (declaration.type?.type === "reflection"
    ? declaration.type.declaration.signatures?.find(({ comment }) => comment !== undefined)?.comment
    : undefined)

/** All signatures of a function, or of a constant that is one. @param {Declaration} declaration */
const signaturesOf = (declaration) => {
  if (declaration.signatures !== undefined) return declaration.signatures
  const { type } = declaration
  return type?.type === "reflection" ? (type.declaration.signatures ?? []) : []
}

/** The names in a type of errors. @param {Type | undefined} type @returns {ReadonlyArray<import("typedoc").ReferenceType>} */
const namesIn = (type) => {
  if (type === undefined) return []
  if (type.type === "union") return type.types.flatMap(namesIn)
  if (type.type === "reference") return type.refersToTypeParameter ? [] : [type]
  return []
}

const failing = { Effect: 1, Stream: 1, Layer: 1, Either: 1, Exit: 1, Sink: 3, Channel: 2, PcmStream: 0 }

/** The errors with which what a type describes can fail. @param {Type | undefined} type @returns {ReadonlyArray<import("typedoc").ReferenceType>} */
const errorsIn = (type) => {
  if (type === undefined) return []
  if (type.type === "union") return type.types.flatMap(errorsIn)
  if (type.type === "reflection")
    return (type.declaration.signatures ?? []).flatMap(({ type: returned }) => errorsIn(returned))
  if (type.type !== "reference") return []
  const name = /** @type {keyof typeof failing} */ (type.name.split(".").at(-1) ?? "")
  const at = failing[name]
  const inner = type.name.endsWith("Effect") ? errorsIn(type.typeArguments?.[0]) : []
  return at === undefined ? [] : [...namesIn(type.typeArguments?.[at]), ...inner]
}

/** @param {Declaration} declaration */
const failuresOf = (declaration) => {
  const returned = signaturesOf(declaration).map(({ type }) => type)
  const found = [...returned, ...(returned.length === 0 ? [declaration.type] : [])].flatMap((type) => errorsIn(type))
  return [...new Map(found.map((error) => [error.name, error])).values()]
}

/** @param {Page} page @param {import("typedoc").ReferenceType} error */
const errorLink = (page, error) => {
  const name = error.name.split(".").at(-1) ?? error.name
  if (errorTags.has(name)) return `[\`${name}\`](${linkFrom(page, `../errors/${name}.md`)})`
  const address = error.reflection === undefined ? undefined : addresses.get(error.reflection.id)
  return address === undefined ? `\`${name}\`` : `[\`${name}\`](${linkFrom(page, address)})`
}

/** @param {Declaration} declaration */
const membersOf = (declaration) => {
  const owner = declaration.type?.type === "reflection" ? declaration.type.declaration : declaration
  return (owner.children ?? []).filter(
    (member) =>
      member.kind !== ReflectionKind.Constructor &&
      !/^(_tag|\[.*\])$/.test(member.name) &&
      !member.name.startsWith("__")
  )
}

/** @param {Page} page @param {Declaration} declaration */
const membersTable = (page, declaration) => {
  const rows = membersOf(declaration).map((member) => {
    const optional = member.flags.isOptional ? "?" : ""
    const kind = member.flags.isStatic ? "static " : ""
    const errors = failuresOf(member).map((error) => errorLink(page, error))
    const shown = errors.length > 6 ? [...errors.slice(0, 5), `${errors.length - 5} more`] : errors
    const text = cell(textOf(page, commentOf(member)?.summary))
    const failures = shown.length === 0 ? "" : ` Fails with ${shown.join(", ")}.`
    return `| \`${kind}${member.name}${optional}\` | ${text}${failures} |`
  })
  return rows.length === 0 ? "" : `| field | meaning |\n| --- | --- |\n${rows.join("\n")}\n`
}

/** @param {string} text */
const saysErrors = (text) => /\b(fail(s|ed|ure)?|errors?|throws?|rejects?|defects?)\b/i.test(text)

/** What the reference has of each export. @type {Array<{ export: string, sentence: boolean, example: boolean, fails: boolean, errors: boolean }>} */
const coverage = []

/** @param {Page} page @param {Declaration} declaration @param {string} twin */
const section = (page, declaration, twin) => {
  const comment = commentOf(declaration)
  const text = textOf(page, comment?.summary) || twin
  const tags = /** @param {string} name */ (name) =>
    (comment?.blockTags ?? []).filter(({ tag }) => tag === name).map(({ content }) => textOf(page, content))
  const failures = failuresOf(declaration)
  const throws = tags("@throws")
  const fails = failures.length > 0
  const failing = membersOf(declaration).filter((member) => failuresOf(member).length > 0)
  // What is below `unstable` is for other packages of this project.
  if (!page.module.startsWith("unstable/")) {
    coverage.push({
      export: `${page.name}/${page.module} ${declaration.name}`,
      sentence: text !== "",
      example: tags("@example").length > 0,
      fails: fails || failing.length > 0,
      errors:
        throws.length > 0 ||
        saysErrors(text) ||
        (!fails && failing.every((member) => saysErrors(textOf(page, commentOf(member)?.summary))))
    })
  }
  const [since = ""] = tags("@since")
  const code = declarationOf(page.file, declaration.name)
  return [
    `## ${declaration.name} {#${anchorOf(page, declaration.name)}}`,
    text,
    ...throws.map((each) => `**Throws** ${each}`),
    fails ? `**Fails with** ${failures.map((error) => errorLink(page, error)).join(", ")}` : "",
    code === "" ? "" : `\`\`\`ts\n${code}\n\`\`\``,
    membersTable(page, declaration),
    ...tags("@example").map((each) => `**Example**\n\n${each}`),
    since === "" ? "" : `Since ${since}`
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** The names of a module that a program imports from its package, without types. @param {string} index @param {string} module */
const namesFromIndex = (index, module) => {
  const [, list = ""] = new RegExp(`^export \\{([^}]*)\\} from "\\./${module}\\.c?js"`, "m").exec(index) ?? []
  return list
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "" && !each.startsWith("type "))
}

/** How a program imports a module. @param {Page} page */
const importLine = ({ module, name, reflection }) => {
  const index = readFileSync(join(packages, name, "dist", name === "promise" ? "index.d.cts" : "index.d.ts"), "utf8")
  if (new RegExp(`export \\* as ${module} from`).test(index))
    return `import { ${module} } from "@effect-speech/${name}"`
  const whole = new RegExp(`export \\* from "\\./${module}\\.c?js"`).test(index)
  const classes = (reflection.children ?? [])
    .filter(({ kind }) => kind === ReflectionKind.Class)
    .map((each) => each.name)
  const listed = whole ? classes.slice(0, 2) : namesFromIndex(index, module)
  if (listed.length > 0) return `import { ${listed.slice(0, 3).join(", ")} } from "@effect-speech/${name}"`
  if (name === "promise") return `import type { ${reflection.children?.[0]?.name} } from "@effect-speech/promise"`
  return `import * as ${module.split("/").at(-1)} from "@effect-speech/${name}/${module}"`
}

/** @param {Page} page */
const render = (page) => {
  const { module, name, reflection } = page
  const children = (reflection.children ?? []).filter(({ kind }) => kind !== ReflectionKind.Reference)
  /** @type {Map<string, Array<Declaration>>} */
  const byName = new Map()
  for (const child of children) byName.set(child.name, [...(byName.get(child.name) ?? []), child])
  /** @type {Map<string, Array<{ name: string, text: string, first: string }>>} */
  const categories = new Map()
  for (const [each, [first, ...others]] of byName) {
    // A schema and its type have one name, and one entry.
    const twin = others.map((other) => textOf(page, commentOf(other)?.summary)).find((text) => text !== "") ?? ""
    const value = [first, ...others].find(({ kind }) => kind !== ReflectionKind.TypeAlias) ?? first
    const type = value === first ? twin : textOf(page, commentOf(first)?.summary)
    const [category = "other"] = (commentOf(value)?.blockTags ?? [])
      .filter(({ tag }) => tag === "@category")
      .map(({ content }) => textOf(page, content))
    categories.set(category, [
      ...(categories.get(category) ?? []),
      {
        name: each,
        text: section(page, value, type),
        first: firstSentence(textOf(page, commentOf(value)?.summary) || type)
      }
    ])
  }
  if (byName.size === 0) return undefined
  const list = [...categories].flatMap(([category, all]) =>
    all.map((each) => `| [\`${each.name}\`](#${anchorOf(page, each.name)}) | ${category} | ${cell(each.first)} |`)
  )
  const intro = introOf(page)
  return [
    `---\ndescription: ${JSON.stringify(`${module} of @effect-speech/${name}: ${firstSentence(intro) || "its exports"}`)}\noutline: [2, 2]\n---`,
    // An export often has the name of its module.
    `# ${module} {#module}`,
    `\`\`\`ts\n${importLine(page)}\n\`\`\``,
    intro,
    `| export | group | what it is |\n| --- | --- | --- |\n${list.join("\n")}`,
    ...[...categories.values()].flat().map(({ text }) => text)
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** The comment at the beginning of a module, which TypeDoc takes for one of its imports. @param {Page} page */
const introOf = ({ module, name }) => {
  const file = join(packages, name, "src", `${module}.ts`)
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  const [, comment = ""] = /^\/\*\*([\s\S]*?)\*\/\n(?=\n|import )/.exec(text) ?? []
  return comment
    .replace(/^ *\* ?/gm, "")
    .replace(/\{@link (\S+?)\}/g, "`$1`")
    .trim()
}

/** The pages, by their path in the site, and the modules of each package. */
export const reference = pages.flatMap((page) => {
  const text = render(page)
  return text === undefined
    ? []
    : [
        {
          path: `reference/${page.name}/${page.module}.md`,
          name: page.name,
          module: page.module,
          first: cell(firstSentence(introOf(page))),
          text
        }
      ]
})

export { coverage }
