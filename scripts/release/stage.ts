/** A copy of the repository with the addresses in it, which is built and published. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pnpm, run } from "effect-speech-test-support/processes"
import { type Addresses, type Origin, publishedDocument, publishedManifest } from "./published.js"

/** The module whose constant is the beginning of the links in messages. */
const documentation = "packages/common/src/Documentation.ts"

const replaceFile = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, "utf8")))

/** Writes the addresses into a copy of the repository: in manifests, documents of packages, and messages. */
const writeAddresses = (folder: string, addresses: Addresses, origin: Origin) => {
  for (const name of readdirSync(join(folder, "packages"))) {
    const path = `packages/${name}`
    const manifest = JSON.parse(readFileSync(join(folder, path, "package.json"), "utf8"))
    replaceFile(join(folder, path, "package.json"), () => {
      const published = publishedManifest(manifest, path, addresses, origin)
      return `${JSON.stringify(published, null, 2)}\n`
    })
    for (const document of ["README.md", "CHANGELOG.md"]) {
      replaceFile(join(folder, path, document), (text) =>
        publishedDocument(text, `${path}/${document}`, manifest, addresses)
      )
    }
  }
  const constant = /^(export const address(?:: string)? = )""$/m
  replaceFile(join(folder, documentation), (text) => {
    if (!constant.test(text)) throw new Error(`${documentation} has no empty constant "address".`)
    return text.replace(constant, `$1${JSON.stringify(addresses.site)}`)
  })
}

/** Copies the last commit of a repository into a folder, which may have an earlier one. Writes the addresses, and builds the packages. */
export const stage = async (
  source: string,
  folder: string,
  addresses: Addresses,
  { provenance }: Pick<Origin, "provenance">
): Promise<void> => {
  if (existsSync(folder)) {
    await run("git", ["fetch", "--quiet", "--no-tags", source, "HEAD"], { cwd: folder })
    await run("git", ["reset", "--quiet", "--hard", "FETCH_HEAD"], { cwd: folder })
  } else {
    await run("git", ["clone", "--quiet", "--no-tags", source, folder])
  }
  const commit = (await run("git", ["rev-parse", "HEAD"], { cwd: folder })).stdout.trim()
  writeAddresses(folder, addresses, { provenance, commit })
  await pnpm(["install", "--frozen-lockfile", "--prefer-offline"], { cwd: folder })
  await pnpm(["run", "build"], { cwd: folder })
}

/**
 * Publishes each package of a stage whose version the registry does not have. Returns their names and versions.
 *
 * @param env Variables for npm, such as that of a registry.
 */
export const publish = async (folder: string, env: Readonly<Record<string, string>> = {}) => {
  await pnpm(["--recursive", "publish", "--no-git-checks", "--report-summary"], { cwd: folder, env })
  const summary = join(folder, "pnpm-publish-summary.json")
  if (!existsSync(summary)) return []
  const { publishedPackages }: { publishedPackages: ReadonlyArray<{ name: string; version: string }> } = JSON.parse(
    readFileSync(summary, "utf8")
  )
  return publishedPackages.map(({ name, version }) => ({ name, version }))
}
