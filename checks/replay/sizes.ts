/** A large upload and an hour of speech, recorded and replayed in flat memory. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { startScript } from "effect-speech-test-support/processes"
import { writeNoise } from "effect-speech-test-support/recordings"
import { bar, megabytes, at as of } from "effect-speech-test-support/report"
import type { ServiceProcess } from "effect-speech-test-support/serviceProcess"
import type { Setting, Spoken, Task } from "../load/client.js"
import * as Harness from "../load/harness.js"
import { barOfGrowth } from "../support/memory.js"
import { newFolder, startReal, startRecorder, startReplay, temporary } from "./services.js"

const measure = async (service: ServiceProcess, label: string, warmUp: Task, task: Task) => {
  const script = new URL("../load/client.js", import.meta.url)
  const client = await startScript(script, [JSON.stringify({ service } satisfies Setting)])
  const stop = async () => {
    await client.stop()
    await service.stop()
  }
  const row = await Harness.measure({ service, client, stop }, { label, warmUp, task })
  await stop()
  return row
}

/** Records and replays a task, and a tenth of it: of both the memory of the recorder and of the replay. */
const measureBoth = async (label: string, warmUp: Task, tasks: ReadonlyArray<readonly [string, Task]>) => {
  const rows: Array<Harness.Row> = []
  for (const [size, task] of tasks) {
    const folder = newFolder("exchanges")
    const real = await startReal({
      cannedByText: false,
      ...{ maximumUploadBytes: 2 ** 32, maximumRecording: "1000000 seconds" }
    })
    rows.push(await measure(await startRecorder(folder, real), `${label} of ${size}, recorded`, warmUp, task))
    await real.stop()
    rows.push(await measure(await startReplay(folder), `${label} of ${size}, replayed`, warmUp, task))
    rmSync(folder, { recursive: true })
  }
  return rows
}

/** In bytes. */
const limits = { peak: 120e6, growth: 40e6 }

export const checkSizes = async ({ quick }: { readonly quick: boolean }) => {
  const upload = quick ? 20_000_000 : 200_000_000
  const write = (name: string, byteLength: number) => {
    const path = join(temporary, `${name}.wav`)
    // The service listens to each second, so a high rate makes the file short for its size.
    writeNoise(path, byteLength, 96_000)
    return { task: "upload", source: "path", path } as const
  }
  const uploads = await measureBoth("An upload", write("warmUp", 1_000_000), [
    [megabytes(upload / 10), write("tenth", upload / 10)],
    [megabytes(upload), write("whole", upload)]
  ])
  const path = join(temporary, "speech.wav")
  const speak = (texts: number, codePoints: number, speed = 0.25) =>
    ({ task: "speak", path, texts, codePoints, speed }) as const
  const codePoints = quick ? 400 : 10_000
  const speech = await measureBoth("Speech", speak(1, 20, 1), [
    [`2 texts of ${codePoints / 10} characters`, speak(2, codePoints / 10)],
    [`2 texts of ${codePoints} characters`, speak(2, codePoints)]
  ])
  Harness.print("A large upload and an hour of speech", [...uploads, ...speech])
  Harness.checkServicePeak([...uploads, ...speech], limits.peak)
  for (const rows of [uploads, speech]) {
    for (const at of [0, 1]) {
      // The rows of a tenth come first.
      const [less, more] = [of(rows, at), of(rows, at + 2)]
      barOfGrowth(
        `${more.label}: at most ${megabytes(limits.growth)} above the peak of a tenth`,
        limits.growth,
        less.service.after.peak,
        more.service.after.peak
      )
    }
  }
  const spoken = speech.slice(2).map(({ result }) => result as Spoken)
  const minutes = Math.min(...spoken.map(({ announcedMillis }) => announcedMillis)) / 60_000
  bar(
    `there is at least ${quick ? "a minute" : "an hour"} of speech`,
    minutes >= (quick ? 1 : 60),
    `${minutes.toFixed(1)} minutes`
  )
  const bytes = new Set(spoken.flatMap(({ announcedBytes, readBytes }) => [announcedBytes, readBytes]))
  bar("as many bytes are replayed as were recorded", bytes.size === 1, [...bytes].join(", "))
  Harness.checkNothingLeft([...uploads, ...speech])
}
