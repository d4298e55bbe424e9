/** Table 4: a recording to telephony, from file to file. */
import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs"
import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import { bar, exitStatus, title } from "effect-speech-test-support/report"
import { checkMemory, compare, execute, executeCase, folder, programVersions } from "./harness.js"
import { telephony } from "./ours.js"
import { seconds } from "./signal.js"

const input = join(folder, "in.wav")
const output = join(folder, "out.wav")

const before = () => rmSync(output, { force: true })
const copyInBlocks = () => {
  const from = openSync(input, "r")
  const to = openSync(output, "wx")
  const block = new Uint8Array(512 * 1024)
  for (let size = readSync(from, block); size > 0; size = readSync(from, block)) writeSync(to, block, 0, size)
  closeSync(from)
  closeSync(to)
}

title("4. 10 minutes of 16-bit stereo at 48 kHz to 16-bit mono at 8 kHz, from file to file")
const installed = programVersions()
let peak = 0
const programs = [
  { name: "sox", run: () => execute("sox", "-D", input, "-r", "8000", "-c", "1", "-b", "16", output) },
  { name: "ffmpeg", run: () => execute("ffmpeg", "-v", "error", "-y", "-i", input, "-ar", "8000", "-ac", "1", output) }
].filter(({ name }) => name in installed)
const contestants = [
  {
    name: "Telephony.readFile to Wav.writeFile",
    run: () => Effect.runPromise(Effect.provide(telephony(input, output), NodeFileSystem.layer))
  },
  {
    name: "the same as a process, with its start",
    run: () => {
      peak = executeCase("telephony", input, output)
    }
  },
  ...programs
]
/** Each contestant must have written the whole output, and not the whole input. */
const checked = contestants.map(({ name, run }) => ({
  name,
  before,
  run: async () => {
    await run()
    const { size } = statSync(output)
    if (Math.abs(size - seconds * 8000 * 2) > 4096) throw new Error(`${name} wrote ${size} bytes.`)
  }
}))
const medianOf = await compare(
  [
    ...checked,
    { name: "a process that only imports it", run: () => executeCase("imports") },
    { name: "cp, only a copy", before, run: () => execute("cp", input, output) },
    { name: "fs.copyFile, only a copy", before, run: () => copyFile(input, output) },
    { name: "readSync and writeSync, only a copy", before, run: copyInBlocks }
  ],
  { rounds: 9, maximumMillis: 10_000, unit: "x real time", speed: (milliseconds) => (seconds * 1000) / milliseconds }
)
const ours = medianOf("Telephony.readFile to Wav.writeFile")
const started = medianOf("the same as a process, with its start")
const limit = ours / medianOf("cp, only a copy")
bar("at most 4 times cp", limit <= 4, `${limit.toFixed(2)}x`)
for (const { name } of programs) {
  const peer = medianOf(name)
  bar(`faster than ${name}, in a running process`, ours < peer, `${(peer / ours).toFixed(1)}x`)
  bar(`faster than ${name}, both with their start`, started < peer, `${(peer / started).toFixed(1)}x`)
}
checkMemory(peak)
process.exitCode = exitStatus()
