/**
 * The service is killed at a random moment, 50 times, while it speaks, transcribes, and changes its account:
 * `pnpm verify kill`, with `--rounds N` and `--seed N`. What it then finds in its data directory must be what its clients
 * were told: no debit of a call that was answered is lost, no credit is lost or made, a key that was revoked stays so.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Account, Keys, Usage } from "@effect-speech/local-service/Accounts"
import { chances } from "../../../test/support/random.js"
import { noise } from "../../../test/support/recordings.js"
import { bar, median, table } from "../../../test/support/report.js"
import { send, startService, temporaryFolder, transcriptionForm } from "../../../test/support/serviceProcess.js"

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "50" }, seed: { type: "string", default: "1" } }
})
const rounds = Number(values.rounds)
const chance = chances(Number(values.seed))
const upTo = (limit: number) => Math.floor(chance() * limit)

/** In milliseconds, from the first answer to the end of the service; in one round of four from the first request. */
const longestLife = 1000

/** What a round does besides speaking, each in its turn. */
const kinds = ["nothing else", "transcription", "keys", "the account's state", "credit", "all but credit"] as const
type Kind = (typeof kinds)[number]

type Service = Awaited<ReturnType<typeof startService>>
type Operation = Usage["operation"]
const operations: ReadonlyArray<Operation> = ["synthesize", "transcribe"]

interface Sum {
  calls: number
  credits: number
}
const add = (sum: Sum, credits: number) => {
  sum.calls++
  sum.credits += credits
}

/** What the clients know of their calls. */
interface Calls {
  readonly begun: Sum
  /** Whose answer came whole. */
  readonly answered: Sum
  readonly refused: Sum
}

/** What the platform was asked for. Where it did not say that it is `done`, it may have been done or not. */
interface Creation {
  readonly name: string
  done: boolean
}
interface Revocation {
  readonly id: string
  done: boolean
}
interface NewCredit {
  readonly credits: number
  /** The credits of calls that were over before it was asked for. */
  readonly over: number
  /** The credits of answered calls that began after it was done. */
  since: number
  done: boolean
}

interface Round {
  readonly kind: Kind
  readonly calls: Readonly<Record<Operation, Calls>>
  readonly creations: Array<Creation>
  readonly revocations: Array<Revocation>
  readonly newCredits: Array<NewCredit>
}

interface KnownKey {
  readonly id: string
  readonly name: string
  readonly key: string
}

/** Every key that was shown, the latest last, and what is known to be revoked. */
const shown: Array<KnownKey> = []
const revoked = new Set<string>()

const latestKey = (): KnownKey => {
  const key = shown.at(-1)
  if (key === undefined) throw new Error("No key was ever shown.")
  return key
}

const problems: Array<string> = []

const createKey = async (service: Service, creation: Creation) => {
  const { body, status } = await service.platform("POST", "keys", { name: creation.name, confirm: true })
  if (status !== 201) throw new Error(`A key was answered with ${status}.`)
  for (const { id } of shown) revoked.add(id)
  shown.push({ id: body.id, name: body.name, key: body.key })
  creation.done = true
}

/** Always another, so that it tells which creation a key is of. */
let names = 0
const newName = () => `key ${++names}`

const speak = (service: Service, key: string, text: string, leave = false) =>
  send(`${service.ttsBaseUrl}/tts/bytes`, {
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: [JSON.stringify({ text, output_format: "8000:pcm16" })],
    leave
  })

const second = transcriptionForm(noise(16_000))
const transcribe = (service: Service, key: string) =>
  send(`${service.sttBaseUrl}/api/transcribe`, {
    headers: { "x-api-key": key, "content-type": second.contentType },
    body: second.body
  })

