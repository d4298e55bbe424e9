/**
 * The local service is killed 50 times at random moments, while it speaks, transcribes and changes its account:
 * `pnpm verify kill`, with `--rounds N` and `--seed N`; `--quick` for six rounds.
 *
 * What it then finds in its data directory must agree with what its clients saw: no debit of a successful call is lost, no
 * credit is lost or made, and a revoked key stays revoked.
 */
import { EventEmitter, once } from "node:events"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Account, Keys, Usage } from "@effect-speech/local-service/Accounts"
import { readOptions } from "effect-speech-test-support/options"
import { send, transcriptionForm } from "effect-speech-test-support/plainHttp"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { chances } from "effect-speech-test-support/random"
import { noise } from "effect-speech-test-support/recordings"
import { exitStatus, median, sum } from "effect-speech-test-support/report"
import { type ServiceProcess, startService } from "effect-speech-test-support/serviceProcess"
import { type Used, usedOf } from "../support/journal.js"
import { killAt, killRepeatedly } from "../support/kill.js"
import { integerOf } from "../support/parts.js"
import { barOfNone, tableOf } from "../support/print.js"

const values = readOptions({
  rounds: { type: "string" },
  seed: { type: "string", default: "1" },
  quick: { type: "boolean", default: false }
})
const rounds = integerOf("--rounds", values.rounds ?? (values.quick ? 6 : 50), 1)
const seed = integerOf("--seed", values.seed)
const chance = chances(seed)
const upTo = (limit: number) => Math.floor(chance() * limit)

/** From the first response to the kill, in milliseconds. In one round of four: from the first request. */
const longestLife = 1000

/** What a round does besides synthesis, in turn. */
const kinds = ["nothing else", "transcription", "keys", "the account's state", "credit", "all but credit"] as const
type Kind = (typeof kinds)[number]

type Operation = Usage["operation"]
const operations: ReadonlyArray<Operation> = ["synthesize", "transcribe"]

interface Sum {
  calls: number
  credits: number
}
const noCalls = (): Sum => ({ calls: 0, credits: 0 })
const add = (sum: Sum, credits: number) => {
  sum.calls++
  sum.credits += credits
}

/** The calls that the clients know. */
interface Calls {
  readonly begun: Sum
  /** Calls with a complete response. */
  readonly answered: Sum
  readonly refused: Sum
}

/** Requests to the platform. If the platform did not confirm one as `done`, it may have happened or not. */
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
  /** The credits of calls that ended before the request. */
  readonly over: number
  /** The credits of successful calls that began after the confirmation. */
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

/** All created keys, the latest last, and those known to be revoked. */
const keysCreated: Array<KnownKey> = []
const revoked = new Set<string>()

const latestKey = (): KnownKey => {
  const key = keysCreated.at(-1)
  if (key === undefined) throw new Error("No key was created yet.")
  return key
}

const problems: Array<string> = []

const createKey = async (service: ServiceProcess, creation: Creation) => {
  const { body, status } = await service.platform("POST", "keys", { name: creation.name, confirm: true })
  if (status !== 201) throw new Error(`The request for a key got ${status}.`)
  for (const { id } of keysCreated) revoked.add(id)
  keysCreated.push({ id: body.id, name: body.name, key: body.key })
  creation.done = true
}

/** A new name each time, so that it identifies the creation. */
let names = 0
const newName = () => `key ${++names}`

const speak = (service: ServiceProcess, key: string, text: string, leave = false) =>
  send(`${service.ttsBaseUrl}/tts/bytes`, {
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: [JSON.stringify({ text, output_format: "8000:pcm16" })],
    leave
  })

const second = transcriptionForm(noise(16_000))
const transcribe = (service: ServiceProcess, key: string) =>
  send(`${service.sttBaseUrl}/api/transcribe`, {
    headers: { "x-api-key": key, "content-type": second.contentType },
    body: second.body
  })

