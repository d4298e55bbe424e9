/** Several machines over a PostgreSQL: how they share the work, and what happens if one, or the database, stops. */
import { setTimeout as sleep } from "node:timers/promises"
import type { RunStatus } from "@effect-speech/archive"
import { hasPostgres, type Postgres, startPostgres } from "../../test/support/postgres.js"
import { bar, list, median, ratio, table, title } from "../../test/support/report.js"
import {
  type ArchiveProcess,
  begunTwice,
  calls,
  countsOf,
  fresh,
  recordings,
  type Settings,
  seconds,
  startArchive,
  until
} from "./support.js"

const concurrency = 8
const callMillis = 200

interface Machine extends ArchiveProcess {
  readonly log: string
}

const startMachine = async (url: string): Promise<Machine> => {
  const log = fresh("calls.log")
  const archive = await startArchive({
    store: { url },
    speech: { millis: callMillis, log },
    concurrency
  })
  // Its first command opens the store: from then on it works.
  await archive.ask({ do: "status", id: "none" })
  return { ...archive, log }
}

/** So many machines that have found each other, on a database of their own. */
const startMachines = async (postgres: Postgres, count: number) => {
  const url = await postgres.database()
  const machines: Array<Machine> = []
  for (let number = 0; number < count; number++) machines.push(await startMachine(url))
  // They share the shards anew whenever one joins.
  await sleep(5_000)
  return { url, machines }
}

const stopAll = (machines: ReadonlyArray<ArchiveProcess>) => Promise.all(machines.map(({ stop }) => stop()))

const isOver = ({ state }: RunStatus) => state !== "running" && state !== "listing"

/** Waits for the end of a run in which any call may fail while the database is away. */
const awaitEnd = async (machine: Machine, id: string, within = 300): Promise<RunStatus | undefined> => {
  let last: RunStatus | undefined
  await until(
    async () => {
      const { status } = await machine.ask({ do: "status", id })
      last = status
      if (status !== undefined && isOver(status)) return true
      await sleep(200)
      return false
    },
    { seconds: within }
  )
  return last
}

const logsOf = (machines: ReadonlyArray<Machine>) => machines.map(({ log }) => log)

export const checkMachines = async ({ quick }: Settings) => {
  if (!hasPostgres) {
    console.log("\n- left out: machines, since no PostgreSQL is installed")
    return
  }
  const postgres = await startPostgres()
  try {
    await checkGain(postgres, quick)
    await checkDeath(postgres, quick)
    await checkOutage(postgres, quick)
    await checkJoin(postgres, quick)
    await checkFreeze(postgres, quick)
  } finally {
    await postgres.stop()
  }
}

