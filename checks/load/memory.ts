/**
 * Memory does not grow: `pnpm verify memory`; `--only upload|speech|calls` for one part, `--quick` for a short form.
 *
 * Uploads two gigabytes, downloads more than an hour of speech, makes ten thousand calls over one layer, leaves calls, and
 * builds layers: so many that the heap of V8 has grown to its size before the last fifth. A tenth of each size is measured
 * beside it. Each row has a new service and a new client. Needs 4 GB in the folder for temporary files.
 */
import { rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { readOptions } from "effect-speech-test-support/options"
import { writeNoise } from "effect-speech-test-support/recordings"
import { at, bar, megabytes } from "effect-speech-test-support/report"
import { runParts } from "../support/parts.js"
import type { Spoken } from "./client.js"
import * as Harness from "./harness.js"

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })

/** In bytes, but for `flat`. A new process still grows, so the short form has looser limits. */
const limits = {
  file: 60e6,
  stream: 160e6,
  service: 250e6,
  ...(quick ? { kept: 3e6, flat: 1.4 } : { kept: 2e6, flat: 1.1 })
}

const size = quick
  ? { upload: 32_000_000, texts: 1, codePoints: 400, calls: 40, left: 8, built: 4 }
  : { upload: 2_000_000_000, texts: 2, codePoints: 10_000, calls: 10_000, left: 30_000, built: 60_000 }

const measureAll = async (cases: ReadonlyArray<Harness.Case>, canned = true) => {
  const rows: Array<Harness.Row> = []
  for (const each of cases) {
    const pair = await Harness.startPair({ canned })
    rows.push(await Harness.measure(pair, each))
    await pair.stop()
  }
  return rows
}

const checkNothingLeft = (rows: ReadonlyArray<Harness.Row>) => {
  Harness.checkKept(rows, limits.kept, "client")
  Harness.checkNothingLeft(rows)
}

const checkUpload = async () => {
  const { bavail, bsize } = statfsSync(Harness.temporary)
  if (bavail * bsize < 2 * size.upload) {
    console.error(
      `${Harness.temporary} has ${megabytes(bavail * bsize)} free. This check needs ${megabytes(2 * size.upload)}.`
    )
    process.exit(1)
  }
  const recording = (name: string, byteLength: number) => {
    const path = join(Harness.temporary, `${name}.wav`)
    // The service listens to each second, so a high rate makes the file short for its size.
    writeNoise(path, byteLength, 96_000)
    return { path, byteLength }
  }
  const warmUp = recording("warmUp", 1_000_000)
  const recordings = [recording("tenth", size.upload / 10), recording("whole", size.upload)]
  const sources = [
    ["path", "a file"],
    ["stream", "a stream"],
    ["streamOfUnknownLength", "a stream of unknown length"]
  ] as const
  const rows = await measureAll(
    sources.flatMap(([source, label]) =>
      recordings.map(({ byteLength, path }) => ({
        label: `${label}, ${megabytes(byteLength)}`,
        warmUp: { task: "upload", source, path: warmUp.path } as const,
        task: { task: "upload", source, path } as const
      }))
    )
  )
  for (const { path } of [warmUp, ...recordings]) rmSync(path)
  Harness.print("A recording up", rows)
  Harness.checkPeak(rows.slice(0, recordings.length), limits.file)
  Harness.checkPeak(rows.slice(recordings.length), limits.stream)
  Harness.checkFlat(
    rows.filter((_, index) => index % 2 === 1),
    limits.flat
  )
  Harness.checkServicePeak(rows, limits.service)
  checkNothingLeft(rows)
}

const checkSpeech = async () => {
  const path = join(Harness.temporary, "speech.wav")
  const { texts } = size
  const rows = await measureAll(
    [size.codePoints / 10, size.codePoints].map((codePoints) => ({
      label: `${texts} texts of ${codePoints} characters`,
      warmUp: { task: "speak", path, texts: 1, codePoints: 20, speed: 1 },
      task: { task: "speak", path, texts, codePoints, speed: 0.25 }
    })),
    false
  )
  rmSync(path)
  Harness.print("Speech down into a WAV file", rows)
  Harness.checkPeak(rows, limits.stream)
  Harness.checkFlat(rows.slice(-1), limits.flat)
  Harness.checkServicePeak(rows, limits.service)
  checkNothingLeft(rows)
  const spoken = rows.map(({ result }) => result as Spoken)
  const minutes = at(spoken, spoken.length - 1).announcedMillis / 60_000
  const [least, name] = quick ? [1 / 3, "20 seconds"] : [60, "an hour"]
  bar(`there is at least ${name} of speech`, minutes >= least, `${minutes.toFixed(1)} minutes`)
  bar(
    "each file reads back as long as the service announced",
    // The service rounds the duration of each text to a millisecond.
    spoken.every(
      (each) => each.readBytes === each.announcedBytes && Math.abs(each.readMillis - each.announcedMillis) <= texts
    ),
    spoken.map(({ announcedBytes, readBytes }) => `${readBytes} of ${announcedBytes} bytes`).join("; ")
  )
}

const checkCalls = async () => {
  const repeated = (task: "call" | "leave" | "build", count: number, label: string): Harness.Case => ({
    label: `${count} ${label}`,
    warmUp: { task, count: Math.min(2000, Math.ceil(count / 5)) },
    task: { task, count }
  })
  const rows = await measureAll([
    repeated("call", size.calls, "calls over one layer, texts and recordings in turn"),
    repeated("leave", size.left, "calls left before their end"),
    repeated("build", size.built, "clients of both operations, built, used for one call and closed")
  ])
  Harness.print("One call after another", rows)
  Harness.checkFlat(rows, limits.flat)
  checkNothingLeft(rows)
  Harness.checkKept(rows, limits.kept, "service")
}

await runParts({ upload: checkUpload, speech: checkSpeech, calls: checkCalls }, only)
