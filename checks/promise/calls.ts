/** A process with many calls, which has to end by itself. */
import { fileURLToPath } from "node:url"
import { run } from "effect-speech-test-support/processes"
import { bar, title } from "effect-speech-test-support/report"
import { startSlowService } from "./slowService.js"

const script = fileURLToPath(new URL("calls.js", import.meta.url))

export const checkCalls = async ({ count }: { readonly count: number }) => {
  title(`A process with ${count} calls, which does not close its client`)
  const service = await startSlowService({ audioBytes: 65_536, pauseMillis: 0, waitMillis: 2 })
  const { status, stderr, stdout } = await run(process.execPath, [script, service.url, String(count)], {
    mayFail: true,
    timeoutMillis: 120_000
  })
  const ended = Date.now()
  await service.close()
  const last = stdout === "" ? Number.NaN : ended - JSON.parse(stdout).endedAt
  bar("it ends by itself within a second after the last call", last < 1000, `${last} ms`)
  bar(
    "it ends with the status 0, and prints nothing",
    status === 0 && stderr === "",
    `${status}, ${stderr.length} characters`
  )
  if (stderr !== "") console.log(stderr.slice(0, 2000))
}