/** Repeats several kinds of requests at the same time, until `end` is called. */
const startLoad = (service: ServiceProcess, round: Round) => {
  const { kind, newCredits } = round
  let ended = false
  const responses = new EventEmitter()
  const firstResponse = once(responses, "first")
  const repeat = async (work: () => Promise<void>) => {
    while (!ended) {
      try {
        await work()
      } catch (error) {
        // The client closed the connection, or the service was killed.
        if (!(error instanceof Error && ("code" in error || error.message === "given up"))) throw error
        await sleep(1)
      }
    }
  }

  const record = async (operation: Operation, credits: number, response: Promise<{ readonly status: number }>) => {
    const { answered, begun, refused } = round.calls[operation]
    const before = newCredits.filter(({ done }) => done)
    add(begun, credits)
    const { status } = await response
    responses.emit("first")
    add(status === 200 ? answered : refused, credits)
    if (status === 200) for (const newCredit of before) newCredit.since += credits
    else if (status !== 401) problems.push(`a call got ${status}`)
  }
  const speakOnce = () => {
    const text = "a".repeat(1 + upTo(40))
    // An abandoned call is refunded later. If credit is set meanwhile, the order of the two would not be known.
    const leave = kind !== "credit" && upTo(10) === 0
    return record("synthesize", text.length, speak(service, latestKey().key, text, leave))
  }
  const transcribeOnce = () => record("transcribe", 1, transcribe(service, latestKey().key))
  const replaceKey = async () => {
    // Else no call would arrive while its key is still active.
    await sleep(upTo(100))
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
  // Only the state: a service that writes back the balance it read would lose a debit.
  const setState = async () => {
    await service.platform("PATCH", "account", { state: "active" })
  }
  const setCredit = async () => {
    const { answered, refused } = round.calls.synthesize
    const over = answered.credits + refused.credits
    const newCredit: NewCredit = { credits: 1_000_000 + upTo(1_000_000), over, since: 0, done: false }
    newCredits.push(newCredit)
    const { body } = await service.platform("PATCH", "account", { credits: newCredit.credits })
    if (body.credits !== newCredit.credits) problems.push("credit was not set to the requested value")
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
    firstResponse,
    end: () => {
      ended = true
    },
    over: Promise.all(running)
  }
}

interface Ledger {
  readonly balance: number
  readonly used: Used
}

const readLedger = async (service: ServiceProcess): Promise<Ledger> => {
  const account: Account = (await service.platform("GET", "account")).body
  const used = await usedOf(service)
  for (const operation of operations) {
    const { credits, units } = used[operation]
    if (units !== credits)
      problems.push(`${operation} has ${units} units for ${credits} credits: one unit costs one credit`)
  }
  return { balance: account.credits, used }
}

const usedCredits = ({ used }: Ledger) => used.synthesize.credits + used.transcribe.credits

/** Compares the ledger after a round with what the clients saw. Returns how many debits no client saw. */
const checkLedger = (round: Round, before: Ledger, after: Ledger): number => {
  let unknown = 0
  for (const operation of operations) {
    const { answered, begun, refused } = round.calls[operation]
    const calls = after.used[operation].calls - before.used[operation].calls
    const credits = after.used[operation].credits - before.used[operation].credits
    if (calls < answered.calls || credits < answered.credits) {
      problems.push(`${operation}: ${calls} calls (${credits}) are in usage, ${answered.calls} had a response`)
    }
    if (calls > begun.calls - refused.calls || credits > begun.credits - refused.credits) {
      problems.push(`${operation}: ${calls} calls (${credits}) are in usage, more than began`)
    }
    unknown += calls - answered.calls
  }

  if (after.balance < 0) problems.push(`the balance is ${after.balance}`)
  const { begun } = round.calls.synthesize
  const last = round.newCredits.findLast(({ done }) => done)
  const underWay = round.newCredits.find(({ done }) => !done)
  /** Whether the balance can result from this credit and the calls that may have been debited after it. */
  const follows = ({ credits, over, since }: NewCredit) =>
    after.balance >= credits - (begun.credits - over) && after.balance <= credits - since
  const kept = after.balance + usedCredits(after) === before.balance + usedCredits(before)
  const possible = (last === undefined ? kept : follows(last)) || (underWay !== undefined && follows(underWay))
  if (!possible) problems.push(`${round.kind}: the balance is ${after.balance}, after ${before.balance}`)
  return unknown
}

const checkKeys = async (service: ServiceProcess, round: Round) => {
  const keys: Keys = (await service.platform("GET", "keys")).body
  const archived = new Set(keys.archived.map(({ id }) => id))
  const latest = latestKey()
  for (const { id, name } of keysCreated) {
    if (id !== keys.active?.id && !archived.has(id)) problems.push(`${name} is neither active nor archived`)
    if (revoked.has(id) && !archived.has(id))
      problems.push(`${name} is revoked for the client, but not for the service`)
  }
  const creation = round.creations.find(({ done }) => !done)
  const revocation = round.revocations.find(({ done }) => !done)
  // A service without an active key creates one at its start.
  const made = service.apiKey !== null
  const expected = revoked.has(latest.id)
    ? made || keys.active?.name === creation?.name
    : keys.active?.id === latest.id ||
      (creation !== undefined && keys.active?.name === creation.name) ||
      (revocation?.id === latest.id && made)
  if (!expected) problems.push(`${keys.active?.name} is active, but the last created key is ${latest.name}`)

  for (const { id, key, name } of keysCreated.slice(-6)) {
    const { status } = await send(`${service.ttsBaseUrl}/tts/bytes`, { headers: { "x-api-key": key } })
    // The body is invalid, but the service checks the key first.
    const works = status !== 401
    if (works !== (id === keys.active?.id)) problems.push(`${name} gets ${status}`)
  }
}

const folder = temporaryFolder("check-kill-")
const dataDirectory = join(folder, "data")
const start = () => startService({ cannedSeconds: 0.1, dataDirectory, credits: 5_000_000 }, { temporary: folder })

const newRound = (kind: Kind): Round => {
  const calls = () => ({ begun: noCalls(), answered: noCalls(), refused: noCalls() })
  return { kind, calls: { synthesize: calls(), transcribe: calls() }, creations: [], revocations: [], newCredits: [] }
}

const restarts: Array<number> = []
const played: Array<Round & { readonly unknown: number }> = []

let service = await start()
const first = { name: newName(), done: false }
await createKey(service, first)
let ledger = await readLedger(service)

await killRepeatedly("the service", rounds, async (number) => {
  const round = newRound(kinds[(number - 1) % kinds.length] ?? "nothing else")
  const load = startLoad(service, round)
  const isEarly = upTo(4) === 0
  const afterFirst = upTo(longestLife)
  const moment = async () => {
    if (!isEarly) await load.firstResponse
    await sleep(afterFirst)
    load.end()
  }
  await killAt(service, load.over, moment())
  await load.over

  service = await start()
  restarts.push(service.startMillis)
  const left = readdirSync(join(dataDirectory, "effect-speech-local-service-temporary")).length
  if (left > 0) problems.push(`${left} temporary files are left after the start`)
  const found = await readLedger(service)
  const unknown = checkLedger(round, ledger, found)
  await checkKeys(service, round)
  // A key that the clients know: the service may have been killed before it sent the last one.
  await createKey(service, { name: newName(), done: false })
  ledger = found
  played.push({ ...round, unknown })
  return false
})
await service.stop()

console.log(`Killed ${rounds} times, at most ${longestLife} ms into the load, with the seed ${seed}.\n`)
tableOf(played, {
  "besides synthesis": ({ kind }) => kind,
  "calls with a response": ({ calls }) => sum(Object.values(calls).map(({ answered }) => answered.calls)),
  "debited without one": ({ unknown }) => unknown,
  changes: ({ creations, newCredits, revocations }) => creations.length + revocations.length + newCredits.length
})
barOfNone("the service finds what its clients saw", problems)
console.log(
  `- a start, from the process to the first request: ${median(restarts).toFixed(0)} ms, ` +
    `at most ${Math.max(...restarts).toFixed(0)} ms`
)
process.exitCode = exitStatus()
