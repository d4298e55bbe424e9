/** Small calls and an upload in Bun and Deno, beside the HttpClient of fetch, which both have. The server stays in Node. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { writeNoise } from "effect-speech-test-support/recordings"
import { measuredBar, median, megabytes, ratio, spread, table, title, whole } from "effect-speech-test-support/report"
import { interleave, resultsOf } from "../../support/interleave.js"
import { bun, deno, install } from "../../support/runtimes.js"
import { headings, type Plan, planOf } from "../calls/calls.js"
import { uploaders } from "../clients/index.js"
import { measureIn, type Setting, startServer } from "../harness.js"
import { compareGroups, type Group, isIn } from "../layers/layers.js"
import type { Failed, Upload } from "../upload/measure.js"

const fsStream = "HttpBody.stream(fs.stream(path, { chunkSize: 1024 * 1024 }))"

/** `streams` are the bodies of a bare HttpClient that a form can have too. `whole` is sent by the system, as no form can be. */
const runtimes = {
  Bun: {
    ...bun,
    streams: [fsStream, "HttpBody.raw(Bun.file(path).stream())"],
    whole: ["HttpBody.raw(Bun.file(path))"]
  },
  Deno: { ...deno, streams: [fsStream, "HttpBody.raw(Deno.openSync(path).readable)"], whole: [] }
}

const groups: ReadonlyArray<Group> = [{ bare: "bare-fetch", ours: ["ours", "ours-fetch"] }]

export const run = async (setting: Setting) => {
  const server = await startServer()
  const size = (setting.quick ? 64 : 500) * 2 ** 20
  const folder = temporaryFolder("bench-runtimes-")
  const files = { path: join(folder, "recording.wav"), smallPath: join(folder, "small.wav") }
  writeNoise(files.path, size)
  writeNoise(files.smallPath, 2 ** 20)
  for (const [name, runtime] of Object.entries(runtimes)) {
    const { path, version } = await install(runtime)
    const plan = { ...planOf(setting, server.url, isIn(groups)), runtime: [path, ...runtime.run] as const }
    for (const operation of ["synthesis", "transcription"] as const) {
      await compareGroups(operation, plan, groups, `${headings[operation]}, in ${name} ${version}`)
    }
    title(`Upload of ${size / 2 ** 20} MiB, in ${name} ${version}`)
    await compareUploads(plan, { ...files, size, ...runtime })
  }
  await server.stop()
  rmSync(folder, { recursive: true })
}

interface Uploads {
  readonly path: string
  readonly smallPath: string
  readonly size: number
  readonly streams: ReadonlyArray<string>
  readonly whole: ReadonlyArray<string>
}

const compareUploads = async (
  { rounds, runtime, url }: Plan,
  { path, size, smallPath, streams, whole: bodies }: Uploads
) => {
  const ours = ["ours", "ours-fetch"]
  const names = [...ours, ...streams, ...bodies]
  const sides = names.map((name) => ({
    name,
    run: () => measureIn<Upload | Failed>(runtime, "runtimes", [name, url, path, smallPath])
  }))
  const all = await interleave(sides, { rounds })
  const uploads = (name: string) =>
    resultsOf(all, name).map((each) => {
      if ("failed" in each) throw new Error(`${name} failed: ${each.failed}`)
      return each
    })
  const label = (name: string) => uploaders[name]?.label ?? `bare \`HttpClient\`, \`${name}\``
  const speed = (name: string) => median(uploads(name).map(({ wallMillis }) => size / wallMillis / 1000))
  const cpus = (name: string) => uploads(name).map(({ cpuMicros }) => cpuMicros / 1000)
  const fastest = streams.toSorted((a, b) => speed(b) - speed(a))[0] ?? fsStream
  console.log(
    `Medians of ${rounds} interleaved rounds, each client a new process: one upload of 1 MiB to warm up, then one that counts. ` +
      "Memory is the peak of resident memory above that before the upload.\n"
  )
  table([
    [
      "client",
      "MB/s",
      "speed / fastest stream",
      "CPU, ms",
      "of all rounds",
      "CPU / fastest stream",
      "memory above idle"
    ],
    ...names.map((name) => [
      ...[label(name), whole(speed(name)), ratio(speed(name), speed(fastest))],
      ...[whole(median(cpus(name))), spread(cpus(name), whole), ratio(median(cpus(name)), median(cpus(fastest)))],
      megabytes(median(uploads(name).map(({ idle, peak }) => Math.max(0, peak - idle))))
    ])
  ])
  for (const name of ours) {
    const figure = speed(name) / speed(fastest)
    measuredBar(`${label(name)}: at least 0.9x the speed of ${label(fastest)}`, figure >= 0.9, ratio(figure, 1))
  }
}
