import * as SqlClient from "@effect/sql/SqlClient"
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { layerLibsqlShared } from "../src/internal/store/libsqlStore.js"
import { type Settlement, Store } from "../src/internal/store/Store.js"
import type { LimitChanges, Limits, Unanswered } from "../src/Run.js"
import type { SourceItem } from "../src/Source.js"
import { list, settings } from "./support/stores.js"

const runtime = ManagedRuntime.make(layerLibsqlShared({ path: ":memory:" }))
afterAll(() => runtime.dispose())

const error = { tag: "SttConnectionFailed", message: "Lost." }

/** What a call came to. In a run that holds, a worker never says `Unavailable` of a call that may be billed. */
const outcomes = [
  "answered",
  "refused by the file",
  "lost on its way",
  "not begun",
  "refused by the account",
  "refused in a later piece",
  "refused by the account in a later piece",
  "not written",
  "unavailable",
  "not reached"
] as const
type Outcome = (typeof outcomes)[number]

/** What the pieces before cost. */
const paidOf = (cost: number): number => Math.floor(cost / 2)

const settlementOf = (outcome: Outcome, cost: number, begunAt: number): Settlement => {
  switch (outcome) {
    case "answered":
      return { _tag: "Done", result: { text: "text", segments: [], warnings: [] }, billing: "billed", credits: cost }
    case "refused by the file":
      return { _tag: "Failed", error, billing: "notBilled" }
    case "lost on its way":
      return { _tag: "Held", error, billing: "unknown", begunAt }
    case "not begun":
      return { _tag: "NotBegun" }
    case "refused by the account":
      return { _tag: "Refused", error }
    case "refused in a later piece":
      return { _tag: "Failed", error, billing: "notBilled", credits: paidOf(cost) }
    case "refused by the account in a later piece":
      return { _tag: "Refused", error, credits: paidOf(cost) }
    case "not written":
      return { _tag: "Unsaved", error, billing: "unknown" }
    case "unavailable":
      return { _tag: "Unavailable", error, billing: "notBilled", begunAt }
    case "not reached":
      return { _tag: "Unavailable", error, billing: "notBilled", begunAt, notReached: true }
  }
}

const names = ["a", "b"]
const machines = ["one", "two"]
const seq = FastCheck.integer({ min: 1, max: 4 })
const machine = FastCheck.constantFrom(...machines)

const orNone = (limit: FastCheck.Arbitrary<number>) =>
  FastCheck.oneof({ weight: 3, arbitrary: limit }, { weight: 1, arbitrary: FastCheck.constant("none" as const) })
const anyChanges = FastCheck.record(
  { maxFiles: orNone(FastCheck.nat(4)), maxCredits: orNone(FastCheck.nat(30)) },
  { requiredKeys: [] }
)

const command = FastCheck.oneof(
  {
    weight: 2,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("list" as const),
      versions: FastCheck.array(FastCheck.constantFrom(undefined, 0, 1), { minLength: 2, maxLength: 2 })
    })
  },
  {
    weight: 8,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("claim" as const),
      seq,
      machine,
      cost: FastCheck.integer({ min: 0, max: 9 })
    })
  },
  {
    weight: 8,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("settle" as const),
      nth: FastCheck.nat(2),
      outcome: FastCheck.constantFrom(...outcomes)
    })
  },
  { weight: 2, arbitrary: FastCheck.record({ do: FastCheck.constant("die" as const), machine }) },
  {
    weight: 3,
    arbitrary: FastCheck.record({
      do: FastCheck.constantFrom("begin" as const, "pause" as const, "retry all" as const, "retry the tag" as const)
    })
  },
  { weight: 4, arbitrary: FastCheck.record({ do: FastCheck.constant("wait" as const) }) },
  {
    weight: 1,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("limit" as const),
      limits: anyChanges
    })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("start again" as const),
      limits: anyChanges,
      saysUnanswered: FastCheck.boolean()
    })
  }
)
type Command = typeof command extends FastCheck.Arbitrary<infer A> ? A : never

