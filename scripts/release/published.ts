/** What readers of a registry get in place of what readers of the repository have: addresses. */
import { posix } from "node:path"
import { pageOf } from "../../docs/site/links.js"
import { siteOf } from "../address.js"

export interface Addresses {
  readonly repository: string
  /** With a `/` at its end. */
  readonly site: string
}

/** Throws if the address of the repository is not known, or is not on GitHub. */
export const addressesOf = (repository: string): Addresses => {
  if (repository === "") {
    throw new Error(
      "The address of the repository is not known. Write it into scripts/address.js, or set EFFECT_SPEECH_REPOSITORY to it, such as https://github.com/OWNER/NAME."
    )
  }
  const site = siteOf(repository)
  if (site === "") {
    throw new Error(
      `The address of the site is known for repositories on GitHub alone, such as https://github.com/OWNER/NAME, and not for ${repository}.`
    )
  }
  return { repository, site }
}

export interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly files: ReadonlyArray<string>
  readonly publishConfig: Readonly<Record<string, unknown>>
}

/** Where and from what a package is published. */
export interface Origin {
  /** npm proves where a package was built only in a workflow of GitHub or GitLab. */
  readonly provenance: boolean
  /** The registry keeps it, so that a later run can tag it. */
  readonly commit: string
}

/** The manifest with the fields that need an address or the commit. */
export const publishedManifest = <Manifest extends PackageManifest>(
  manifest: Manifest,
  folder: string,
  { repository, site }: Addresses,
  { commit, provenance }: Origin
) => {
  const { provenance: _, ...publishConfig } = manifest.publishConfig
  return {
    ...manifest,
    gitHead: commit,
    homepage: site,
    repository: { type: "git", url: `git+${repository}.git`, directory: folder },
    bugs: { url: `${repository}/issues` },
    publishConfig: provenance ? manifest.publishConfig : publishConfig
  }
}

/** Whether a path of the repository is in the tarball of the package in a folder. */
const isPacked = (path: string, folder: string, { files }: PackageManifest): boolean => {
  const inside = posix.relative(folder, path)
  return [...files, "package.json", "README.md", "LICENSE"].some(
    (file) => inside === file || inside.startsWith(`${file}/`)
  )
}

/** Code, which has no links, or the target of a link. */
const codeOrLink = /^ *(`{3,}|~{3,})[\s\S]*?^ *\1$|`[^`\n]*`|(?<=\]\()([^()\s]+)(?=\))|(?<=^\[[^\]]+\]: )(\S+)$/gm

/**
 * A document of a package with each relative link that leads out of its tarball as an address: a page of the site, or a file of the
 * repository at the tag of the version.
 */
export const publishedDocument = (
  text: string,
  document: string,
  manifest: PackageManifest,
  { repository, site }: Addresses
): string => {
  const folder = posix.dirname(document)
  return text.replaceAll(codeOrLink, (whole, _fence, inline?: string, defined?: string) => {
    const target = inline ?? defined
    if (target === undefined || /^([a-z]+:|#)/.test(target)) return whole
    const [relative = "", anchor] = target.split("#")
    const path = posix.join(folder, relative).replace(/\/$/, "")
    if (isPacked(path, folder, manifest)) return whole
    const page = pageOf(path)
    // The front page has other headings than the README of the root.
    const end = anchor === undefined || page === "index.md" ? "" : `#${anchor}`
    if (page !== undefined) return `${site}${page.replace(/(^|\/)index\.md$|\.md$/, "$1")}${end}`
    // A forge shows a folder at this address too.
    return `${repository}/blob/v${manifest.version}/${path}${end}`
  })
}
