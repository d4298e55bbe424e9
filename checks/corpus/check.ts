/**
 * Real WAV files against what independent readers say of them: `WAV_CORPUS=folder pnpm check:corpus`.
 *
 * The folder holds `files/` and a `manifest.json` with a verdict for each. Samples are compared with ffmpeg's, bit for
 * bit; those of a RIFX with sox's, since ffmpeg 5 takes its samples for little-endian. Every file is read whole, cut in two
 * at every byte, and one byte at a time.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { AudioFormat, Pcm } from "@effect-speech/audio-codec"
import {
  describe,
  difference,
  dribbled,
  outcomeOf,
  type WavOutcome
} from "../../packages/audio-codec/test/wavOutcome.js"

interface Entry {
  readonly name: string
  readonly container: string
  readonly verdict: "valid" | "malformed" | "disputed"
  readonly expected: { fmtCode: number; channels: number; rate: number; frames: number } | string
  readonly majorityFrames: number | null
}

const folder = process.env.WAV_CORPUS
if (folder === undefined) {
  console.error("Set WAV_CORPUS to the folder of the corpus, which has a manifest.json.")
  process.exit(2)
}

/** The codecs that are read here, by format tag. */
const readTags = [1, 3, 6, 7]

const otherSamples = (container: string, path: string): Buffer =>
  container === "RIFX"
    ? execFileSync("sox", [path, "-t", "f32", "-L", "-"], { maxBuffer: 2 ** 30 })
    : execFileSync("ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-"], { maxBuffer: 2 ** 30 })

const wrongWith = (entry: Entry, outcome: WavOutcome, path: string): string | undefined => {
  const { expected, verdict } = entry
  if (verdict === "malformed") return "error" in outcome ? undefined : "was read, though all others refuse it"
  if (verdict === "disputed" || typeof expected === "string") return undefined
  if (!readTags.includes(expected.fmtCode)) {
    return "error" in outcome && outcome.error.reason === "Unsupported" ? undefined : "is of a codec that is not read"
  }
  if ("error" in outcome) return "was refused"
  const format = outcome.format as AudioFormat.AudioFormat
  const frames = outcome.samples.byteLength / AudioFormat.bytesPerFrame(format)
  const found = [format.channels, format.sampleRate, frames].join()
  if (found !== [expected.channels, expected.rate, expected.frames].join()) return `has ${found}`
  if (frames === 0) return undefined
  const samples = Pcm.decode(outcome.samples, format.encoding)
  return Buffer.from(samples.buffer).equals(otherSamples(entry.container, path))
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
  let complaint = wrongWith(entry, whole, path) ?? difference(whole, outcomeOf(dribbled(file)))
  for (let at = 0; at <= file.byteLength && complaint === undefined; at++) {
    cuts++
    complaint = difference(whole, outcomeOf([file.subarray(0, at), file.subarray(at)]))
  }
  if (complaint !== undefined) wrong++
  const majority = entry.verdict === "disputed" ? `, majority: ${entry.majorityFrames ?? "none"} frames` : ""
  console.log(`${complaint === undefined ? "ok   " : "WRONG"} ${entry.verdict} ${entry.name}`)
  console.log(`      ${complaint ?? describe(whole)}${majority}`)
}
console.log(`${entries.length} files, ${cuts} cuts, ${wrong} wrong.`)
process.exit(wrong === 0 ? 0 : 1)
