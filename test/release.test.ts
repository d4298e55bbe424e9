/** What a release writes into a copy of the packages. `pnpm verify release` publishes one. */
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { run, temporaryFolder } from "effect-speech-test-support/processes"
import { lexer, type Token, walkTokens } from "marked"
import { siteOf } from "../scripts/address.js"
import { addressesOf, publishedDocument, publishedManifest } from "../scripts/release/published.js"
import { requireClean, tagCommit, tagPublished } from "../scripts/release/tag.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const read = (path: string) => readFileSync(join(root, path), "utf8")
const packages = readdirSync(join(root, "packages"))
const manifestOf = (name: string) => JSON.parse(read(`packages/${name}/package.json`))
const commit = "0123456789012345678901234567890123456789"
const addresses = addressesOf("https://github.com/some-owner/some-name")

const linksIn = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  walkTokens(lexer(text), (token: Token) => {
    if (token.type === "link" || token.type === "image") found.push(String(token.href))
  })
  return found
}

/** A repository with a commit. */
const repositoryOf = async (name: string) => {
  const folder = temporaryFolder(name)
  const git = async (...parameters: ReadonlyArray<string>) =>
    (await run("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...parameters], { cwd: folder })).stdout.trim()
  await git("init", "--quiet")
  await git("commit", "--quiet", "--allow-empty", "--message", "published")
  return { folder, git }
}

describe("a release", () => {
  it.each(packages)("leaves no relative link in the documents of %s that leads out of the tarball", (name) => {
    const manifest = manifestOf(name)
    for (const document of ["README.md", "CHANGELOG.md"]) {
      const path = `packages/${name}/${document}`
      const before = linksIn(read(path))
      const after = linksIn(publishedDocument(read(path), path, manifest, addresses))
      expect(after.length).toBe(before.length)
      const leading = after
        .filter((href) => !/^([a-z]+:|#)/.test(href))
        .map((href) => posix.normalize(href.replace(/#.*/, "")))
        .filter((file) => ![...manifest.files, "LICENSE", "README.md"].some((each) => file.startsWith(each)))
      expect(leading, document).toEqual([])
    }
  })

  it("sends readers to the site for its pages, to the repository for other files, and leaves code as it is", () => {
    const text = [
      "[a](../../docs/guides/billing.md#limits) [b](../../docs/errors/index.md) [c](../../examples/tsconfig.json)",
      "[`d`](../cli) [e](LICENSE) [f](#words) [g](https://example.org) `[h](../cli)` [i](../../docs/reference/stt/Stt.md)",
      "[k](../../README.md#packages)",
      "",
      "```md",
      "[j](../cli)",
      "```"
    ].join("\n")
    const manifest = { ...manifestOf("stt"), version: "1.2.3" }
    const published = publishedDocument(text, "packages/stt/README.md", manifest, addresses)
    expect(linksIn(published)).toEqual([
      "https://some-owner.github.io/some-name/guides/billing#limits",
      "https://some-owner.github.io/some-name/errors/",
      "https://github.com/some-owner/some-name/blob/v1.2.3/examples/tsconfig.json",
      "https://some-owner.github.io/some-name/packages/cli",
      "LICENSE",
      "#words",
      "https://example.org",
      "https://some-owner.github.io/some-name/reference/stt/Stt",
      "https://some-owner.github.io/some-name/"
    ])
    expect(published).toContain("`[h](../cli)`")
    expect(published).toContain("\n[j](../cli)\n")
  })

  it("gives each package its addresses, and proves where it was built only if it can", () => {
    for (const name of packages) {
      const manifest = manifestOf(name)
      expect(manifest.publishConfig, name).toMatchObject({ access: "public", provenance: true })
      expect(publishedManifest(manifest, `packages/${name}`, addresses, { provenance: true, commit })).toMatchObject({
        gitHead: commit,
        homepage: "https://some-owner.github.io/some-name/",
        repository: {
          type: "git",
          url: "git+https://github.com/some-owner/some-name.git",
          directory: `packages/${name}`
        },
        bugs: { url: "https://github.com/some-owner/some-name/issues" },
        publishConfig: manifest.publishConfig
      })
      const without = publishedManifest(manifest, `packages/${name}`, addresses, { provenance: false, commit })
      expect("provenance" in without.publishConfig, name).toBe(false)
    }
  })

  it("is refused while the address of the repository is not known, or not on GitHub", () => {
    expect(() => addressesOf("")).toThrow("Write it into scripts/address.js")
    expect(() => addressesOf("https://forge.example/owner/name")).toThrow("on GitHub alone")
    expect(siteOf("https://github.com/Owner/name")).toBe("https://owner.github.io/name/")
  })

  it("is refused from a working tree with changes, which it would not publish", async () => {
    const { folder } = await repositoryOf("release-clean-")
    await requireClean(folder)
    writeFileSync(join(folder, "new.txt"), "")
    await expect(requireClean(folder)).rejects.toThrow("without these changes. Commit or stash them")
    await expect(requireClean(folder)).rejects.toThrow("?? new.txt")
  })

  it("makes the missing tag of a version that was published, or says why it can't", async () => {
    const { folder, git } = await repositoryOf("release-missing-")
    const published = await git("rev-parse", "HEAD")
    await git("commit", "--quiet", "--allow-empty", "--message", "later")
    const heads: Record<string, object> = { "1.0.0": { gitHead: published }, "2.0.0": {}, "3.0.0": { gitHead: commit } }
    const registry = createServer(({ url = "" }, response) => {
      const manifest = heads[url.replace("/@effect-speech%2fcommon/", "")]
      response.writeHead(manifest === undefined ? 404 : 200).end(JSON.stringify(manifest ?? {}))
    }).listen(0, "127.0.0.1")
    await once(registry, "listening")
    const { port } = registry.address() as AddressInfo
    const said = (version: string) =>
      tagPublished(folder, { name: "@effect-speech/common", version, registry: `http://127.0.0.1:${port}/` })
    expect(await said("1.0.0")).toContain(`was missing, and is now at ${published}`)
    expect(await git("rev-parse", "v1.0.0")).toBe(published)
    expect(await said("1.0.0")).toBeUndefined()
    expect(await said("2.0.0")).toContain("does not say from which commit @effect-speech/common 2.0.0 was published")
    expect(await said("3.0.0")).toContain(`does not have the commit ${commit}`)
    expect(await said("4.0.0")).toContain("the registry answers 404")
    expect(await git("tag")).toBe("v1.0.0")
    registry.close()
  })

  it("tags the commit that was published, and says so if that tag is of another", async () => {
    const { folder, git } = await repositoryOf("release-tag-")
    const published = await git("rev-parse", "HEAD")
    await git("commit", "--quiet", "--allow-empty", "--message", "later")
    await tagCommit(folder, "v1.0.0", published)
    await tagCommit(folder, "v1.0.0", published)
    expect(await git("rev-parse", "v1.0.0")).toBe(published)
    const later = await git("rev-parse", "HEAD")
    await expect(tagCommit(folder, "v1.0.0", later)).rejects.toThrow(`git tag --force v1.0.0 ${later}`)
  })

  it("runs in its workflows with the pnpm of package.json", () => {
    const { packageManager } = JSON.parse(read("package.json"))
    const workflows = readdirSync(join(root, ".github/workflows")).map((file) => read(`.github/workflows/${file}`))
    const found = workflows.flatMap((text) => text.match(/pnpm@[\d.]+/g) ?? [])
    expect(found.length).toBeGreaterThan(3)
    expect([...new Set(found)]).toEqual([packageManager])
  })

  it("has no waiting change that names a package which does not exist, or none", () => {
    const waiting = readdirSync(join(root, ".changeset")).filter((file) => /^(?!README).*\.md$/.test(file))
    for (const file of waiting) {
      const [, fields = ""] = /^---\n([\s\S]*?)---\n\s*\S/.exec(read(`.changeset/${file}`)) ?? []
      const names = [...fields.matchAll(/^"@effect-speech\/([\w-]+)": (minor|patch)$/gm)].map(([, name = ""]) => name)
      expect(names.length, file).toBeGreaterThan(0)
      for (const name of names) expect(existsSync(join(root, "packages", name)), file).toBe(true)
    }
  })
})
