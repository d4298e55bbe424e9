/** Several machines over a PostgreSQL: how they share the work, and what happens if one, or the database, stops. */

import { setTimeout as sleep } from "node:timers/promises"
import { RunId } from "@effect-speech/archive/Run"
import { hasPostgres, type Postgres, startPostgres } from "effect-speech-test-support/postgres"
import { at, bar, median, ratio, table, title } from "effect-speech-test-support/report"
import { seconds } from "../support/print.js"
import { until } from "../support/until.js"
import {
  type ArchiveProcess,
  begunTwice,
  calls,
  countsOf,
  fresh,
  recordings,
  type Settings,
  startArchive
} from "./support.js"

const concurrency = 8
const callMillis = 200

interface Machine extends ArchiveProcess {
  readonly log: string
}

const startMachine = async (url: string): Promise<Machine> => {
  const log = fresh("calls.log")
  const archive = await startArchive({ store: { url }, speech: { millis: callMillis, log }, concurrency })
  // Its first command opens the store: from then on it works.
  await archive.ask({ do: "status", id: RunId.make("00000000-0000-0000-0000-000000000000") })
  return { ...archive, log }
}

/** So many machines, on a database of their own. */
const startMachines = async (postgres: Postgres, count: number) => {
  const url = await postgres.database()
  const machines: Array<Machine> = []
  for (let number = 0; number < count; number++) machines.push(await startMachine(url))
  return { url, machines }
}

const stopAll = (machines: ReadonlyArray<ArchiveProcess>) => Promise.all(machines.map(({ stop }) => stop()))

const callsOf = (machines: ReadonlyArray<Machine>) => calls(machines.map(({ log }) => log))

export const checkMachines = async ({ quick }: Settings) => {
  if (!hasPostgres) {
    console.log("\n- left out: machines, since no PostgreSQL is installed")
    return
  }
  const postgres = await startPostgres()
  try {
    await checkGain(postgres, quick)
    await checkLoss(postgres, quick, {
      what: "One of two machines is killed",
      mayHold: concurrency,
      lose: async (id, one, two) => {
        await two.kill()
        const after = await untilHeld(one, id)
        return { left: [one], bars: () => bar("the other has its work within 40 s", after <= 40_000, seconds(after)) }
      }
    })
    await checkLoss(postgres, quick, {
      what: "PostgreSQL is away for 20 s",
      mayHold: 0,
      lose: async (id, one, two) => {
        await postgres.crash()
        await sleep(20_000)
        await postgres.start()
        await until(async () => (await one.ask({ do: "status", id })).status !== undefined)
        return { left: [one, two] }
      }
    })
    await checkLoss(postgres, quick, {
      what: "One of two machines is frozen for a minute, and woken",
      mayHold: concurrency,
      lose: async (id, one, two) => {
        process.kill(two.pid, "SIGSTOP")
        const after = await untilHeld(one, id)
        await sleep(60_000 - Math.min(after, 60_000))
        process.kill(two.pid, "SIGCONT")
        // What it had under way is recorded, if late: a held file becomes done.
        await until(async () => (await heldFiles(one, id)) === 0, { seconds: 5 })
        const isInTime = after >= 30_000 && after <= 60_000
        const bars = () => bar("the other has its files after 30 to 60 s", isInTime, seconds(after))
        return { left: [one, two], bars }
      }
    })
  } finally {
    await postgres.stop()
  }
}

const checkGain = async (postgres: Postgres, quick: boolean) => {
  const files = quick ? 400 : 1_600
  const folder = recordings(files)
  const rounds = quick ? 1 : 5
  const times: Record<number, Array<number>> = { 1: [], 2: [], 3: [] }
  for (let round = 1; round <= rounds; round++) {
    for (const count of [1, 2, 3]) {
      const { machines } = await startMachines(postgres, count)
      const first = at(machines, 0)
      const { id } = await first.start({ source: { folder }, out: fresh("out") })
      const began = performance.now()
      const { counts } = await first.await(id)
      times[count]?.push(performance.now() - began)
      const shares = machines.map((machine) => callsOf([machine]).length / 2)
      if (counts.done !== files) throw new Error(`${count} machines: ${counts.done} of ${files} are done.`)
      await stopAll(machines)
      console.error(`${count} machines, round ${round} of ${rounds}: they called ${shares.join(" + ")} files`)
    }
  }
  const one = median(times[1] ?? [])
  title(`Machines: ${files} files, calls of ${callMillis} ms, ${concurrency} at once on each`)
  table([
    ["machines", "median", "by one"],
    ...Object.entries(times).map(([count, millis]) => [count, seconds(median(millis)), ratio(one, median(millis))])
  ])
  const gain = (count: number) => one / median(times[count] ?? [])
  bar("two machines have at least 1.8 times the rate of one", gain(2) >= 1.8, `${gain(2).toFixed(2)}x`)
  bar("three machines have at least 2.6 times the rate of one", gain(3) >= 2.6, `${gain(3).toFixed(2)}x`)
}

const heldFiles = async (machine: Machine, id: RunId) => (await machine.status(id)).counts.held

/** Waits until a machine has held what another one had under way. Returns the time in milliseconds, or infinity after a minute. */
const untilHeld = async (machine: Machine, id: RunId): Promise<number> => {
  const start = performance.now()
  const isHeld = await until(async () => (await heldFiles(machine, id)) > 0)
  return isHeld ? performance.now() - start : Number.POSITIVE_INFINITY
}

interface Loss {
  readonly what: string
  /** The number of files that may be held in the end. */
  readonly mayHold: number
  /** Returns the machines that are left, and what prints bars of its own. */
  readonly lose: (
    id: RunId,
    one: Machine,
    two: Machine
  ) => Promise<{ readonly left: ReadonlyArray<Machine>; readonly bars?: () => void }>
}

/** One of two machines, or their database, stops in the middle of a run. */
const checkLoss = async (postgres: Postgres, quick: boolean, { lose, mayHold, what }: Loss) => {
  const files = quick ? 300 : 800
  const { machines } = await startMachines(postgres, 2)
  const [one, two] = [at(machines, 0), at(machines, 1)]
  const { id } = await one.start({ source: { folder: recordings(files) }, out: fresh("out") })
  await until(() => machines.every((machine) => callsOf([machine]).length > 2 * concurrency))
  const { bars, left } = await lose(id, one, two)
  const end = await one.await(id)
  const twice = begunTwice(callsOf(machines))
  const { done, held } = end.counts
  title(what)
  bars?.()
  bar(
    mayHold === 0
      ? "each file is done, and none was called twice"
      : `each file is done, or one of at most ${mayHold} that are held, and none was called twice`,
    end.state === "ended" && done + held === files && held <= mayHold && twice === 0,
    `${end.state}: ${countsOf(end)}, ${twice} begun twice`
  )
  await stopAll(left)
}
