/** An account that is refused, and a budget that is spent, suspend a run once. */
import { hasPostgres, startPostgres } from "effect-speech-test-support/postgres"
import { noise } from "effect-speech-test-support/recordings"
import { at, title } from "effect-speech-test-support/report"
import { answered, type JournaledService, startJournaled } from "../support/journal.js"
import { barOfNone } from "../support/print.js"
import { until } from "../support/until.js"
import type { Options, RunOptions } from "./client.js"
import { type ArchiveProcess, countsOf, folder, fresh, recordings, type Settings, startArchive } from "./support.js"

const concurrency = 8

interface Case {
  readonly name: string
  readonly status: number
  readonly refuse: (service: JournaledService) => Promise<unknown>
  /** Returns the key that works from now on. */
  readonly restore: (service: JournaledService) => Promise<string>
}

const cases: ReadonlyArray<Case> = [
  {
    name: "No credit is left in the middle",
    status: 402,
    refuse: (service) => service.platform("PATCH", "account", { credits: 0 }),
    restore: async (service) => {
      await service.platform("PATCH", "account", { credits: 1_000_000 })
      return service.speech.apiKey
    }
  },
  {
    name: "The key is revoked in the middle",
    status: 401,
    refuse: async (service) => {
      const { body } = await service.platform("GET", "keys")
      await service.platform("POST", `keys/${body.active.id}/revoke`)
    },
    restore: async (service) => (await service.platform("POST", "keys", { name: "new", confirm: true })).body.key
  }
]

export const checkRefusal = async ({ quick }: Settings) => {
  const count = quick ? 200 : 1_000
  const source = { folder: recordings(count, [noise(1600)]) }
  for (const each of cases) await checkCase(each, source, count, { path: fresh("store") }, 1)
  await checkBudget(source, count)
  if (!hasPostgres) return console.log("\n- left out: two machines, since no PostgreSQL is installed")
  const postgres = await startPostgres()
  try {
    for (const each of cases) await checkCase(each, source, count, { url: await postgres.database() }, 2)
  } finally {
    await postgres.stop()
  }
}

const startAll = (machines: number, store: Options["store"], speech: Options["speech"]) =>
  Promise.all(
    Array.from({ length: machines }, async (): Promise<ArchiveProcess> => {
      const archive = await startArchive({ store, speech, concurrency })
      // Its first command opens the store: from then on it works.
      await archive.ask({ do: "status", id: "none" })
      return archive
    })
  )

const checkCase = async (
  { name, refuse, restore, status }: Case,
  source: RunOptions["source"],
  count: number,
  store: Options["store"],
  machines: number
) => {
  const service = await startJournaled(folder)
  await service.platform("PUT", "faults", [{ delayMillis: 40 }])
  const problems: Array<string> = []
  const limit = machines * concurrency
  const archives = await startAll(machines, store, service.speech)
  const archive = at(archives, 0)
  const { id } = await archive.start({ source, out: fresh("out") })
  await until(async () => (await service.paid()) >= count / 4)
  await refuse(service)
  const suspended = await archive.await(id)
  if (suspended.state !== "suspended") problems.push(`the run is ${suspended.state}`)
  const first = await service.journal()
  const refusals = first.filter((entry) => entry.status === status).length
  if (refusals < 1 || refusals > limit) problems.push(`${refusals} calls were refused`)
  const { counts } = await archive.status(id)
  if (counts.failed + counts.held + counts.started > 0) problems.push(`after the refusal: ${JSON.stringify(counts)}`)

  // Without a top-up one more call is made.
  await archive.resume(id)
  const again = await archive.await(id)
  if (again.state !== "suspended") problems.push(`after a resume in vain the run is ${again.state}`)
  const probes = (await service.journal()).length - first.length
  if (probes !== 1) problems.push(`a resume in vain made ${probes} calls`)
  for (const { stop } of archives) await stop()

  const apiKey = await restore(service)
  const others = await startAll(machines, store, { ...service.speech, apiKey })
  await at(others, 0).resume(id)
  const end = await at(others, 0).await(id)
  if (end.state !== "ended" || end.counts.done !== count) problems.push(`at the end ${end.state}: ${countsOf(end)}`)
  for (const { stop } of others) await stop()
  const paid = answered(await service.journal()).length
  if (paid !== count) problems.push(`${paid} calls were answered for ${count} files`)
  await service.stop()
  title(machines === 1 ? name : `${name}, on ${machines} machines`)
  console.log(`- suspended: ${suspended.suspension?.tag}: ${suspended.suspension?.message}`)
  barOfNone(
    `at most the ${limit} calls under way are refused, then one a resume, and each file is answered once`,
    problems,
    `${refusals} refused, ${probes} by a resume in vain`
  )
}

const checkBudget = async (source: RunOptions["source"], count: number) => {
  const service = await startJournaled(folder)
  const calls = async () => (await service.journal()).length
  const problems: Array<string> = []
  const third = Math.floor(count / 3)
  const archive = await startArchive({ store: { path: fresh("store") }, speech: service.speech, concurrency })
  const { id } = await archive.start({ source, out: fresh("out"), limits: { maxFiles: third } })
  const suspends = async (limit: string) => {
    const { state, suspension } = await archive.await(id)
    if (suspension?.tag !== limit) problems.push(`instead of ${limit}: ${state} ${suspension?.tag}`)
    return calls()
  }
  const byFiles = await suspends("FileLimit")
  if (byFiles !== third) problems.push(`maxFiles ${third}: ${byFiles} calls were made`)
  // A credit is a started second: these files cost one each.
  await archive.resume(id, { maxCredits: 2 * third })
  const byCredits = await suspends("CreditLimit")
  if (byCredits > 2 * third) problems.push(`maxCredits ${2 * third}: ${byCredits} calls were made`)
  await archive.resume(id, {})
  const end = await archive.await(id)
  if (end.state !== "ended" || end.counts.done !== count) problems.push(`at the end ${end.state}: ${countsOf(end)}`)
  const all = await calls()
  if (all !== count) problems.push(`${all} calls were made for ${count} files`)
  await archive.stop()
  await service.stop()
  title("A budget")
  barOfNone(
    "a run stops at its number of files and of credits, and goes on when they are raised",
    problems,
    `${byFiles} of ${third} files, ${byCredits} of ${2 * third} credits, ${all} calls in all`
  )
}
