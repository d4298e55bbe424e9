/**
 * `pnpm run docs` builds the site of the documents and serves it on this machine. `pnpm run docs build` only builds it, into
 * `docs/.vitepress/dist`. (`pnpm docs` is a command of pnpm itself, and opens a page of the registry.)
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const docs = join(root, "docs")

/** @param {string} command @param {string} cwd */
const run = (command, cwd) => {
  const { status } = spawnSync(command, { cwd, shell: true, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

run("pnpm run build", root)
run("pnpm install --frozen-lockfile --prefer-offline", docs)
run("node site/pages.js", docs)
run("pnpm exec vitepress build .", docs)
if (process.argv[2] !== "build") run("pnpm exec vitepress preview .", docs)
