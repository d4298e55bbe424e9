import { run } from "effect-speech-test-support/processes"

/** Tags the commit from which packages were published. An earlier run may have done it. */
export const tagCommit = async (repository: string, tag: string, commit: string): Promise<void> => {
  const read = ["rev-parse", "--quiet", "--verify", `refs/tags/${tag}^{commit}`]
  const tagged = (await run("git", read, { cwd: repository, mayFail: true })).stdout.trim()
  if (tagged === commit) return
  if (tagged !== "") {
    throw new Error(
      `The packages are published from ${commit}, but the tag ${tag} is at ${tagged}. The links of their READMEs lead to the tag: move it by git tag --force ${tag} ${commit}, and push it.`
    )
  }
  await run("git", ["tag", tag, commit], { cwd: repository })
}
