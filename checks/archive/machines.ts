/** Several machines over a PostgreSQL: how they share the work, and what happens if one, or the database, stops. */
import { setTimeout as sleep } from "node:timers/promises"
import type { RunStatus } from "@effect-speech/archive"
import { hasPostgres, type Postgres, startPostgres } from "effect-speech-test-support/postgres"
import { at, bar, list, median, ratio, table, title } from "effect-speech-test-support/report"
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
  await archive.ask({ do: "status", id: "none" })
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

const isOver = ({ state }: RunStatus) => state !== "running" && state !== "listing"

/** Waits for the end of a run in which any call may fail while the database is away. */
const awaitEnd = async (machine: Machine, id: string): Promise<RunStatus | undefined> => {
  let last: RunStatus | undefined
  const hasEnded = async () => {
    await sleep(200)
    last = (await machine.ask({ do: "status", id })).status
    return last !== undefined && isOver(last)
  }
  await until(hasEnded, { seconds: 300 })
  return last
}

const callsOf = (machines: ReadonlyArray<Machine>) => calls(machines.map(({ log }) => log))

export const checkMachines = async ({ quick }: Settings) => {
  if (!hasPostgres) {
    console.log("\n- left out: machines, since no PostgreSQL is installed")
    return
  }
  const postgres = await startPostgres()
  try {
    await checkGain(postgres, quick)
    for (const disturbance of disturbances(postgres, quick)) await checkDisturbance(postgres, disturbance)
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

/** Two machines in the middle of a run. */
interface Middle {
  readonly url: string
  readonly id: string
  readonly one: Machine
  readonly two: Machine
}

interface Disturbance {
  readonly what: string
  readonly files: number
  /** The number of files that may be held in the end. */
  readonly mayHold: number
  /** Returns the machines that are left, and what prints further bars when the run has ended. */
  readonly disturb: (middle: Middle) => Promise<{
    readonly left: ReadonlyArray<Machine>
    readonly joined?: Machine
    readonly bars?: () => void
  }>
}

const checkDisturbance = async (postgres: Postgres, { disturb, files, mayHold, what }: Disturbance) => {
  const { machines, url } = await startMachines(postgres, 2)
  const [one, two] = [at(machines, 0), at(machines, 1)]
  const { id } = await one.start({ source: { folder: recordings(files) }, out: fresh("out") })
  await until(() => machines.every((machine) => callsOf([machine]).length > 2 * concurrency))
  const { bars, joined, left } = await disturb({ url, id, one, two })
  const end = await awaitEnd(one, id)
  const twice = begunTwice(callsOf(joined === undefined ? machines : [...machines, joined]))
  title(what)
  bars?.()
  const problems = end === undefined ? ["the run has no status"] : incomplete(end, files, mayHold)
  list(problems)
  const claim =
    mayHold === 0 ? "all files are done, none begun twice" : "each file is done or held, and none was called twice"
  const counts = end === undefined ? "no status" : `${end.state}: ${countsOf(end)}`
  bar(claim, problems.length === 0 && twice === 0, `${counts}, ${twice} begun twice`)
  await stopAll(left)
}

const incomplete = ({ counts: { done, held }, state }: RunStatus, files: number, mayHold: number) => [
  ...(state === "ended" ? [] : [`the run is ${state}`]),
  ...(done + held === files ? [] : [`${done} are done and ${held} held of ${files}`]),
  ...(held <= mayHold ? [] : [`${held} are held, and ${mayHold} calls were under way`])
]

const heldFiles = async (machine: Machine, id: string) => (await machine.status(id)).counts.held

/** Waits until a machine has held what another one had under way. Returns the time in milliseconds, or infinity after a minute. */
const untilHeld = async (machine: Machine, id: string): Promise<number> => {
  const start = performance.now()
  const isHeld = await until(async () => (await heldFiles(machine, id)) > 0)
  return isHeld ? performance.now() - start : Number.POSITIVE_INFINITY
}

const disturbances = (postgres: Postgres, quick: boolean): ReadonlyArray<Disturbance> => [
  {
    what: "One of two machines is killed",
    files: quick ? 300 : 800,
    mayHold: concurrency,
    disturb: async ({ id, one, two }) => {
      await two.kill()
      const after = await untilHeld(one, id)
      return { left: [one], bars: () => bar("the other has its work within 40 s", after <= 40_000, seconds(after)) }
    }
  },
  {
    what: "PostgreSQL away for 20 s",
    files: quick ? 300 : 800,
    mayHold: 0,
    disturb: async ({ one, two }) => {
      await postgres.crash()
      await sleep(20_000)
      await postgres.start()
      return { left: [one, two] }
    }
  },
  {
    what: "A third machine joins in the middle",
    files: quick ? 2_400 : 6_000,
    mayHold: 0,
    disturb: async ({ one, two, url }) => {
      const three = await startMachine(url)
      const bars = () => {
        const noted = callsOf([one, two, three])
        const joinedAt = noted.find(({ machine }) => machine === 2)?.at ?? Number.POSITIVE_INFINITY
        const later = noted.filter(({ at, what }) => what === "begin" && at >= joinedAt)
        const share = later.length === 0 ? 0 : later.filter(({ machine }) => machine === 2).length / later.length
        bar("it takes at least a fifth of the calls from then on", share >= 0.2, `${(100 * share).toFixed(0)} %`)
      }
      return { left: [one, two, three], joined: three, bars }
    }
  },
  {
    what: `A machine is frozen for ${quick ? "one minute" : "two minutes"}, and woken`,
    files: quick ? 300 : 800,
    mayHold: concurrency,
    disturb: async ({ id, one, two }) => {
      process.kill(two.pid, "SIGSTOP")
      const after = await untilHeld(one, id)
      await sleep((quick ? 60_000 : 120_000) - Math.min(after, 60_000))
      process.kill(two.pid, "SIGCONT")
      // What it had under way is recorded, if late: a held file becomes done.
      await until(async () => (await heldFiles(one, id)) === 0, { seconds: 5 })
      const isInTime = after >= 30_000 && after <= 60_000
      const bars = () => bar("the other has its files after 30 to 60 s", isInTime, seconds(after))
      return { left: [one, two], bars }
    }
  }
]
