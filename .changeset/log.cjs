/**
 * Writes the summary of a change into a log, and nothing else. All packages have one version, so the log names no updated
 * dependencies. It names no commits, since most readers have no repository.
 */
module.exports = {
  /** @param {{ readonly summary: string }} changeset */
  getReleaseLine: async ({ summary }) => `- ${summary.trim().replaceAll("\n", "\n  ")}`,
  getDependencyReleaseLine: async () => ""
}
