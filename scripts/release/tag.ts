import { run } from "effect-speech-test-support/processes"

const commitOf = async (repository: string, revision: string): Promise<string | undefined> => {
  const read = ["rev-parse", "--quiet", "--verify", `${revision}^{commit}`]
  return (await run("git", read, { cwd: repository, mayFail: true })).stdout.trim() || undefined
}

/** Throws if the working tree has changes: they would not be published. */
export const requireClean = async (repository: string): Promise<void> => {
  const changes = (await run("git", ["status", "--porcelain"], { cwd: repository })).stdout.trimEnd()
  if (changes === "") return
  throw new Error(
    `Nothing was published: a release publishes the last commit, without these changes. Commit or stash them, and release again.\n${changes}`
  )
}

/** The manifest of a version, as the registry has it. */
const publishedVersion = async (registry: string, name: string, version: string): Promise<{ gitHead?: unknown }> => {
  const response = await fetch(new URL(`${name.replace("/", "%2f")}/${version}`, registry))
  if (!response.ok) throw new Error(`the registry answers ${response.status}`)
  return JSON.parse(await response.text())
}

/**
 * Tags the commit of a version that an earlier run published, and was ended before it tagged it. Returns what it has done or what you have to
 * do, and `undefined` if the version is tagged.
 */
export const tagPublished = async (
  repository: string,
  { name, registry, version }: { readonly name: string; readonly version: string; readonly registry: string }
): Promise<string | undefined> => {
  const tag = `v${version}`
  if ((await commitOf(repository, `refs/tags/${tag}`)) !== undefined) return undefined
  const byHand = `Find that commit, tag it by git tag ${tag} COMMIT, and push the tag: the links of the READMEs lead to it.`
  try {
    const { gitHead } = await publishedVersion(registry, name, version)
    if (typeof gitHead !== "string") {
      return `The tag ${tag} is missing, and the registry does not say from which commit ${name} ${version} was published. ${byHand}`
    }
    if ((await commitOf(repository, gitHead)) === undefined) {
      return `The tag ${tag} is missing, and this clone does not have the commit ${gitHead}, from which ${name} ${version} was published. Fetch it, and run the release again.`
    }
    await tagCommit(repository, tag, gitHead)
    return `The tag ${tag} was missing, and is now at ${gitHead}, from which ${name} ${version} was published. Push it.`
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return `The tag ${tag} is missing, and the registry can't be asked from which commit ${name} ${version} was published (${reason}). ${byHand}`
  }
}

/** Tags the commit from which packages were published. An earlier run may have done it. */
export const tagCommit = async (repository: string, tag: string, commit: string): Promise<void> => {
  const tagged = await commitOf(repository, `refs/tags/${tag}`)
  if (tagged === commit) return
  if (tagged !== undefined) {
    throw new Error(
      `The packages are published from ${commit}, but the tag ${tag} is at ${tagged}. The links of their READMEs lead to the tag: move it by git tag --force ${tag} ${commit}, and push it.`
    )
  }
  await run("git", ["tag", tag, commit], { cwd: repository })
}
