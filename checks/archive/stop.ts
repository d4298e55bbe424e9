/** The command is asked to end by a signal while it makes calls of half a second to half a minute: in a file, and as one of two machines. */
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { RunStatus } from "@effect-speech/archive/Run"
import { hasPostgres, startPostgres } from "effect-speech-test-support/postgres"
import { start } from "effect-speech-test-support/processes"
import { bar, list, table, title } from "effect-speech-test-support/report"
import { startJournaled, timesById } from "../support/journal.js"
import { seconds } from "../support/print.js"
import { until } from "../support/until.js"
import { countsOf, folder, fresh, recordings, type Settings } from "./support.js"

const concurrency = 4
const command = fileURLToPath(new URL("../../packages/cli/dist/bin.js", import.meta.url))

/** The calls that are under way when the signal is sent end within their own time, and what is recorded and written after them. */
const marginMillis = 4_000

export const checkStop = async ({ quick }: Settings) => {
  const service = await startJournaled(folder)
  const postgres = hasPostgres ? await startPostgres() : undefined
  const problems: Array<string> = []
  const rows: Array<ReadonlyArray<string>> = []
  const speech = (line: ReadonlyArray<string>, store: string | undefined) => {
    const child = start(process.execPath, [command, "archive", ...line], {
      env: {
        SPEECH_API_KEY: service.speech.apiKey,
        SPEECH_STT_BASE_URL: service.speech.baseUrl,
        SPEECH_ARCHIVE_STORE: store ?? ""
      }
    })
    let stdout = ""
    let stderr = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    const ended = once(child, "exit").then(([code]) => ({ code: Number(code), stdout, stderr, at: performance.now() }))
    return { child, ended }
  }
  /** Requests since the service began. */
  const received = async (): Promise<number> => {
    const entries: ReadonlyArray<{ readonly number: number }> = (await service.platform("GET", "requests")).body
    return Math.max(0, ...entries.map(({ number }) => number))
  }

  const stopOnce = async (callMillis: number, signal: "SIGINT" | "SIGTERM", machines: number) => {
    const name = `${signal} at calls of ${seconds(callMillis)}, ${machines === 1 ? "a file" : "one of two machines"}`
    const store = machines === 1 ? undefined : await postgres?.database()
    const files = 3 * concurrency * machines
    const run = ["run", recordings(files), "--out", fresh("out"), "--model", "en-general-v2-8khz"]
    const asRun = [...run, "--concurrency", String(concurrency), "--json", ...(machines === 1 ? [] : ["--work"])]
    const before = (await service.journal()).length
    await service.platform("PUT", "faults", [{ delayMillis: callMillis }])
    const other = machines === 1 ? undefined : speech(["work", "--concurrency", String(concurrency)], store)
    const first = speech(asRun, store)
    await until(async () => (await received()) >= before + machines * concurrency, { seconds: 60 })
    const at = performance.now()
    first.child.kill(signal)
    const { at: endedAt, code, stderr } = await first.ended
    const took = endedAt - at
    if (code !== 130) problems.push(`${name}: exit code ${code}, ${stderr}`)
    if (took > callMillis + marginMillis) problems.push(`${name}: it took ${seconds(took)} to end`)
    if (machines === 1) {
      const status = JSON.parse(
        (await speech(["status", "--out", run[3] ?? "", "--json"], store).ended).stdout
      ) as RunStatus
      if (status.counts.started + status.counts.held > 0) problems.push(`${name}: ${countsOf(status)}`)
    }
    await service.platform("PUT", "faults", [{ delayMillis: 0 }])
    const last = speech(asRun, store)
    const end = JSON.parse((await last.ended).stdout) as RunStatus
    other?.child.kill("SIGTERM")
    await other?.ended
    const calls = timesById((await service.journal()).slice(before))
    const twice = [...calls.values()].filter((times) => times > 1).length
    if (end.counts.done !== files) problems.push(`${name}: ${countsOf(end)}`)
    if (twice > 0) problems.push(`${name}: ${twice} files were called twice`)
    rows.push([signal, seconds(callMillis), String(machines), seconds(took), countsOf(end), String(twice)])
    console.error(`${name}: ended after ${seconds(took)}`)
  }

  for (const callMillis of quick ? [500, 3_000] : [500, 3_000, 8_000, 30_000]) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      await stopOnce(callMillis, signal, 1)
      if (postgres !== undefined) await stopOnce(callMillis, signal, 2)
    }
  }
  await service.stop()
  await postgres?.stop()
  title(`The command is asked to end, with ${concurrency} calls under way`)
  table([["signal", "calls of", "machines", "ended after", "in the end", "called twice"], ...rows])
  list(problems)
  bar(
    "it ends in the time of its calls, and no call is lost or repeated",
    problems.length === 0,
    `${problems.length} problems`
  )
}
