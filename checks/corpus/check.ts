/**
 * Compares how recordings are read here with how independent readers read them. `pnpm verify corpus` makes recordings of all
 * containers by ffmpeg and sox. `pnpm verify corpus FOLDER`, or `WAV_CORPUS=FOLDER`, takes WAV files from a folder.
 *
 * The folder holds `files/` and a `manifest.json` with a verdict for each file. Samples must equal ffmpeg's, bit for bit.
 * Those of a RIFX file must equal sox's, because ffmpeg 5 reads them as little-endian. Each file is read whole, cut in two
 * at every byte, and one byte at a time.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { AudioFormat, Pcm } from "@effect-speech/audio-codec"
import { folderOf } from "effect-speech-test-support/programs"
import { exitStatus } from "effect-speech-test-support/report"
import {
  describe,
  difference,
  dribbled,
  outcomeOf,
  type WavOutcome
} from "../../packages/audio-codec/test/wavOutcome.js"
import { checkContainers } from "./containers.js"

interface Entry {
  readonly name: string
  readonly container: string
  readonly verdict: "valid" | "malformed" | "disputed"
  readonly expected: { fmtCode: number; channels: number; rate: number; frames: number } | string
  readonly majorityFrames: number | null
}

const folder = process.argv[2] ?? process.env.WAV_CORPUS
if (folder !== undefined && !existsSync(join(folder, "manifest.json"))) {
  console.error("Give the folder of the corpus, which has a manifest.json: as an argument or as WAV_CORPUS.")
  process.exit(2)
}
const needed = ["ffmpeg", "sox"].filter((program) => folderOf([program]) === undefined)
if (needed.length > 0) {
  console.error(
    `This check compares with other readers: install ${needed.join(" and ")}, so that ${needed.length === 1 ? "it is" : "they are"} in PATH.`
  )
  process.exit(2)
}

if (folder === undefined) {
  checkContainers()
  process.exit(exitStatus())
}

/** The format tags of the codecs that are supported here. */
const readTags = [1, 3, 6, 7]

const referenceSamples = (container: string, path: string): Buffer =>
  container === "RIFX"
    ? execFileSync("sox", [path, "-t", "f32", "-L", "-"], { maxBuffer: 2 ** 30 })
    : execFileSync("ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-"], { maxBuffer: 2 ** 30 })

const problemOf = (entry: Entry, outcome: WavOutcome, path: string): string | undefined => {
  const { expected, verdict } = entry
  if (verdict === "malformed") return "error" in outcome ? undefined : "was accepted, but every other reader rejects it"
  if (verdict === "disputed" || typeof expected === "string") return undefined
  if (!readTags.includes(expected.fmtCode)) {
    return "error" in outcome && outcome.error.reason === "Unsupported"
      ? undefined
      : "has a codec that is not supported, and another error"
  }
  if ("error" in outcome) return "was rejected"
  const format = outcome.format as AudioFormat.AudioFormat
  const frames = outcome.samples.byteLength / AudioFormat.bytesPerFrame(format)
  const found = [format.channels, format.sampleRate, frames].join()
  if (found !== [expected.channels, expected.rate, expected.frames].join()) return `has ${found}`
  if (frames === 0) return undefined
  const samples = Pcm.decode(outcome.samples, format.encoding)
  return Buffer.from(samples.buffer).equals(referenceSamples(entry.container, path))
    ? undefined
    : "has samples that differ from another reader's"
}

const entries: ReadonlyArray<Entry> = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))
let wrong = 0
let cuts = 0
for (const entry of entries) {
  const path = join(folder, "files", entry.name)
  const file = readFileSync(path)
  const whole = outcomeOf([file])
  let problem = problemOf(entry, whole, path) ?? difference(whole, outcomeOf(dribbled(file)))
  for (let at = 0; at <= file.byteLength && problem === undefined; at++) {
    cuts++
    problem = difference(whole, outcomeOf([file.subarray(0, at), file.subarray(at)]))
  }
  if (problem !== undefined) wrong++
  const majority = entry.verdict === "disputed" ? `, majority: ${entry.majorityFrames ?? "none"} frames` : ""
  console.log(`${problem === undefined ? "ok   " : "WRONG"} ${entry.verdict} ${entry.name}`)
  console.log(`      ${problem ?? describe(whole)}${majority}`)
}
console.log(`${entries.length} files, ${cuts} cuts, ${wrong} wrong.`)
process.exit(wrong === 0 ? 0 : 1)
