/**
 * The packages on Effect 4: `pnpm verify effect4`.
 *
 * A copy of the packages is rewritten by the rules of `rules.ts` and by the patches in `overlay/`, type-checked against Effect 4,
 * and tested. `--folder PATH` keeps the copy there. After changes by hand there, `--record PATH` writes them as the new overlay.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readOptions } from "effect-speech-test-support/options"
import { run, temporaryFolder } from "effect-speech-test-support/processes"
import { bar, exitStatus, list, table, title } from "effect-speech-test-support/report"
import { commit, contents, copy, git, install, packages } from "./project.js"
import { rewrite } from "./rules.js"

const overlay = fileURLToPath(new URL("overlay/", import.meta.url))
const options = readOptions({ folder: { type: "string" }, record: { type: "string" } })

/** The part of the copy that a path belongs to: a package, or what the tests share. */
const partOf = (path: string) => /^packages\/([\w-]+)\//.exec(path)?.[1] ?? "test/support"
const parts = [...packages, "test/support"]

/** Writes how the folder differs from what the rules made of it: one patch per part. */
const record = async (folder: string) => {
  await git(folder, ["add", "--all"])
  for (const part of parts) {
    const path = part.includes("/") ? part : `packages/${part}`
    const { stdout } = await git(folder, ["diff", "--cached", "--unified=2", "--no-color", "--no-ext-diff", "rules", "--", path])
    const file = join(overlay, `${part.replace("/", "-")}.patch`)
    writeFileSync(file, stdout.replace(/^(diff --git|index|new file mode|deleted file mode|similarity) .*\n/gm, ""))
  }
}

if (options.record !== undefined) {
  await record(options.record)
  process.exit(0)
}

const folder = options.folder ?? temporaryFolder("check-effect4-")
mkdirSync(folder, { recursive: true })
const all = contents()
copy(folder, all)
await git(folder, ["init", "--quiet"])
await commit(folder, "copy")
const sources = all.files.filter((file) => /\.ts$/.test(file) && /^(packages|test)\//.test(file))
const lineCount = new Map<string, number>()
for (const file of sources) {
  const text = readFileSync(join(folder, file), "utf8")
  lineCount.set(file, text.split("\n").length - 1)
  writeFileSync(join(folder, file), rewrite(text))
}
await commit(folder, "rules")
await git(folder, ["tag", "--force", "rules"])

/** The hunks that did not fit, with their file. */
const rejected: Array<string> = []
for (const name of readdirSync(overlay)) {
  const { stderr } = await git(folder, ["apply", "--reject", "-C1", "--whitespace=nowarn", join(overlay, name)], true)
  for (const [, file = "", hunk = ""] of stderr.matchAll(/^error: patch failed: (.+):(\d+)$/gm)) rejected.push(`${file}:${hunk}`)
}
await commit(folder, "overlay")
await git(folder, ["tag", "--force", "overlay"])

console.error("install")
const versions = await install(folder)

interface Changed {
  readonly added: number
  readonly replaced: number
}
const changes = async (from: string, to: string) => {
  const { stdout } = await git(folder, ["diff", "--numstat", from, to])
  const found = new Map<string, number>()
  for (const line of stdout.trim().split("\n")) {
    const [added = "0", removed = "0", file = ""] = line.split("\t")
    const key = `${partOf(file)} ${file.includes("/src/") ? "src" : "test"}`
    found.set(key, (found.get(key) ?? 0) + Math.max(Number(added), Number(removed)))
  }
  return found
}
