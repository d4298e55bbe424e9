/** Files that can't be called fail alone, each with a tag; a file of any name is called. */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { run } from "effect-speech-test-support/processes"
import { noise } from "effect-speech-test-support/recordings"
import { megabytes, table, title } from "effect-speech-test-support/report"
import { barOfNone } from "../support/print.js"
import { until } from "../support/until.js"
import { calls, countsOf, folder, fresh, recordings, type Settings, startArchive, tree } from "./support.js"

const names: ReadonlyArray<string | Buffer> = [
  "with space.wav",
  "  spaces  .wav",
  "-rf.wav",
  "--.wav",
  "new\nline.wav",
  "tab\tand\u0007bell.wav",
  "quote'\"`.wav",
  "back\\slash.wav",
  "$(echo).wav",
  "percent%2F%00.wav",
  "star*?[a].wav",
  "#hash;semi&.wav",
  "नमस्ते 📞.wav",
  "e\u0301.wav",
  "\u00e9.wav",
  "\u202eright-to-left.wav",
  "UPPER.WAV",
  "a.wav",
  "a.wav.txt.wav",
  "CON.wav",
  "constructor.wav",
  "__proto__.wav",
  `${"l".repeat(251)}.wav`,
  `${"ल".repeat(83)}.wav`,
  // No UTF-8.
  Buffer.from([0xff, 0xfe, 0x2e, 0x77, 0x61, 0x76])
]

/** The id of a user who is not root, since root can read each file. */
const otherUser = 65_534

/** Those that can't be called, without what they become in the middle of the run. */
const poison = ["empty", "unreadable", "link", "text", "cut", "sparse", "removed", "changed", "emptied"]

/** A folder with good recordings, odd names in `odd`, and in `zz` what can't be called: these are the last in the order of the run. */
const makeFolder = async (good: number) => {
  const root = recordings(good)
  const odd = join(root, "odd")
  mkdirSync(odd)
  for (const name of names) {
    writeFileSync(Buffer.concat([Buffer.from(`${odd}/`), Buffer.from(name)]), noise(160))
  }
  mkdirSync(join(root, "zz"))
  const at = (name: string) => join(root, "zz", name)
  for (const name of poison.filter((name) => name !== "link")) writeFileSync(at(`${name}.wav`), noise(160))
  truncateSync(at("empty.wav"))
  chmodSync(at("unreadable.wav"), 0)
  symlinkSync(at("nothing"), at("link.wav"))
  writeFileSync(at("text.wav"), "This is no recording.")
  truncateSync(at("cut.wav"), 20)
  writeFileSync(at("sparse.wav"), "")
  truncateSync(at("sparse.wav"), 2 ** 31)
  await run("mkfifo", [at("pipe.wav")])
  return { root, at }
}

export const checkPoison = async ({ quick }: Settings) => {
  const isRoot = process.getuid?.() === 0
  const good = quick ? 200 : 1_000
  const { at, root } = await makeFolder(good)
  const work = fresh("poison")
  mkdirSync(work)
  if (isRoot) {
    await run("chown", ["-R", String(otherUser), work, root])
    chmodSync(folder, 0o755)
    chownSync(at("unreadable.wav"), 0, 0)
  }
  const log = join(work, "calls.log")
  const archive = await startArchive({
    store: { path: join(work, "store") },
    speech: { millis: 20, log },
    concurrency: 2,
    ...(isRoot && { user: otherUser })
  })
  const out = join(work, "out")
  const { id } = await archive.start({ source: { folder: root }, out })
  await until(() => calls([log]).length > 4)
  rmSync(at("removed.wav"))
  appendFileSync(at("changed.wav"), "changed")
  truncateSync(at("emptied.wav"))
  const end = await archive.await(id)
  const files = await archive.files(id)
  await archive.stop()

  title("Files that can't be called, and names of each kind")
  const failing = files.filter(({ path }) => path.startsWith("zz/"))
  table([["file", "state", "tag"], ...failing.map(({ error, path, state }) => [path, state, error?.tag ?? ""])], "left")
  const problems = [...poison, "pipe"].flatMap((name) => {
    const file = files.find(({ path }) => path === `zz/${name}.wav`)
    return file?.state === "failed" && file.error !== undefined ? [] : [`${name} is ${file?.state ?? "not listed"}`]
  })
  const oddOnes = files.filter(({ path }) => path.startsWith("odd/"))
  const texts = tree(out)
  const failures = oddOnes.filter(({ state }) => state !== "done")
  for (const { error, path } of failures) console.log(`- ${JSON.stringify(path)}: ${error?.tag}: ${error?.message}`)
  if (oddOnes.length !== names.length) problems.push(`${oddOnes.length} of ${names.length} odd names are listed`)
  // The name that is no UTF-8 can't be said in JSON, so it may fail.
  if (failures.length > 1) problems.push(`${failures.length} odd names failed`)
  const done = files.filter(({ state }) => state === "done").length
  const written = [...texts.keys()].filter((path) => path.endsWith(".txt")).length
  if (written !== done) problems.push(`${written} texts for ${done} files`)
  if (done !== good + oddOnes.length - failures.length) problems.push(`${countsOf(end)}`)
  const lines = existsSync(join(out, "results.jsonl"))
    ? readFileSync(join(out, "results.jsonl"), "utf8").trimEnd().split("\n")
    : []
  if (lines.length !== files.length) problems.push(`${lines.length} lines for ${files.length} files`)
  if (end.state !== "ended") problems.push(`the run is ${end.state}`)
  const figure = `${end.state}: ${countsOf(end)}, ${megabytes(end.peak)}`
  barOfNone("each fails with a tag, and all others are done", problems, figure)
}
