/**
 * Compares how audio-codec reads recordings of other programs with how ffmpeg and sox read them: the container, the duration,
 * damage, and the samples of WAV files. A recording counts if ffmpeg decodes it without a word.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Container, Pcm, Wav } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { bar, list, title } from "effect-speech-test-support/report"
import { tableOf } from "../support/print.js"
import { makeRecordings, type Sample } from "./recordings.js"

/** The names that ffprobe gives to formats. */
const formats: Record<Container.Container, string> = {
  wav: "wav",
  mp3: "mp3",
  m4a: "mov,mp4,m4a,3gp,3g2,mj2",
  flac: "flac",
  ogg: "ogg",
  webm: "matroska,webm"
}

interface Judged {
  readonly sample: Sample
  /** Whether ffmpeg knows the container and decodes all without a word. */
  readonly isPlayed: boolean
  readonly decodedMillis: number
  readonly probedMillis: number | undefined
  readonly found: Container.Header
  readonly structure: string
  readonly bytesRead: number
}

/** In Hz. Durations are measured by it. */
const rate = 8000

const judge = (sample: Sample, path: string): Judged => {
  writeFileSync(path, sample.bytes)
  const entries = ["-show_entries", "format=format_name,duration", "-of", "json"]
  const probe = spawnSync("ffprobe", ["-v", "error", ...entries, path])
  const probed = JSON.parse(probe.stdout.toString() || "{}").format ?? {}
  const output = ["-map", "0:a:0", "-f", "s16le", "-ac", "1", "-ar", String(rate), "-"]
  const decoding = spawnSync("ffmpeg", ["-v", "error", "-i", path, ...output], { maxBuffer: 2 ** 28 })
  let bytesRead = 0
  const recording = {
    byteLength: sample.bytes.length,
    read: (offset: number, length: number) => {
      bytesRead += length
      return Effect.succeed(sample.bytes.subarray(offset, offset + length))
    }
  }
  const found = Effect.runSync(Container.readHeader(recording))
  const total = bytesRead
  const structure = Effect.match(Container.checkStructure(recording, sample.container), {
    onFailure: ({ reason }) => reason,
    onSuccess: () => "whole"
  })
  return {
    sample,
    isPlayed: decoding.status === 0 && decoding.stderr.length === 0 && probed.format_name === formats[sample.container],
    decodedMillis: (decoding.stdout.length / 2 / rate) * 1000,
    probedMillis: probed.duration === undefined ? undefined : Number(probed.duration) * 1000,
    found,
    structure: Effect.runSync(structure),
    bytesRead: total
  }
}

/** The samples of a WAV file are those of sox if it is big-endian, since ffmpeg 5 reads it as little-endian, or else of ffmpeg. */
const hasSamplesOfOthers = ({ bytes }: Sample, path: string): boolean => {
  writeFileSync(path, bytes)
  const decoded = Wav.decode(bytes)
  if (Either.isLeft(decoded)) return false
  const samples = Pcm.decode(decoded.right.bytes, decoded.right.format.encoding)
  const [command, parameters] = isBigEndian(bytes)
    ? ["sox", ["-t", "wav", path, "-t", "f32", "-L", "-"]]
    : ["ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-"]]
  return Buffer.from(samples.buffer).equals(execFileSync(command, parameters, { maxBuffer: 2 ** 28 }))
}

const isBigEndian = (bytes: Buffer): boolean => bytes.toString("latin1", 0, 4) === "RIFX"

const millis = (value: number | undefined) => (value === undefined ? "none" : `${value.toFixed(0)} ms`)

export const checkContainers = (): void => {
  const folder = temporaryFolder("recordings-")
  const path = join(folder, "recording")
  const judged = makeRecordings(folder).map((sample) => judge(sample, path))
  // ffmpeg 5 does not read the numbers of a RIFX, so that sox alone is asked.
  const counted = judged.filter(({ isPlayed, sample }) => isPlayed && !isBigEndian(sample.bytes))
  const isWrong = ({ decodedMillis, found: { durationMillis }, sample: { isCut, tolerance } }: Judged) =>
    isCut !== true && durationMillis !== undefined && Math.abs(durationMillis - decodedMillis) > tolerance
  const isMisnamed = ({ found, sample }: Judged) => found.container !== sample.container
  const isMisjudged = ({ sample, structure }: Judged) =>
    sample.isCut === true ? structure === "whole" && !["wav", "flac"].includes(sample.container) : structure !== "whole"
  const count = (
    of: ReadonlyArray<Judged>,
    container: Container.Container,
    is: (one: Judged) => boolean = () => true
  ) => of.filter((one) => one.sample.container === container && is(one)).length
  title("Recordings of other programs")
  tableOf(Container.containers, {
    container: Container.displayName,
    recordings: (container) => count(judged, container),
    "played by ffmpeg": (container) => count(counted, container),
    known: (container) => count(judged, container, (one) => !isMisnamed(one)),
    "with a duration": (container) => count(counted, container, ({ found }) => found.durationMillis !== undefined),
    without: (container) => count(counted, container, ({ found }) => found.durationMillis === undefined),
    wrong: (container) => count(counted, container, isWrong),
    misjudged: (container) => count(counted, container, isMisjudged)
  })
  const describe = ({ decodedMillis, found, isPlayed, probedMillis, sample, structure }: Judged) =>
    `${sample.container} ${sample.name}: ${found.container ?? "unknown"}, ${millis(found.durationMillis)}, ${structure}; ` +
    `ffmpeg ${millis(decodedMillis)}, ffprobe ${millis(probedMillis)}${isPlayed ? "" : ", with errors"}`
  list(
    judged
      .filter((one) => isMisnamed(one) || (counted.includes(one) && (isWrong(one) || isMisjudged(one))))
      .map(describe)
  )
  if (process.env.VERBOSE !== undefined) for (const one of judged) console.log(`  ${describe(one)}`)
  const wavs = judged.filter(({ sample }) => sample.container === "wav")
  const different = wavs.filter(({ sample }) => !hasSamplesOfOthers(sample, path))
  list(different.map(({ sample }) => `WAV ${sample.name}: other samples than sox or ffmpeg`))
  const zero = (claim: string, wrong: number, of: number) => bar(claim, wrong === 0, `${wrong} of ${of}`)
  bar("150 recordings at least", judged.length >= 150, String(judged.length))
  zero("each container is known", judged.filter(isMisnamed).length, judged.length)
  zero(
    "a duration is that of the decoder within three frames, or absent",
    counted.filter(isWrong).length,
    counted.length
  )
  zero("what ffmpeg plays is whole, unless it is cut", counted.filter(isMisjudged).length, counted.length)
  zero("the samples of WAV files are those of ffmpeg, or of sox", different.length, wavs.length)
  const most = Math.max(...judged.map(({ bytesRead }) => bytesRead))
  bar("at most 256 KiB are read for a header", most <= 256 * 1024, `${most} bytes`)
}
