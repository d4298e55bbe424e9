import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Metafile } from "esbuild"
import { root } from "./bundling.js"

interface Licence {
  readonly name: string
  readonly text: string
}

const licenceOf = async (folder: string): Promise<Licence> => {
  const { author, authors, license, name, repository, version } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8")
  )
  const file = (await readdir(folder)).find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each))
  const text =
    file === undefined
      ? `${license}, by its package.json. Authors: ${author?.name ?? author ?? authors}. Sources: ${repository?.url ?? repository}`
      : (await readFile(join(folder, file), "utf8")).trim()
  return { name: `${name} ${version}`, text }
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
  for (const { name, text } of await Promise.all(
    [...new Set(folders)].map((folder) => licenceOf(join(root, folder)))
  )) {
    byText.set(text, [...(byText.get(text) ?? []), name])
  }
  return [...byText]
    .map(([text, names]) => `${names.sort().join("\n")}\n\n${text}\n`)
    .sort()
    .join(`\n${"-".repeat(80)}\n\n`)
}
