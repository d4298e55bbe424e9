/** An archive is killed at random moments, and started again with the same request. */
import { renameSync, rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { Unanswered } from "@effect-speech/archive/Run"
import { chances } from "../../test/support/random.js"
import { noise } from "../../test/support/recordings.js"
import { table, title } from "../../test/support/report.js"
import { answered, startJournaled, timesById } from "../support/journal.js"
import { killAt, killRepeatedly } from "../support/kill.js"
import { barOfNone, seconds } from "../support/print.js"
import { until } from "../support/until.js"
import {
  complete,
  countsOf,
  differences,
  folder,
  fresh,
  recordings,
  type Settings,
  startArchive,
  tree
} from "./support.js"

const concurrency = 8
const delayMillis = 40

export const checkKill = async ({ quick, seed }: Settings) => {
  const count = quick ? 300 : 2_000
  const kills = quick ? 6 : 50
  const source = { folder: recordings(count, [1600, 3200, 4800].map(noise)) }
  const service = await startJournaled(folder)
  await service.platform("PUT", "faults", [{ delayMillis }])
  const options = (path: string) => ({ store: { path }, speech: service.speech, concurrency })
  // The same folder for each run: the ids of calls are made from it.
  const out = fresh("out")

  const first = await startArchive(options(fresh("store")))
  const undisturbed = await complete(first, { source, out })
  await first.stop()
  const expected = tree(out)
  renameSync(out, fresh("undisturbed"))

  /** Kills the archive so often, and then lets it end. */
  const disturbed = async (unanswered: Unanswered) => {
    const chance = chances(seed + (unanswered === "hold" ? 0 : 1))
    const path = fresh("store")
    const run = { source, out, unanswered }
    const killed = await killRepeatedly(unanswered, kills, async () => {
      const archive = await startArchive(options(path))
      let state = ""
      const work = async () => {
        const { id } = await archive.start(run)
        state = (await archive.await(id)).state
      }
      // Some are killed before their first call, most after a part of the work.
      const isEarly = chance() < 0.25
      const moment = chance()
      const isDue = async () => {
        if (isEarly) return sleep(moment * 3000)
        const enough = (await service.paid()) + 1 + Math.floor((moment * count) / kills)
        return until(async () => state === "ended" || (await service.paid()) >= enough, { seconds: 300 })
      }
      await killAt(archive, work(), isDue())
      return state === "ended"
    })
    const archive = await startArchive(options(path))
    const last = await complete(archive, run)
    const files = await archive.files(last.id)
    return { archive, files, killed, last }
  }

  const problems: Array<string> = []
  const rows: Array<ReadonlyArray<string>> = []
  let seen = (await service.journal()).length
  for (const unanswered of ["hold", "repeat"] as const) {
    rmSync(out, { recursive: true, force: true })
    const { archive, files, killed, last } = await disturbed(unanswered)
    const entries = (await service.journal()).slice(seen)
    const begun = timesById(entries)
    const paid = timesById(answered(entries))
    const problem = (text: string) => problems.push(`${unanswered}: ${text}`)
    if (files.length !== count) problem(`${files.length} of ${count} files are in the table`)
    for (const { callId, path, state } of files) {
      if (state !== "done" && state !== "held") problem(`${path} is ${state}`)
      if (unanswered === "repeat") {
        if ((paid.get(callId) ?? 0) < 1) problem(`${path} is done without an answer`)
      } else if ((begun.get(callId) ?? 0) > 1) problem(`${path}, ${state}, was called ${begun.get(callId)} times`)
      else if (state === "done" && paid.get(callId) !== 1) problem(`${path} is done without an answer`)
    }
    const twice = [...paid.values()].filter((times) => times > 1).length
    if (twice > killed * concurrency) problem(`${twice} files were paid twice by ${killed} kills`)
    const { held } = last.counts
    if (unanswered === "hold" && held > 0) {
      const missing = differences(expected, tree(out))
      // All but the lines and the trees of held files are those of the undisturbed run.
      if (missing.length !== held + 1) problem(`${missing.length - 1} files of the tree differ, and ${held} are held`)
      const again = await archive.retry(last.id, "AnswerUnknown")
      const end = await archive.await(again.id)
      if (end.counts.done !== count) problem(`after the retry: ${countsOf(end)}`)
    }
    for (const difference of differences(expected, tree(out))) problem(difference)
    await archive.stop()
    // With those of the retry.
    seen = (await service.journal()).length
    rows.push([unanswered, killed, held, twice, entries.length].map(String))
  }
  await service.stop()

  title(`Killed at random moments, with the seed ${seed}: ${count} files, ${concurrency} at once`)
  console.log(`Undisturbed: ${seconds(undisturbed.millis)}.\n`)
  table([["unanswered calls", "kills", "held", "answered twice", "requests"], ...rows])
  barOfNone(
    "each file is done or held, called once unless repeated as requested, and the output is that of the undisturbed run",
    problems
  )
}