/** Asks for one thing after another, in many lines at a time, until it is ended. */
const startLoad = (service: Service, round: Round) => {
  const { kind, newCredits } = round
  let ended = false
  let tellAnswered = () => {}
  const firstAnswer = new Promise<void>((resolve) => {
    tellAnswered = resolve
  })
  const repeat = async (work: () => Promise<void>) => {
    while (!ended) {
      try {
        await work()
      } catch (error) {
        // The client went away, or the service did.
        if (!(error instanceof Error && ("code" in error || error.message === "given up"))) throw error
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
  }

  const settle = async (operation: Operation, credits: number, answer: Promise<{ readonly status: number }>) => {
    const { answered, begun, refused } = round.calls[operation]
    const before = newCredits.filter(({ done }) => done)
    add(begun, credits)
    const { status } = await answer
    tellAnswered()
    add(status === 200 ? answered : refused, credits)
    if (status === 200) for (const newCredit of before) newCredit.since += credits
    else if (status !== 401) problems.push(`a call was answered with ${status}`)
  }
  const speakOnce = () => {
    const text = "a".repeat(1 + upTo(40))
    // What is given up is given back in its own time: where credit is set anew, nobody could tell whether before it.
    const leave = kind !== "credit" && upTo(10) === 0
    return settle("synthesize", text.length, speak(service, latestKey().key, text, leave))
  }
  const transcribeOnce = () => settle("transcribe", 1, transcribe(service, latestKey().key))
  const replaceKey = async () => {
    // Or no call would arrive while its key is still the active one.
    await new Promise((resolve) => setTimeout(resolve, upTo(100)))
    if (ended) return
    if (upTo(3) === 0) {
      const revocation = { id: latestKey().id, done: false }
      round.revocations.push(revocation)
      const { status } = await service.platform("POST", `keys/${revocation.id}/revoke`)
      revocation.done = status === 200
      if (revocation.done) revoked.add(revocation.id)
    }
    const creation = { name: newName(), done: false }
    round.creations.push(creation)
    await createKey(service, creation)
  }
  // The state alone: a balance read before a debit and written after it would lose that.
  const setState = async () => {
    await service.platform("PATCH", "account", { state: "active" })
  }
  const setCredit = async () => {
    const { answered, refused } = round.calls.synthesize
    const newCredit: NewCredit = {
      credits: 1_000_000 + upTo(1_000_000),
      over: answered.credits + refused.credits,
      since: 0,
      done: false
    }
    newCredits.push(newCredit)
    const { body } = await service.platform("PATCH", "account", { credits: newCredit.credits })
    if (body.credits !== newCredit.credits) problems.push("credit was not set to what was asked for")
    newCredit.done = true
  }

  const all = kind === "all but credit"
  const running = [
    ...Array.from({ length: 8 }, () => speakOnce),
    ...(all || kind === "transcription" ? [transcribeOnce, transcribeOnce] : []),
    ...(all || kind === "keys" ? [replaceKey] : []),
    ...(all || kind === "the account's state" ? [setState, setState] : []),
    ...(kind === "credit" ? [setCredit] : [])
  ].map(repeat)
  return {
    answered: firstAnswer,
    end: () => {
      ended = true
    },
    over: Promise.all(running)
  }
}

interface Ledger {
  readonly balance: number
  readonly used: Readonly<Record<Operation, Sum>>
}

const readLedger = async (service: Service): Promise<Ledger> => {
  const account: Account = (await service.platform("GET", "account")).body
  const usage: ReadonlyArray<Usage> = (await service.platform("GET", "usage")).body
  const used = { synthesize: { calls: 0, credits: 0 }, transcribe: { calls: 0, credits: 0 } }
  for (const { calls, credits, operation, units } of usage) {
    used[operation].calls += calls
    used[operation].credits += credits
    if (units !== credits) problems.push(`${operation} has ${units} units for ${credits} credits, which are one each`)
  }
  return { balance: account.credits, used }
}

const usedCredits = ({ used }: Ledger) => used.synthesize.credits + used.transcribe.credits

/** Holds what is there after a round against what the clients were told, and gives how many debits no client knew of. */
const checkLedger = (round: Round, before: Ledger, after: Ledger): number => {
  let unseen = 0
  for (const operation of operations) {
    const { answered, begun, refused } = round.calls[operation]
    const calls = after.used[operation].calls - before.used[operation].calls
    const credits = after.used[operation].credits - before.used[operation].credits
    if (calls < answered.calls || credits < answered.credits) {
      problems.push(`${operation}: ${calls} calls (${credits}) are in usage, ${answered.calls} were answered`)
    }
    if (calls > begun.calls - refused.calls || credits > begun.credits - refused.credits) {
      problems.push(`${operation}: ${calls} calls (${credits}) are in usage, more than were begun`)
    }
    unseen += calls - answered.calls
  }

  if (after.balance < 0) problems.push(`the balance is ${after.balance}`)
  const { begun } = round.calls.synthesize
  const last = round.newCredits.findLast(({ done }) => done)
  const underWay = round.newCredits.find(({ done }) => !done)
  /** Whether the balance can have come of this one, by the calls that can have been debited after it. */
  const follows = ({ credits, over, since }: NewCredit) =>
    after.balance >= credits - (begun.credits - over) && after.balance <= credits - since
  const kept = after.balance + usedCredits(after) === before.balance + usedCredits(before)
  const possible = (last === undefined ? kept : follows(last)) || (underWay !== undefined && follows(underWay))
  if (!possible) problems.push(`${round.kind}: the balance is ${after.balance}, after ${before.balance}`)
  return unseen
}

const checkKeys = async (service: Service, round: Round) => {
  const keys: Keys = (await service.platform("GET", "keys")).body
  const archived = new Set(keys.archived.map(({ id }) => id))
  const latest = latestKey()
  for (const { id, name } of shown) {
    if (id !== keys.active?.id && !archived.has(id)) problems.push(`${name} is neither active nor archived`)
    if (revoked.has(id) && !archived.has(id)) problems.push(`${name} was revoked, and is not`)
  }
  const creation = round.creations.find(({ done }) => !done)
  const revocation = round.revocations.find(({ done }) => !done)
  // A service that finds no active key makes one.
  const made = service.apiKey !== null
  const expected = revoked.has(latest.id)
    ? made || keys.active?.name === creation?.name
    : keys.active?.id === latest.id ||
      (creation !== undefined && keys.active?.name === creation.name) ||
      (revocation?.id === latest.id && made)
  if (!expected) problems.push(`${keys.active?.name} is active, and the last that was created is ${latest.name}`)

  for (const { id, key, name } of shown.slice(-6)) {
    const { status } = await send(`${service.ttsBaseUrl}/tts/bytes`, { headers: { "x-api-key": key } })
    // The body is wrong, which only those learn who have a key.
    const works = status !== 401
    if (works !== (id === keys.active?.id)) problems.push(`${name} is answered with ${status}`)
  }
}

const folder = temporaryFolder("check-kill-")
const dataDirectory = join(folder, "data")
const start = () => startService({ cannedSeconds: 0.1, dataDirectory, credits: 5_000_000 }, { temporary: folder })

const newRound = (kind: Kind): Round => {
  const calls = () => ({
    begun: { calls: 0, credits: 0 },
    answered: { calls: 0, credits: 0 },
    refused: { calls: 0, credits: 0 }
  })
  return {
    kind,
    calls: { synthesize: calls(), transcribe: calls() },
    creations: [],
    revocations: [],
    newCredits: []
  }
}

const restarts: Array<number> = []
const totals = new Map<Kind, { rounds: number; answered: number; unanswered: number; unseen: number; changes: number }>(
  kinds.map((kind) => [kind, { rounds: 0, answered: 0, unanswered: 0, unseen: 0, changes: 0 }])
)

let service = await start()
const first = { name: newName(), done: false }
await createKey(service, first)
let ledger = await readLedger(service)

for (let number = 0; number < rounds; number++) {
  const round = newRound(kinds[number % kinds.length] ?? "nothing else")
  const load = startLoad(service, round)
  if (upTo(4) > 0) await load.answered
  await new Promise((resolve) => setTimeout(resolve, upTo(longestLife)))
  load.end()
  await service.kill()
  await load.over

  service = await start()
  restarts.push(service.startMillis)
  const left = readdirSync(join(dataDirectory, "spool")).length
  if (left > 0) problems.push(`${left} files are in the spool folder after the start`)
  const found = await readLedger(service)
  const unseen = checkLedger(round, ledger, found)
  await checkKeys(service, round)
  // One that the clients know, where the service was killed before it told them.
  await createKey(service, { name: newName(), done: false })
  ledger = found

  const total = totals.get(round.kind)
  if (total === undefined) continue
  total.rounds++
  for (const operation of operations) {
    const { answered, begun, refused } = round.calls[operation]
    total.answered += answered.calls
    total.unanswered += begun.calls - answered.calls - refused.calls
  }
  total.unseen += unseen
  total.changes += round.creations.length + round.revocations.length + round.newCredits.length
  if ((number + 1) % 10 === 0) console.error(`${number + 1} of ${rounds}`)
}
await service.stop()

console.log(`Killed ${rounds} times, at most ${longestLife} ms into the load, with the seed ${values.seed}.\n`)
table([
  ["besides speech", "rounds", "calls answered", "without an answer", "debited of these", "changes of keys or credit"],
  ...[...totals].map(([kind, { answered, changes, rounds: count, unanswered, unseen }]) => [
    kind,
    ...[count, answered, unanswered, unseen, changes].map(String)
  ])
])
for (const problem of problems.slice(0, 20)) console.log(`- ${problem}`)
bar("what is found is what clients were told", problems.length === 0, `${problems.length} differences`)
console.log(
  `- a start, from the process to the first request: ${median(restarts).toFixed(0)} ms, ` +
    `at most ${Math.max(...restarts).toFixed(0)} ms`
)
process.exitCode = problems.length === 0 ? 0 : 1
