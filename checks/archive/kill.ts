/** An archive is killed at random moments, and started again with the same request. */
import { renameSync, rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { Unanswered } from "@effect-speech/archive/Run"
import { chances } from "../../test/support/random.js"
import { noise } from "../../test/support/recordings.js"
import { bar, list, table, title } from "../../test/support/report.js"
import { answered, startJournaled, timesById } from "./journal.js"
import {
  complete,
  countsOf,
  differences,
  fresh,
  recordings,
  type Settings,
  seconds,
  startArchive,
  tree,
  until
} from "./support.js"

const concurrency = 8
const delayMillis = 40

export const checkKill = async ({ quick, seed }: Settings) => {
  const count = quick ? 300 : 2_000
  const kills = quick ? 6 : 50
  const source = { folder: recordings(count, { contents: [1600, 3200, 4800].map(noise) }) }
  const service = await startJournaled()
  await service.platform("PUT", "faults", [{ delayMillis }])
  const options = (path: string) => ({ store: { path }, speech: service.speech, concurrency })
  // The same folder for each run: the ids of calls are made from it.
  const out = fresh("out")

  const calm = await startArchive(options(fresh("store")))
  const undisturbed = await complete(calm, { source, out })
  await calm.stop()
  const expected = tree(out)
  renameSync(out, fresh("undisturbed"))
  const before = (await service.journal()).length

  /** Kills the archive so often, and then lets it end. */
  const disturbed = async (unanswered: Unanswered) => {
    const chance = chances(seed + (unanswered === "hold" ? 0 : 1))
    const path = fresh("store")
    const run = { source, out, unanswered }
    let killed = 0
    let ended = false
    while (killed < kills && !ended) {
      const archive = await startArchive(options(path))
      const working = archive.start(run).then(async ({ id }) => {
        const { state } = await archive.await(id)
        ended = state === "ended"
      })
      working.catch(() => undefined)
      // Some are killed before their first call, most after a part of the work.
      const part = chance()
      const moment = chance()
      if (part < 0.25) await Promise.race([sleep(moment * 3000), working.catch(() => undefined)])
      else {
        const enough = (await service.paid()) + 1 + Math.floor((moment * count) / kills)
        await until(async () => ended || (await service.paid()) >= enough, { seconds: 300 })
      }
      await archive.kill()
      if (!ended) killed++
      if (killed % 10 === 0) console.error(`${unanswered}: killed ${killed} of ${kills} times`)
    }
    const archive = await startArchive(options(path))
    const last = await complete(archive, run)
    const files = await archive.files(last.id)
    return { archive, files, killed, last }
  }

  const problems: Array<string> = []
  const rows: Array<ReadonlyArray<string>> = []
  let seen = before
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
    const found = tree(out)
    const { held } = last.counts
    if (unanswered === "hold" && held > 0) {
      const missing = differences(expected, found)
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
    rows.push([unanswered, String(killed), String(held), String(twice), String(entries.length)])
  }
  await service.stop()

  title(`Killed at random moments, with the seed ${seed}: ${count} files, ${concurrency} at once`)
  console.log(`Undisturbed: ${seconds(undisturbed.millis)}.\n`)
  table([["unanswered calls", "kills", "held", "answered twice", "requests"], ...rows])
  list(problems)
  bar(
    "each file is done or held, called once unless repeated as requested, and the output is that of the undisturbed run",
    problems.length === 0,
    `${problems.length} differences`
  )
}
