import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Metafile } from "esbuild"
import { root } from "./bundling.js"

interface Licence {
  readonly name: string
  readonly text: string
}

/** The text below the heading "License" of a README, if it is whole: two packages have it only there. */
const inReadme = (readme: string): string | undefined => {
  const [, text] = /^#+ licen[cs]e\n+([\s\S]+?)(?=\n#|$(?![\s\S]))/im.exec(readme) ?? []
  return text?.includes("WITHOUT WARRANTY OF ANY KIND") ? text.trim() : undefined
}

const readFirst = async (folder: string, name: RegExp): Promise<string | undefined> => {
  const file = (await readdir(folder)).find((each) => name.test(each))
  return file === undefined ? undefined : (await readFile(join(folder, file), "utf8")).trim()
}

/** The code of others that a package has in its own files. */
const copiedInto: Readonly<Record<string, ReadonlyArray<string>>> = { undici: ["llhttp", "formdata-polyfill"] }

/** A text in `scripts/licences`, from the repository of a package that publishes none. */
const ours = (name: string) =>
  readFirst(join(root, "scripts/licences"), new RegExp(`^${name.replace("/", "[+]")}[.]txt$`))

/**
 * The whole text of a package's licence: its file, else that of its README, else the one in `scripts/licences`. With it, those of
 * the code that it has copied.
 */
const licencesIn = async (folder: string): Promise<ReadonlyArray<Licence>> => {
  const { license, name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  const text =
    (await readFirst(folder, /^(un)?licen[cs]e(\.(md|txt))?$/i)) ??
    inReadme((await readFirst(folder, /^readme(\.md)?$/i)) ?? "") ??
    (await ours(name))
  if (text === undefined) {
    throw new Error(
      `${name} has the licence ${license}, but not its text. Copy the text from its repository to scripts/licences.`
    )
  }
  const copied = await Promise.all(
    (copiedInto[name] ?? []).map(async (each) => ({ name: `${each}, in ${name} ${version}`, text: await ours(each) }))
  )
  return [{ name: `${name} ${version}`, text }, ...copied.flatMap(({ name, text }) => (text ? [{ name, text }] : []))]
}

/**
 * The licences of the packages whose code esbuild wrote in the root folder, as they demand of each copy. A text that several have
 * is there once.
 */
export const licencesOf = async ({ outputs }: Pick<Metafile, "outputs">): Promise<string> => {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : []))
  )
  const folders = used.flatMap((input) => /^(?:.*node_modules\/(?:@[^/]+\/)?|packages\/)[^/]+/.exec(input)?.[0] ?? [])
  const byText = new Map<string, Array<string>>()
  const licences = await Promise.all([...new Set(folders)].map((folder) => licencesIn(join(root, folder))))
  for (const { name, text } of licences.flat()) {
    byText.set(text, [...(byText.get(text) ?? []), name])
  }
  return [...byText]
    .map(([text, names]) => `${names.sort().join("\n")}\n\n${text}\n`)
    .sort()
    .join(`\n${"-".repeat(80)}\n\n`)
}
