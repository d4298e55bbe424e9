/** Aborts calls at random moments, and looks for what they leave. */
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { connect, type SpeechClient } from "@effect-speech/promise"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { chances } from "effect-speech-test-support/random"
import { at, bar, countBy, title } from "effect-speech-test-support/report"
import { barAtMost, barOfNone, tableOf } from "../support/print.js"
import { until } from "../support/until.js"
import { type SlowService, startSlowService } from "./slowService.js"
import { makeUses, type Use } from "./uses.js"

/** A call must have left the service after this time, in seconds. */
const soon = { seconds: 1 }

export const checkAborts = async ({ count, seed }: { readonly count: number; readonly seed: number }) => {
  title(`${count} calls aborted at random moments`)
  const folder = temporaryFolder("speech-promise-")
  const service = await startSlowService({ audioBytes: 65_536, pauseMillis: 3, waitMillis: 20 })
  const speech = connectTo(service)
  const unhandled: Array<string> = []
  const note = (error: unknown) => unhandled.push(`not handled: ${error}`)
  process.on("unhandledRejection", note).on("uncaughtException", note)

  const wav = join(folder, "recording.wav")
  await speech.speak("text").toFile(wav)
  const files = () => readdirSync(folder).filter((name) => name !== "recording.wav")
  const uses = Object.entries(makeUses(wav))
  const typical = new Map<string, number>()
  // The first call of each takes longer.
  for (const [name, use] of [...uses, ...uses]) {
    typical.set(name, await timed(() => use(speech, { folder, name: "whole.wav" })))
  }
  rmSync(join(folder, "whole.wav"))

  const chance = chances(seed)
  const ends: Array<{ readonly use: string; readonly end: string }> = []
  const problems: Array<string> = []
  let aborted = 0
  let longest = 0
  for (let index = 0; aborted < count && index < 4 * count; index++) {
    const [name, use] = at(uses, index % uses.length)
    const moment = chance() * 1.1 * (typical.get(name) ?? 0)
    const label = `${index}, ${name} after ${moment.toFixed(1)} ms`
    const { end, millis } = await abortAt(speech, use, moment, folder, index)
    ends.push({ use: name, end })
    if (end === "aborted") {
      aborted++
      longest = Math.max(longest, millis)
    }
    if (end !== "aborted" && end !== "finished") problems.push(`${label}: ${end}`)
    if (!(await until(() => service.open.size === 0, soon))) problems.push(`${label}: a request is still open`)
    // A file that is whole may be there already when the abort comes.
    const left = files().filter((file) => file !== `${index}.wav` || !isWholeWav(join(folder, file)))
    if (left.length > 0) problems.push(`${label}: left ${left.join(", ")}`)
    for (const file of files()) rmSync(join(folder, file))
  }
  await speech.close()
  const isClosed = await until(() => service.sockets.size === 0, soon)
  await sleep(50)
  process.off("unhandledRejection", note).off("uncaughtException", note)
  await service.close()

  const counts = countBy(ends, ({ end, use }) => `${use}, ${end}`)
  const times = (use: string, end: string) => counts.get(`${use}, ${end}`) ?? 0
  tableOf(uses, {
    use: ([use]) => use,
    "takes, in ms": ([use]) => (typical.get(use) ?? 0).toFixed(0),
    aborted: ([use]) => times(use, "aborted"),
    "finished before": ([use]) => times(use, "finished")
  })
  barOfNone(
    "an aborted call is rejected with the reason of its signal, and leaves no request, no part of a file and no unhandled rejection",
    [...problems, ...unhandled],
    `${aborted} aborted of ${ends.length}, ${problems.length + unhandled.length} problems`
  )
  barAtMost(
    "the rejection comes within a second after the abort",
    longest,
    1000,
    (millis) => `${millis.toFixed(0)} ms at most`
  )
  bar("after close, no socket is left open", isClosed, `${service.sockets.size} sockets`)
}

const connectTo = ({ url }: SlowService): SpeechClient =>
  connect({ apiKey: "prefix.secret", ttsBaseUrl: url, sttBaseUrl: url, retries: 0 })

/** Whether the size in the header of a WAV file is that of the file. */
const isWholeWav = (path: string): boolean => {
  const bytes = readFileSync(path)
  return bytes.byteLength > 44 && bytes.readUInt32LE(4) === bytes.byteLength - 8
}

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await run()
  return performance.now() - began
}

/** How a call ended, `aborted`, `finished`, or a problem; and how long after the abort. */
const abortAt = async (speech: SpeechClient, use: Use, moment: number, folder: string, index: number) => {
  const controller = new AbortController()
  const reason = new Error(`abort ${index}`)
  let abortedAt = Number.NaN
  const timer = setTimeout(() => {
    abortedAt = performance.now()
    controller.abort(reason)
  }, moment)
  const end = await use(speech, { signal: controller.signal, folder, name: `${index}.wav` }).then(
    () => "finished",
    (error: unknown) => (error === reason ? "aborted" : `rejected with ${error}`)
  )
  clearTimeout(timer)
  return { end, millis: performance.now() - abortedAt }
}
