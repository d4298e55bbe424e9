/**
 * `pnpm release` publishes each package whose version the registry does not have, from a copy of the last commit with the addresses in
 * it, and tags that commit. If an earlier run published it and made no tag, it makes that. The workflow of releases runs it. npm needs it to run there, to prove where the packages were built.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root, run, temporaryFolder } from "effect-speech-test-support/processes"
import { repository } from "../address.js"
import { addressesOf } from "./published.js"
import { publish, stage } from "./stage.js"
import { requireClean, tagCommit, tagPublished } from "./tag.js"

const release = async () => {
  const addresses = addressesOf(repository)
  if (process.env.ACTIONS_ID_TOKEN_REQUEST_URL === undefined) {
    throw new Error(
      "Nothing was published: npm proves where the packages were built only in a workflow of GitHub with the permission id-token. Run the workflow release. `pnpm verify release` tries a release on this machine."
    )
  }
  await requireClean(root)
  const folder = join(temporaryFolder("effect-speech-release-"), "stage")
  await stage(root, folder, addresses, { provenance: true })
  const published = await publish(folder)
  for (const { name, version } of published) console.log(`${name} ${version} is published.`)
  const [version] = published.map(({ version }) => version)
  if (version === undefined) {
    console.log("Each version is in the registry already.")
    const manifest = JSON.parse(readFileSync(join(folder, "packages/common/package.json"), "utf8"))
    const registry = process.env.npm_config_registry ?? "https://registry.npmjs.org/"
    const missing = await tagPublished(root, { name: manifest.name, version: manifest.version, registry })
    if (missing !== undefined) console.log(missing)
    return
  }
  // A commit may have come meanwhile.
  const commit = (await run("git", ["rev-parse", "HEAD"], { cwd: folder })).stdout.trim()
  await tagCommit(root, `v${version}`, commit)
  console.log(`The tag is v${version}. Push it: the links of the READMEs lead to it.`)
}

await release().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
