/** An archive is killed at random moments, and started again with the same request. */
import { renameSync, rmSync } from "node:fs"
import type { Unanswered } from "@effect-speech/archive/Run"
import { chances } from "effect-speech-test-support/random"
import { noise } from "effect-speech-test-support/recordings"
import { table, title } from "effect-speech-test-support/report"
import { answered, type JournaledService, startJournaled, timesById } from "../support/journal.js"
import { killAt, killRepeatedly, within } from "../support/kill.js"
import { barOfNone, seconds } from "../support/print.js"
import { until } from "../support/until.js"
import type { RunOptions } from "./client.js"
import {
  type ArchiveProcess,
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

/** What all runs share. The output is in the same folder for each: the ids of calls are made from it. */
interface Setup {
  readonly service: JournaledService
  readonly source: RunOptions["source"]
  readonly out: string
  readonly count: number
}

const start = ({ service }: Setup, path: string) =>
  startArchive({ store: { path }, speech: service.speech, concurrency })

/** Kills an archive so often, and then lets it end. */
const disturb = async (setup: Setup, unanswered: Unanswered, kills: number, chance: () => number) => {
  const { count, out, service, source } = setup
  const path = fresh("store")
  const run = { source, out, unanswered }
  const killed = await killRepeatedly(unanswered, kills, async () => {
    const archive = await start(setup, path)
    let state = ""
    const work = async () => {
      const { id } = await archive.start(run)
      state = (await archive.await(id)).state
    }
    // Some are killed while they list, before their first call; most after a part of the work.
    const isDue = async () => {
      if (chance() < 0.25) return within(chance, 3_000)
      const enough = (await service.paid()) + 1 + Math.floor((chance() * count) / kills)
      return until(async () => state === "ended" || (await service.paid()) >= enough, { seconds: 300 })
    }
    await killAt(archive, work(), isDue())
    return state === "ended"
  })
  const archive = await start(setup, path)
  const last = await complete(archive, run)
  return { archive, files: await archive.files(last.id), killed, last }
}

export const checkKill = async ({ quick, seed }: Settings) => {
  const count = quick ? 300 : 2_000
  const kills = quick ? 6 : 50
  const service = await startJournaled(folder)
  await service.platform("PUT", "faults", [{ delayMillis }])
  const source = { folder: recordings(count, [1600, 3200, 4800].map(noise)) }
  const out = fresh("out")
  const setup = { service, source, out, count }

  const first = await start(setup, fresh("store"))
  const undisturbed = await complete(first, { source, out })
  await first.stop()
  const expected = tree(out)
  renameSync(out, fresh("undisturbed"))

  const problems: Array<string> = []
  const rows: Array<ReadonlyArray<string>> = []
  let seen = (await service.journal()).length
  for (const [index, unanswered] of (["hold", "repeat"] as const).entries()) {
    rmSync(out, { recursive: true, force: true })
    const { archive, files, killed, last } = await disturb(setup, unanswered, kills, chances(seed + index))
    const entries = (await service.journal()).slice(seen)
    const problem = (text: string) => problems.push(`${unanswered}: ${text}`)
    if (files.length !== count) problem(`${files.length} of ${count} files are in the table`)
    const paid = timesById(answered(entries))
    for (const wrong of wrongCalls(files, unanswered, timesById(entries), paid)) problem(wrong)
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

/** The files whose calls do not fit their state. */
const wrongCalls = (
  files: Awaited<ReturnType<ArchiveProcess["files"]>>,
  unanswered: Unanswered,
  begun: ReadonlyMap<string, number>,
  paid: ReadonlyMap<string, number>
) =>
  files.flatMap(({ callId, path, state }) => {
    const [calls, answers] = [begun.get(callId) ?? 0, paid.get(callId) ?? 0]
    const isUnpaid = unanswered === "repeat" ? answers < 1 : state === "done" && answers !== 1
    return [
      ...(state === "done" || state === "held" ? [] : [`${path} is ${state}`]),
      ...(unanswered === "hold" && calls > 1 ? [`${path}, ${state}, was called ${calls} times`] : []),
      ...(isUnpaid ? [`${path} is ${state} with ${answers} answers`] : [])
    ]
  })