interface Call {
  readonly seq: number
  readonly machine: string
  readonly file: string
  readonly item: SourceItem
  /** What it costs. It can't be known of a call that began before a limit was set, and was not answered. */
  cost: number
  readonly isReserved: boolean
  /** Its machine was taken for dead. */
  isAbandoned: boolean
  readonly begunAt: number
}

/** What a person who watches the service and the account knows of one history. */
class Watcher {
  readonly underWay: Array<Call> = []
  readonly answered = new Set<string>()
  /** Files with a call that may be billed and has no result. */
  readonly billed = new Set<string>()
  /** Files in `billed` that must not be sent again, since nobody has retried them. */
  readonly ambiguous = new Set<string>()
  /** By file: calls that have begun, and reached the service or may reach it still. */
  readonly #begun = new Map<string, number>()
  spent = 0

  /** Files whose call has begun. */
  get begun(): number {
    return [...this.#begun.values()].filter((calls) => calls > 0).length
  }

  begin(file: string): void {
    this.#begun.set(file, (this.#begun.get(file) ?? 0) + 1)
  }

  /** A call of the file did not reach the service. */
  return(file: string): void {
    this.#begun.set(file, (this.#begun.get(file) ?? 0) - 1)
  }

  get reserved(): number {
    return this.underWay.reduce((sum, { cost }) => sum + cost, 0)
  }
}

let runs = 0

/** Executes the commands on the store. Fails at the first call that breaks a law. */
const history = (unanswered: Unanswered, commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    const store = yield* Store
    const sql = yield* SqlClient.SqlClient
    const run = `run ${++runs}`
    const watcher = new Watcher()
    let limits: Limits = {}
    yield* store.createRun(run, { ...settings, unanswered }, limits)
    for (const id of machines) yield* Effect.zipRight(store.leave(id), store.join(id))

    const listVersions = (versions: ReadonlyArray<number | undefined>) =>
      list(
        store,
        run,
        names.flatMap((path, index) => {
          const version = versions[index]
          return version === undefined ? [] : [{ path, size: 10, modifiedMillis: version }]
        })
      )
    yield* listVersions([0, 0])
    let epoch = (yield* store.begin(run, "resumed")) ?? 0

    const claim = ({ cost, machine, seq }: Command & { readonly do: "claim" }) =>
      Effect.gen(function* () {
        const { state } = yield* store.run(run)
        const claimed = yield* store.claim(run, epoch, machine, 1, { seq, cost })
        const [file] = claimed._tag === "Claimed" ? claimed.files : []
        if (file === undefined) return
        const { callId, modifiedMillis, path, size } = file
        expect(state).toBe("running")
        expect(watcher.answered, `${path} was answered, and is called again`).not.toContain(callId)
        expect(watcher.ambiguous, `${path} may be billed, and is called again`).not.toContain(callId)
        watcher.underWay.push({
          seq,
          machine,
          file: callId,
          item: { path, size, modifiedMillis },
          cost,
          isReserved: limits.maxCredits !== undefined,
          isAbandoned: false,
          begunAt: yield* store.now
        })
        watcher.begin(callId)
        if (limits.maxFiles !== undefined) expect(watcher.begun).toBeLessThanOrEqual(limits.maxFiles)
        if (limits.maxCredits !== undefined) {
          expect(watcher.spent + watcher.reserved).toBeLessThanOrEqual(limits.maxCredits)
        }
      })

    const settle = ({ nth, outcome }: Command & { readonly do: "settle" }) =>
      Effect.gen(function* () {
        const call = watcher.underWay[nth]
        if (call === undefined) return
        watcher.underWay.splice(nth, 1)
        const settlement = settlementOf(outcome, call.cost, call.begunAt)
        const changed = yield* store.settle(run, epoch, call.seq, call.machine, settlement)
        const isUncounted = [
          "not begun",
          "refused by the account",
          "refused by the account in a later piece",
          "not reached"
        ].includes(outcome)
        if (isUncounted) watcher.return(call.file)
        if (changed && outcome === "answered") watcher.answered.add(call.file)
        const isBilled = ["answered", "lost on its way", "not written"].includes(outcome)
        if (isBilled) watcher.spent += outcome === "answered" || call.isReserved ? call.cost : 0
        if (outcome.endsWith("later piece")) watcher.spent += paidOf(call.cost)
        if (isBilled && outcome !== "answered") watcher.billed.add(call.file)
        if (unanswered === "hold" && changed && watcher.billed.has(call.file)) {
          const state = (yield* store.states(run, [call.item]))[0]
          // A pending file was retried, and its call has not begun yet.
          if (state === "pending") watcher.ambiguous.delete(call.file)
          else watcher.ambiguous.add(call.file)
        }
      })

    /** The machine is not heard of any more: what it had under way may be billed. */
    const die = (machine: string) =>
      Effect.gen(function* () {
        yield* store.takeOver(run, [machine])
        for (const call of watcher.underWay.filter((each) => each.machine === machine && !each.isAbandoned)) {
          call.isAbandoned = true
          watcher.billed.add(call.file)
          if (unanswered === "hold") watcher.ambiguous.add(call.file)
          if (!call.isReserved) call.cost = 0
        }
      })

    const retry = (only?: string) =>
      Effect.gen(function* () {
        const before = [...(yield* Stream.runCollect(store.files(run)))]
        yield* store.retry(run, only)
        const after = [...(yield* Stream.runCollect(store.files(run)))]
        for (const [index, { callId, state }] of after.entries()) {
          if (state !== "pending" || before[index]?.state === "pending") continue
          // A person names the tag of what may be billed again.
          if (only === undefined) expect(watcher.ambiguous).not.toContain(callId)
          watcher.ambiguous.delete(callId)
        }
      })

    /** A limit stays until a person gives another one or removes it, and so does what is done with calls without an answer. */
    const change = (changes: LimitChanges) =>
      Effect.gen(function* () {
        limits = Object.fromEntries(Object.entries({ ...limits, ...changes }).filter(([, limit]) => limit !== "none"))
        const row = yield* store.run(run)
        expect(row.limits).toEqual(limits)
        expect(row.settings.unanswered).toBe(unanswered)
      })

    for (const each of commands) {
      switch (each.do) {
        case "list":
          yield* listVersions(each.versions)
          break
        case "claim":
          yield* claim(each)
          break
        case "settle":
          yield* settle(each)
          break
        case "die":
          yield* die(each.machine)
          break
        case "begin":
          epoch = (yield* store.begin(run, "resumed")) ?? epoch
          break
        case "pause":
          yield* store.changeState(run, "paused", "paused")
          break
        case "retry all":
          yield* retry()
          break
        case "retry the tag":
          yield* retry(error.tag)
          yield* retry("AnswerUnknown")
          break
        case "wait":
          yield* sql`UPDATE archive_runs SET slowed_at = slowed_at - 120000, slow_until = 0 WHERE id = ${run}`
          break
        case "limit":
          yield* store.changeLimits(run, each.limits)
          yield* change(each.limits)
          break
        case "start again": {
          const { unanswered: _, ...others } = settings
          yield* store.createRun(run, each.saysUnanswered ? { ...others, unanswered } : others, each.limits)
          yield* change(each.limits)
        }
      }
    }
    const { started, ...counts } = (yield* store.status(run)).counts
    const files = [...(yield* Stream.runCollect(store.files(run)))]
    expect(new Set(files.map(({ path }) => path)).size, "a file has two results").toBe(files.length)
    const settled = files.filter(({ state }) => state !== "started")
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(settled.length)
    // A call for a file that was replaced is under way, and in no result.
    expect(started).toBeGreaterThanOrEqual(files.length - settled.length)
  })

describe("a run, whatever happens to it,", () => {
  it("calls for no file again that is done or may be billed, and exceeds no limit", { timeout: 60_000 }, () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.constantFrom<Unanswered>("hold", "repeat"),
        FastCheck.array(command, { maxLength: 40, size: "max" }),
        (unanswered, commands) => runtime.runPromise(history(unanswered, commands))
      ),
      { numRuns: Number(process.env.HISTORIES ?? 100), seed: Number(process.env.SEED ?? 1) }
    )
  )
})
