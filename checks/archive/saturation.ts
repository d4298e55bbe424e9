/** How far one database carries: machines that share it claim and record files, and what they wait for as they become more. */
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "effect-speech-test-support/freePort"
import { hasPostgres, startPostgres } from "effect-speech-test-support/postgres"
import { startScript } from "effect-speech-test-support/processes"
import { list, table, title } from "effect-speech-test-support/report"
import type { Report } from "./saturationMachines.js"
import type { Settings } from "./support.js"

/** As an administrator would set it: it loses nothing with the power. */
const settings = ["max_connections=300", "shared_buffers=512MB", "max_wal_size=4GB", "synchronous_commit=on"]

const machines = 50
const callMillis = 1_000

/** User and system time of all processes of PostgreSQL, in milliseconds. */
const serverCpuMillis = (): number =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, id) => {
      try {
        const stat = readFileSync(`/proc/${id}/stat`, "utf8")
        if (!stat.includes("(postgres)")) return sum
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
        return sum + 10 * (Number(fields[11]) + Number(fields[12]))
      } catch {
        return sum
      }
    }, 0)

export const checkSaturation = async ({ quick }: Settings) => {
  if (!hasPostgres) {
    console.log("\n- left out: saturation, since no PostgreSQL is installed")
    return
  }
  const postgres = await startPostgres(freePort, settings)
  const rows: Array<ReadonlyArray<string>> = []
  const waits: Array<string> = []
  const sizes: Array<string> = []
  const measure = async (concurrency: number, done: number) => {
    const url = await postgres.database()
    const offered = (machines * 1000 * concurrency) / callMillis
    const { request, stop } = await startScript<number>(new URL("saturationMachines.js", import.meta.url), [
      JSON.stringify({ url, machines, concurrency, callMillis, done, files: offered * (quick ? 20 : 40) })
    ])
    await request("list")
    const { bytes, statusMillis } = await request<Report>("report")
    await request("begin")
    await sleep(8_000)
    const before = { cpu: serverCpuMillis(), at: performance.now(), report: await request<Report>("report") }
    await sleep(quick ? 8_000 : 20_000)
    const after = { cpu: serverCpuMillis(), at: performance.now(), report: await request<Report>("report") }
    await stop()
    const seconds = (after.at - before.at) / 1000
    const files = after.report.recorded - before.report.recorded
    const calls = machines * concurrency
    rows.push([
      String(calls),
      String(done),
      offered.toFixed(0),
      (files / seconds).toFixed(0),
      (files / seconds / offered).toFixed(2),
      `${((after.cpu - before.cpu) / seconds / 10).toFixed(0)} %`,
      `${((after.report.walBytes - before.report.walBytes) / files / 1000).toFixed(1)} kB`,
      `${((after.report.commits - before.report.commits) / files).toFixed(2)}`
    ])
    waits.push(`${calls} calls at once, ${done} files done before: ${after.report.waits}`)
    if (done > 0) {
      sizes.push(
        `${done} files done: ${(bytes / done).toFixed(0)} bytes a file, a status takes ${(statusMillis / 1000).toFixed(1)} s`
      )
    }
    console.error(`${calls} calls at once: ${(files / seconds).toFixed(0)} of ${offered} files a second`)
  }
  try {
    for (const concurrency of quick ? [4, 32] : [4, 8, 16, 32, 64, 128]) await measure(concurrency, 0)
    await measure(64, quick ? 100_000 : 10_000_000)
  } finally {
    await postgres.stop()
  }
  title(`${machines} machines on one PostgreSQL, calls of ${callMillis} ms that cost nothing`)
  table([
    [
      "calls at once",
      "files done before",
      "files/s asked",
      "files/s",
      "share",
      "CPU of the server",
      "WAL a file",
      "commits a file"
    ],
    ...rows
  ])
  console.log("\nWhat the sessions of the server waited for, in samples:")
  list(waits)
  console.log("\nA large run:")
  list(sizes)
}