const checkGain = async (postgres: Postgres, quick: boolean) => {
  const files = quick ? 400 : 1_600
  const folder = recordings(files)
  const rounds = quick ? 1 : 5
  const times: Record<number, Array<number>> = { 1: [], 2: [], 3: [] }
  for (let round = 0; round < rounds; round++) {
    for (const count of [1, 2, 3]) {
      const { machines } = await startMachines(postgres, count)
      const [first] = machines
      if (first === undefined) throw new Error("There is a first machine.")
      const { id } = await first.start({ source: { folder }, out: fresh("out") })
      const began = performance.now()
      const { counts } = await first.await(id)
      times[count]?.push(performance.now() - began)
      const shares = logsOf(machines).map((log) => calls([log]).length / 2)
      console.error(`${count} machines called ${shares.join(" + ")} files`)
      if (counts.done !== files) throw new Error(`${count} machines: ${counts.done} of ${files} are done.`)
      await stopAll(machines)
      console.error(`${count} machines, round ${round + 1} of ${rounds}`)
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

/** Two machines that are in the middle of a run. */
const inTheMiddle = async (postgres: Postgres, files: number) => {
  const { machines, url } = await startMachines(postgres, 2)
  const [one, two] = machines
  if (one === undefined || two === undefined) throw new Error("There are two machines.")
  const { id } = await one.start({ source: { folder: recordings(files) }, out: fresh("out") })
  await until(() => [one, two].every(({ log }) => calls([log]).length > 2 * concurrency), { seconds: 60 })
  return { url, one, two, id }
}

const report = (claim: string, status: RunStatus | undefined, twice: number, problems: ReadonlyArray<string>) => {
  list(problems)
  const counts = status === undefined ? "no status" : `${status.state}: ${countsOf(status)}`
  bar(claim, problems.length === 0 && twice === 0, `${counts}, ${twice} begun twice`)
}

const incomplete = (status: RunStatus | undefined, files: number, mayHold = 0): ReadonlyArray<string> => {
  if (status === undefined) return ["the run has no status"]
  const { done, held } = status.counts
  return [
    ...(status.state === "ended" ? [] : [`the run is ${status.state}`]),
    ...(done + held === files ? [] : [`${done} are done and ${held} held of ${files}`]),
    ...(held <= mayHold ? [] : [`${held} are held, and ${mayHold} calls were under way`])
  ]
}

const checkDeath = async (postgres: Postgres, quick: boolean) => {
  const files = quick ? 300 : 800
  const { id, one, two } = await inTheMiddle(postgres, files)
  await two.kill()
  const killedAt = Date.now()
  const end = await awaitEnd(one, id)
  const begun = calls([one.log])
    .filter(({ at, what }) => what === "begin" && at >= killedAt)
    .map(({ at }) => at)
  const times = [killedAt, ...begun]
  // It first does its own work, then waits for the other to be dead: that is the longest gap.
  const gaps = begun.map((at, index) => ({ gap: at - (times[index] ?? at), at }))
  const { at: takenAt = Number.POSITIVE_INFINITY } = gaps.toSorted((a, b) => b.gap - a.gap)[0] ?? {}
  const after = takenAt - killedAt
  title("One of two machines is killed")
  console.log(`- the other took its work after ${seconds(after)}`)
  bar("the other has its work within 40 s", after <= 40_000, seconds(after))
  report(
    "each file is done or held, and none was called twice",
    end,
    begunTwice(calls(logsOf([one, two]))),
    incomplete(end, files, concurrency)
  )
  await one.stop()
}

const checkOutage = async (postgres: Postgres, quick: boolean) => {
  const files = quick ? 300 : 800
  const { id, one, two } = await inTheMiddle(postgres, files)
  await postgres.crash()
  await sleep(20_000)
  await postgres.start()
  const end = await awaitEnd(one, id)
  title("PostgreSQL away for 20 s")
  report("all files are done, none begun twice", end, begunTwice(calls(logsOf([one, two]))), incomplete(end, files))
  await stopAll([one, two])
}

const checkJoin = async (postgres: Postgres, quick: boolean) => {
  const files = quick ? 2_400 : 6_000
  const { id, one, two, url } = await inTheMiddle(postgres, files)
  const three = await startMachine(url)
  const end = await awaitEnd(one, id)
  const noted = calls(logsOf([one, two, three]))
  const joined = noted.find(({ machine }) => machine === 2)?.at ?? Number.POSITIVE_INFINITY
  const later = noted.filter(({ at, what }) => what === "begin" && at >= joined)
  const share = later.length === 0 ? 0 : later.filter(({ machine }) => machine === 2).length / later.length
  title("A third machine joins in the middle")
  bar("it takes at least a fifth of the calls from then on", share >= 0.2, `${(100 * share).toFixed(0)} %`)
  report("all files are done, none begun twice", end, begunTwice(noted), incomplete(end, files))
  await stopAll([one, two, three])
}

const checkFreeze = async (postgres: Postgres, quick: boolean) => {
  const files = quick ? 300 : 800
  const { id, one, two } = await inTheMiddle(postgres, files)
  process.kill(two.pid, "SIGSTOP")
  await sleep(quick ? 60_000 : 120_000)
  process.kill(two.pid, "SIGCONT")
  // What it had under way is recorded, if late: a held file becomes done.
  await sleep(5_000)
  const end = await awaitEnd(one, id)
  title(`A machine is stopped for ${quick ? "one minute" : "two minutes"}, and woken`)
  report(
    "each file is done or held, and none was called twice",
    end,
    begunTwice(calls(logsOf([one, two]))),
    incomplete(end, files, concurrency)
  )
  await stopAll([one, two])
}
