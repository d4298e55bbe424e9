/**
 * How a change is told in a log: in its own words. All packages have one version, so which of them depends on which other
 * is nothing new, and a commit's hash says nothing to who has no repository.
 */
module.exports = {
  /** @param {{ readonly summary: string }} changeset */
  getReleaseLine: async ({ summary }) => `- ${summary.trim().replaceAll("\n", "\n  ")}`,
  getDependencyReleaseLine: async () => ""
}
