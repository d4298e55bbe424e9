import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { RequestedSettings } from "../src/internal/model/request.js"
import { type Claim, type Settlement, Store, type StoreService } from "../src/internal/store/Store.js"
import type { LimitChanges, Limits, Unanswered } from "../src/Run.js"
import type { SourceItem } from "../src/Source.js"
import { databases, list, settings } from "./support/stores.js"

const item = (path: string, fields: Partial<SourceItem> = {}): SourceItem => ({
  path,
  size: 1_000,
  modifiedMillis: 1_700_000_000_000,
  ...fields
})

/** The claim of this file. */
const claimOne = (store: StoreService, run: string, epoch: number, seq: number, machine: string, cost: number) =>
  Effect.map(store.claim(run, epoch, machine, 1, { seq, cost }), (claim) =>
    claim._tag === "Claimed" && claim.files.length === 0 ? ({ _tag: "NotPending" } as const) : claim
  )

/** The numbers of the files of a claim, or what it is instead. */
const seqsOf = <E>(claim: Effect.Effect<Claim, E>) =>
  Effect.map(claim, (claimed) => (claimed._tag === "Claimed" ? claimed.files.map(({ seq }) => seq) : claimed._tag))

let runs = 0

/** A run with so many files, in its first epoch, whose machines `a` and `b` are alive. */
const begun = (count: number, options: { readonly limits?: Limits; readonly unanswered?: Unanswered } = {}) =>
  Effect.gen(function* () {
    const store = yield* Store
    const run = `run ${++runs}`
    const { limits = {}, unanswered = "hold" } = options
    yield* store.createRun(run, { ...settings, unanswered }, limits)
    yield* list(
      store,
      run,
      Array.from({ length: count }, (_, index) => item(`${index + 1}.wav`))
    )
    yield* Effect.forEach(["a", "b"], (machine) => Effect.zipRight(store.leave(machine), store.join(machine)))
    const begin = Effect.map(store.begin(run, "resumed"), (epoch) => epoch ?? 0)
    const epoch = yield* begin
    const sql = yield* SqlClient.SqlClient
    return {
      store,
      run,
      epoch,
      /** The run begins once more. The result is its epoch. */
      begin,
      claim: (seq: number, machine = "a", cost = 0) => claimOne(store, run, epoch, seq, machine, cost),
      claimed: (count: number, machine = "a") => seqsOf(store.claim(run, epoch, machine, count)),
      settle: (seq: number, settlement: Settlement, machine = "a") =>
        store.settle(run, epoch, seq, machine, settlement),
      files: Effect.map(Stream.runCollect(store.files(run)), (files) => [...files]),
      states: Effect.map(Stream.runCollect(store.files(run)), (files) => [...files].map(({ state }) => state)),
      /** As if the machine had been silent for a minute. */
      silence: (machine: string) => sql`UPDATE archive_machines SET seen_at = seen_at - 60000 WHERE id = ${machine}`,
      /** As if the wait for the service were over. */
      waited: sql`
        UPDATE archive_runs SET slowed_at = slowed_at - 120000, slow_until = slow_until - 120000 WHERE id = ${run}`,
      /** As if the time until the next call of a run with 0.1 calls a second had passed. */
      due: sql`UPDATE archive_runs SET next_call_at = next_call_at - 10000 WHERE id = ${run}`
    }
  })

const done = (credits = 1) => ({
  _tag: "Done" as const,
  result: { text: "text", segments: [], warnings: [] },
  billing: "billed" as const,
  credits
})
const poison: Settlement = { _tag: "Failed", error: { tag: "BadRequest", message: "No." }, billing: "notBilled" }
const refused: Settlement = { _tag: "Refused", error: { tag: "InsufficientCredit", message: "Top up." } }
const unavailable = (begunAt: number) => ({
  _tag: "Unavailable" as const,
  error: { tag: "ServiceUnavailable", message: "Later." },
  billing: "notBilled" as const,
  begunAt
})

for (const { title, open, installed } of databases) {
  describe.runIf(installed)(`a store on ${title}`, () => {
    layer(Layer.unwrapScoped(open), { excludeTestServices: true, timeout: 30_000 })((it) => {
      it.effect("counts the machines that are alive; a late heartbeat of one that left does not bring it back", () =>
        Effect.gen(function* () {
          const { run, silence, store } = yield* begun(1)
          const machines = Effect.map(store.status(run), (status) => status.machines)
          assert.strictEqual(yield* machines, 2)
          yield* silence("a")
          assert.strictEqual(yield* machines, 1)
          yield* store.heartbeat("a")
          assert.strictEqual(yield* machines, 2)
          yield* store.leave("a")
          yield* store.heartbeat("a")
          assert.strictEqual(yield* machines, 1)
        })
      )

      it.effect("says how many started files no machine works on, and what they may have cost", () =>
        Effect.gen(function* () {
          const { claim, run, settle, silence, store } = yield* begun(5, { limits: { maxCredits: 100 } })
          const abandoned = Effect.map(store.status(run), (status) => [
            status.abandoned,
            status.credits,
            status.unknownCosts
          ])
          yield* claim(1, "a", 3)
          yield* claim(2, "a", 4)
          yield* claim(3, "b", 5)
          yield* settle(2, done(4))
          assert.deepStrictEqual(yield* abandoned, [0, 4, 0])
          yield* silence("a")
          assert.deepStrictEqual(yield* abandoned, [1, 7, 0])
          yield* store.changeLimits(run, { maxCredits: "none" })
          yield* claim(4, "b")
          yield* silence("b")
          assert.deepStrictEqual(yield* abandoned, [3, 12, 1])
          assert.deepInclude((yield* store.status(run)).counts, { started: 3, held: 0 })
          // They are held with the same cost.
          yield* store.takeOver(run, ["a", "b"])
          assert.deepStrictEqual(yield* abandoned, [0, 12, 1])
          assert.deepInclude((yield* store.status(run)).counts, { started: 0, held: 3 })
        })
      )

      it.effect("adds a file once, in order; a changed one is a new one, and one that is gone leaves", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, files } = yield* begun(4)
          yield* claim(3)
          yield* settle(3, done())
          const changed = item("2.wav", { modifiedMillis: 5 })
          const awkward = item("a \"b\" 'c' \\ \n नमस्ते 🎧.wav", { size: 3_000_000_000 })
          const unreadable = item("5.wav", { problem: { tag: "FileUnreadable", message: "No\0." } })
          const listed = [item("1.wav"), changed, awkward, awkward, unreadable]
          yield* list(store, run, listed)
          yield* list(store, run, listed)
          assert.deepStrictEqual(
            (yield* files).map(({ seq, path, state, size, modifiedMillis, error }) => [
              seq,
              path,
              state,
              size,
              modifiedMillis,
              error
            ]),
            [
              [1, "1.wav", "pending", 1_000, 1_700_000_000_000, undefined],
              [3, "3.wav", "done", 1_000, 1_700_000_000_000, undefined],
              [5, "2.wav", "pending", 1_000, 5, undefined],
              [6, awkward.path, "pending", 3_000_000_000, 1_700_000_000_000, undefined],
              [7, "5.wav", "failed", 1_000, 1_700_000_000_000, { tag: "FileUnreadable", message: "No\u{fffd}." }]
            ]
          )
          assert.deepStrictEqual(yield* store.states(run, [...listed, item("2.wav"), item("3.wav")]), [
            "pending",
            "pending",
            "pending",
            "pending",
            "failed",
            undefined,
            "done"
          ])
        })
      )

      it.effect("gives the result of a changed file once, and again that of a file that changed back", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, files } = yield* begun(2)
          yield* claim(1)
          yield* settle(1, done())
          const changed = item("1.wav", { modifiedMillis: 5 })
          yield* list(store, run, [changed, item("2.wav")])
          const rows = Effect.map(files, (all) => all.map(({ seq, path, state }) => [seq, path, state]))
          assert.deepStrictEqual(yield* rows, [
            [2, "2.wav", "pending"],
            [3, "1.wav", "pending"]
          ])
          yield* list(store, run, [item("1.wav"), item("2.wav")])
          assert.deepStrictEqual(yield* rows, [
            [1, "1.wav", "done"],
            [2, "2.wav", "pending"]
          ])
        })
      )

      it.effect("keeps what either of two listings at once has seen", () =>
        Effect.gen(function* () {
          const { store, run, files } = yield* begun(1)
          const first = yield* store.beginListing(run)
          const second = yield* store.beginListing(run)
          yield* Effect.all(
            [store.addItems(run, first, [item("x")]), store.addItems(run, second, [item("y"), item("x")])],
            { concurrency: "unbounded" }
          )
          yield* store.endListing(run, first)
          assert.sameMembers(
            (yield* files).map(({ path }) => path),
            ["x", "y"]
          )
          yield* store.endListing(run, second)
          assert.sameMembers(
            (yield* files).map(({ path }) => path),
            ["x", "y"]
          )
        })
      )

      it.effect("knows a file by its content where it has one", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, files } = yield* begun(0)
          const content = "ab".repeat(32)
          yield* list(store, run, [item("x", { content })])
          yield* list(store, run, [item("x", { content, modifiedMillis: 7 })])
          const claimed = yield* claim(1)
          assert.deepInclude(claimed._tag === "Claimed" ? claimed.files[0] : {}, {
            content,
            modifiedMillis: 7,
            attempts: 1
          })
          assert.isTrue(Option.isNone(yield* store.sameContent(run, content)))
          yield* settle(1, done())
          assert.strictEqual(Option.getOrThrow(yield* store.sameContent(run, content)).path, "x")
          const [file] = yield* files
          assert.match(file?.callId ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
          assert.strictEqual(claimed._tag === "Claimed" ? claimed.files[0]?.callId : "", file?.callId)
        })
      )

      it.effect("finds a run again, and refuses another operation for its id", () =>
        Effect.gen(function* () {
          const { store, run, epoch } = yield* begun(1)
          const again = yield* store.createRun(run, { ...settings, source: "others" }, { maxFiles: 3 })
          assert.deepInclude(Option.getOrUndefined(again), { epoch, state: "running" })
          assert.deepInclude(yield* store.run(run), {
            limits: { maxFiles: 3 },
            settings: { ...settings, source: "others" }
          })
          const operation = { _tag: "Transcribe", model: "another" } as const
          const error = yield* Effect.flip(store.createRun(run, { ...settings, operation }, {}))
          assert.strictEqual(error._tag, "ArchiveRunConflict")
          assert.include(error.message, "model hi-general-v2-8khz there, another here")
          assert.deepInclude(yield* Effect.flip(store.status("no run")), {
            _tag: "ArchiveRunNotFound",
            message: `The store ${store.name} has no run no run. Check that it is the right store: speech archive status --store STORE, or runs of Archive, names the runs of a store.`
          })
          assert.include(yield* store.runs, run)
          assert.include(
            (yield* store.running).map(({ id }) => id),
            run
          )
        })
      )

      it.effect("keeps what a second start leaves out, and replaces what it gives", () =>
        Effect.gen(function* () {
          const limits = { maxCredits: 10, callsPerSecond: 2 }
          const { store, run } = yield* begun(1, { limits, unanswered: "repeat" })
          const { output, unanswered: _, ...others } = settings
          const requested = { ...others, output: { directory: output.directory } }
          const again = (more: Partial<RequestedSettings>, changes: LimitChanges) =>
            Effect.zipRight(store.createRun(run, { ...requested, ...more }, changes), store.run(run))
          yield* again({ output: { ...output, format: "srt" } }, {})
          const kept = yield* again({}, {})
          assert.deepStrictEqual([kept.limits, kept.settings.unanswered], [limits, "repeat"])
          assert.strictEqual(kept.settings.output.format, "srt")
          const given = yield* again({ unanswered: "hold" }, { maxCredits: 20, callsPerSecond: "none", maxFiles: 3 })
          assert.deepStrictEqual([given.limits, given.settings.unanswered], [{ maxFiles: 3, maxCredits: 20 }, "hold"])
        })
      )

      it.effect("gives a file to one of many that claim it at once", () =>
        Effect.gen(function* () {
          const { claim } = yield* begun(1)
          const claims = yield* Effect.all(
            Array.from({ length: 20 }, (_, index) => claim(1, index % 2 === 0 ? "a" : "b")),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(claims.map(({ _tag }) => _tag).sort(), ["Claimed", ...Array(19).fill("NotPending")])
        })
      )

      it.effect("settles a file only for the machine that has it, and only once", () =>
        Effect.gen(function* () {
          const { store, run, epoch, claim, settle, files } = yield* begun(1)
          yield* claim(1)
          assert.isFalse(yield* settle(1, done(), "b"))
          assert.isFalse(yield* store.endIfComplete(run, epoch))
          const result = { text: "नमस्ते\0", segments: [{ start: 1.5, end: 2, text: "" }], warnings: [] }
          assert.isTrue(yield* settle(1, { _tag: "Done", result, billing: "billed", credits: 7 }))
          assert.isFalse(yield* settle(1, poison))
          assert.isTrue(yield* store.endIfComplete(run, epoch))
          assert.strictEqual((yield* store.run(run)).state, "ended")
          const [file] = yield* files
          assert.deepInclude(file, { state: "done", attempts: 1, billing: "billed", credits: 7, result })
        })
      )

      it.effect("holds what a dead machine had started, and takes its late answer", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, files, states } = yield* begun(3)
          yield* Effect.all([claim(1, "a"), claim(2, "a"), claim(3, "b")])
          yield* store.takeOver(run, [])
          assert.deepStrictEqual(yield* states, ["started", "started", "started"])
          yield* store.takeOver(run, ["a"])
          assert.deepStrictEqual(yield* states, ["held", "held", "started"])
          assert.deepInclude((yield* files)[0], { billing: "unknown" })
          assert.strictEqual((yield* files)[0]?.error?.tag, "AnswerUnknown")
          assert.isTrue(yield* settle(1, done(), "a"))
          assert.isUndefined((yield* files)[0]?.error)
          assert.deepStrictEqual((yield* store.status(run)).counts, {
            pending: 0,
            started: 1,
            done: 1,
            failed: 0,
            held: 1
          })
          assert.strictEqual(yield* store.retry(run), 0)
          assert.strictEqual(yield* store.retry(run, "AnswerUnknown"), 1)
          assert.isFalse(yield* settle(2, done(), "a"))
          assert.deepStrictEqual(yield* states, ["done", "pending", "started"])
        })
      )

      it.effect("repeats what a dead machine had started, if asked, and refuses its late answer", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, files } = yield* begun(2, { unanswered: "repeat" })
          yield* store.join("c")
          yield* claim(1, "c")
          yield* store.takeOver(run, ["c"])
          assert.deepInclude((yield* files)[0], { state: "pending", attempts: 1, billing: "unknown" })
          assert.strictEqual((yield* claim(1, "b"))._tag, "Claimed")
          assert.isFalse(yield* settle(1, done(), "c"))
          assert.isTrue(yield* settle(1, done(), "b"))
          assert.strictEqual((yield* files)[0]?.attempts, 2)
          yield* claim(2, "b")
          // A machine that has left has no file.
          yield* store.leave("b")
          yield* store.takeOver(run, [])
          assert.strictEqual((yield* files)[1]?.state, "pending")
        })
      )

      it.effect("suspends a run once where two machines are refused, and the refused files did not begin", () =>
        Effect.gen(function* () {
          const { begin, store, run, epoch, claim, settle, files } = yield* begun(3)
          yield* Effect.all([claim(1, "a"), claim(2, "b")])
          const at = yield* store.now
          yield* settle(1, refused, "a")
          yield* settle(2, { _tag: "Refused", error: { tag: "Unauthorized", message: "Other." } }, "b")
          const { state, suspension } = yield* store.run(run)
          assert.strictEqual(state, "suspended")
          assert.deepInclude(suspension, { tag: "InsufficientCredit", message: "Top up." })
          assert.isAtLeast(suspension?.at.epochMillis ?? 0, at)
          assert.deepStrictEqual(
            (yield* files).map(({ state, attempts }) => [state, attempts]),
            [
              ["pending", 0],
              ["pending", 0],
              ["pending", 0]
            ]
          )
          assert.strictEqual((yield* claim(3))._tag, "Stopped")
          assert.strictEqual(yield* begin, epoch + 1)
          const again = (seq: number) => Effect.map(claimOne(store, run, epoch + 1, seq, "a", 0), ({ _tag }) => _tag)
          // One call asks whether the account is refused still.
          assert.deepStrictEqual(yield* Effect.all([again(1), again(2)]), ["Claimed", "Wait"])
          yield* store.settle(run, epoch + 1, 1, "a", poison)
          assert.deepStrictEqual(yield* Effect.all([again(2), again(3)]), ["Claimed", "Wait"])
          yield* store.settle(run, epoch + 1, 2, "a", done())
          assert.strictEqual(yield* again(3), "Claimed")
        })
      )

      it.effect("holds a file whose answer is lost, and suspends its run, until the files of its tag are retried", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, files } = yield* begun(2)
          yield* claim(1, "a")
          const error = { tag: "ArchiveOutputFailed", message: "The disk is full." }
          yield* settle(1, { _tag: "Unsaved", error, billing: "unknown" }, "a")
          assert.deepInclude((yield* store.run(run)).suspension, error)
          const [lost, other] = yield* files
          assert.deepInclude(lost, { state: "held", attempts: 1, billing: "unknown", error })
          assert.strictEqual(other?.state, "pending")
          assert.strictEqual(yield* store.retry(run), 0)
          assert.strictEqual(yield* store.retry(run, "ArchiveOutputFailed"), 1)
        })
      )

      it.effect("holds a file that may be billed, slows its run down, and goes on with the others", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, files } = yield* begun(2, { limits: { maxCredits: 10 } })
          yield* claim(1, "a", 5)
          const error = { tag: "SttUnexpectedStatus", message: "504." }
          const begunAt = yield* store.now
          assert.isTrue(yield* settle(1, { _tag: "Held", error, billing: "unknown", begunAt }, "a"))
          const [file] = yield* files
          assert.deepInclude(file, { state: "held", attempts: 1, billing: "unknown", credits: 5, error })
          const { counts, failures, holds, outage, state } = yield* store.status(run)
          assert.deepInclude(counts, { failed: 0, held: 1, pending: 1 })
          assert.deepStrictEqual([state, failures, holds], ["running", {}, { SttUnexpectedStatus: 1 }])
          assert.deepInclude(outage, error)
          assert.strictEqual((yield* claim(2, "b", 5))._tag, "Wait")
          assert.strictEqual(yield* store.retry(run), 0)
          assert.strictEqual(yield* store.retry(run, "SttUnexpectedStatus"), 1)
          assert.strictEqual((yield* store.status(run)).credits, 5)
        })
      )

      it.effect("begins no call in an earlier epoch or a paused run, and records what was under way", () =>
        Effect.gen(function* () {
          const { begin, store, run, epoch, claim, settle } = yield* begun(4)
          yield* Effect.all([claim(1), claim(2)])
          assert.strictEqual(yield* begin, epoch + 1)
          assert.strictEqual((yield* claim(3))._tag, "Stopped")
          assert.isTrue(yield* settle(1, done()))
          assert.isTrue(yield* settle(2, refused))
          assert.strictEqual((yield* store.run(run)).state, "running")
          const claimNow = claimOne(store, run, epoch + 1, 3, "a", 0)
          assert.isTrue(yield* store.changeState(run, "paused", "paused"))
          assert.isFalse(yield* store.changeState(run, "paused", "paused"))
          assert.strictEqual((yield* claimNow)._tag, "Stopped")
          assert.isUndefined(yield* store.begin(run, "listed"))
          assert.strictEqual(yield* begin, epoch + 2)
          assert.strictEqual((yield* claimOne(store, run, epoch + 2, 3, "a", 0))._tag, "Claimed")
        })
      )

      it.effect("begins exactly as many calls as the limit of files allows, over two machines at once", () =>
        Effect.gen(function* () {
          const { begin, store, run, epoch, claim, settle } = yield* begun(12, { limits: { maxFiles: 5 } })
          const claims = yield* Effect.all(
            Array.from({ length: 10 }, (_, index) => claim(index + 1, index % 2 === 0 ? "a" : "b")),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(
            claims.filter(({ _tag }) => _tag === "Claimed"),
            5
          )
          // While calls are under way they may still not reach the service, and so not count.
          assert.strictEqual((yield* store.run(run)).state, "running")
          for (const [index, { _tag }] of claims.entries()) {
            if (_tag === "Claimed" && index !== claims.findIndex((one) => one._tag === "Claimed"))
              yield* settle(index + 1, done(), index % 2 === 0 ? "a" : "b")
          }
          // One that did not begin leaves room for another.
          const first = claims.findIndex(({ _tag }) => _tag === "Claimed")
          yield* settle(first + 1, { _tag: "NotBegun" }, first % 2 === 0 ? "a" : "b")
          assert.strictEqual((yield* claim(11))._tag, "Claimed")
          yield* settle(11, done())
          assert.strictEqual((yield* claim(12))._tag, "Stopped")
          const { state, suspension } = yield* store.run(run)
          assert.deepStrictEqual([state, suspension?.tag], ["suspended", "FileLimit"])
          assert.strictEqual(yield* begin, epoch + 1)
          assert.strictEqual((yield* claimOne(store, run, epoch + 1, 12, "a", 0))._tag, "Stopped")
          yield* store.changeLimits(run, { maxFiles: 6 })
          yield* begin
          assert.strictEqual((yield* claimOne(store, run, epoch + 2, 12, "a", 0))._tag, "Claimed")
        })
      )

      it.effect("never spends more than the limit of credits", () =>
        Effect.gen(function* () {
          const { begin, store, run, claim, settle } = yield* begun(9, { limits: { maxCredits: 100 } })
          const tag = (seq: number, cost: number) => Effect.map(claim(seq, "a", cost), ({ _tag }) => _tag)
          assert.strictEqual(yield* tag(1, 60), "Claimed")
          assert.strictEqual(yield* tag(2, 40), "Claimed")
          yield* settle(1, done(20))
          assert.strictEqual(yield* tag(3, 40), "Claimed")
          yield* settle(2, poison)
          yield* settle(3, { ...poison, billing: "unknown" } as Settlement)
          assert.strictEqual((yield* store.status(run)).credits, 60)
          assert.strictEqual(yield* tag(4, 41), "Stopped")
          assert.deepInclude((yield* store.run(run)).suspension, { tag: "CreditLimit" })
          const epoch = yield* begin
          const claims = yield* Effect.all(
            [5, 6, 7, 8].map((seq) => claimOne(store, run, epoch, seq, "a", 15)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(
            claims.filter(({ _tag }) => _tag === "Claimed"),
            2
          )
          // A new limit counts what is under way.
          yield* store.changeLimits(run, { maxCredits: 99 })
          const last = yield* begin
          assert.strictEqual((yield* claimOne(store, run, last, 9, "a", 10))._tag, "Wait")
          yield* store.changeLimits(run, {})
          yield* begin
          assert.deepStrictEqual((yield* store.run(run)).limits, { maxCredits: 99 })
          yield* store.changeLimits(run, { maxCredits: "none" })
          const free = yield* begin
          assert.strictEqual((yield* claimOne(store, run, free, 9, "a", 10))._tag, "Claimed")
        })
      )

      it.effect("begins calls at the rate, over two machines that wait as long as the store says", () =>
        Effect.gen(function* () {
          const { claim, claimed, due } = yield* begun(6, { limits: { callsPerSecond: 0.1 } })
          for (const seq of [1, 3]) {
            const claims = yield* Effect.all([claim(seq, "a"), claim(seq + 1, "b")], { concurrency: "unbounded" })
            assert.deepStrictEqual(claims.map(({ _tag }) => _tag).sort(), ["Claimed", "Wait"])
            for (const machine of ["a", "b"]) {
              const early = yield* claim(5, machine)
              assert.isTrue(early._tag === "Wait" && early.millis > 0 && early.millis <= 10_000)
            }
            yield* due
          }
          assert.lengthOf(yield* claimed(3), 1)
          assert.strictEqual(yield* claimed(3), "Wait")
        })
      )

      it.effect("calls one at a time while the service is down, and all at once after a success", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, waited } = yield* begun(9)
          yield* Effect.all([claim(1), claim(2), claim(3)])
          const begunAt = yield* store.now
          yield* settle(1, unavailable(begunAt + 1))
          // Begun before the first was found: it says nothing new.
          yield* settle(2, unavailable(begunAt - 1))
          const early = yield* claim(4)
          assert.isTrue(early._tag === "Wait" && early.millis > 0 && early.millis <= 1_000)
          assert.isAtLeast((yield* store.status(run)).slowedUntil?.epochMillis ?? 0, begunAt + 1_000)
          yield* waited
          const claims = yield* Effect.all([claim(4), claim(5), claim(6)], { concurrency: "unbounded" })
          assert.deepStrictEqual(claims.map(({ _tag }) => _tag).sort(), ["Claimed", "Wait", "Wait"])
          yield* settle(3, done())
          assert.isUndefined((yield* store.status(run)).slowedUntil)
          assert.strictEqual((yield* claim(7))._tag, "Claimed")
          assert.strictEqual((yield* claim(8))._tag, "Claimed")
        })
      )

      it.effect("says why the service is down, and counts no call that did not reach it", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, waited, files } = yield* begun(3, {
            limits: { maxFiles: 1, maxCredits: 9 }
          })
          for (let call = 0; call < 3; call++) {
            assert.strictEqual((yield* claim(1, "a", 5))._tag, "Claimed")
            const wait = yield* claim(2, "b", 5)
            assert.strictEqual(wait._tag, "Wait")
            yield* settle(1, { ...unavailable((yield* store.now) + 1), notReached: true } as Settlement)
            const { credits, outage, state } = yield* store.status(run)
            assert.deepStrictEqual([state, credits, outage?.tag], ["running", 0, "ServiceUnavailable"])
            assert.strictEqual(outage?.message, "Later.")
            yield* waited
          }
          assert.deepInclude((yield* files)[0], { state: "pending", attempts: 0 })
          // A new limit counts the same.
          yield* store.changeLimits(run, { maxFiles: 1, maxCredits: "none" })
          assert.strictEqual((yield* claim(1))._tag, "Claimed")
          yield* settle(1, done())
          assert.isUndefined((yield* store.status(run)).outage)
          assert.strictEqual((yield* claim(2))._tag, "Stopped")
        })
      )

      it.effect("counts the warnings of done files, and held files by their tag", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle } = yield* begun(5)
          const warned = (...warnings: ReadonlyArray<string>): Settlement => ({
            _tag: "Done",
            result: { text: "", segments: [], warnings },
            billing: "billed",
            credits: 1
          })
          yield* Effect.forEach([1, 2, 3, 4, 5], (seq) => claim(seq))
          yield* settle(1, warned("NothingRecognised"))
          yield* settle(2, warned("MoreThanOneChannel", "NothingRecognised"))
          yield* settle(3, warned())
          yield* settle(4, done())
          yield* settle(5, {
            _tag: "Unsaved",
            error: { tag: "ArchiveOutputFailed", message: "Full." },
            billing: "unknown"
          })
          const { counts, holds, warnings } = yield* store.status(run)
          assert.deepStrictEqual(warnings, { MoreThanOneChannel: 1, NothingRecognised: 2 })
          assert.deepStrictEqual(holds, { ArchiveOutputFailed: 1 })
          assert.strictEqual(counts.done, 4)
        })
      )

      it.effect.each([
        [1, [3]],
        [2, [1, 2]],
        [2, [3, 4]],
        [4, [1, 2, 3, 4, 5]]
      ] as const)(
        "calls the other files, and ends, if the service is always down for some: %i at once, and %j",
        ([concurrency, bad]) =>
          Effect.gen(function* () {
            const { store, run, epoch, settle, states, waited } = yield* begun(12)
            const isBad = (seq: number) => bad.some((one) => one === seq)
            const calls = new Map<number, number>()
            let left = 200
            while (left-- > 0) {
              const begunAt = yield* store.now
              const claim = yield* store.claim(run, epoch, "a", concurrency)
              const files = claim._tag === "Claimed" ? claim.files : []
              for (const { seq } of files) {
                calls.set(seq, (calls.get(seq) ?? 0) + 1)
                yield* settle(seq, isBad(seq) ? unavailable(begunAt + 1) : done())
              }
              if (claim._tag === "Wait") yield* waited
              if (claim._tag === "Claimed" && files.length === 0) break
            }
            assert.deepStrictEqual(
              yield* states,
              Array.from({ length: 12 }, (_, index) => (isBad(index + 1) ? "failed" : "done"))
            )
            for (const [seq, count] of calls) assert.isAtMost(count, isBad(seq) ? 15 : 1)
            assert.deepStrictEqual((yield* store.status(run)).failures, { ServiceUnavailable: bad.length })
            assert.isTrue(yield* store.endIfComplete(run, epoch))
          })
      )

      it.effect("fails no file for an outage, however often it is called", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, waited, states } = yield* begun(3)
          for (let call = 0; call < 8; call++) {
            assert.strictEqual((yield* claim(1))._tag, "Claimed")
            yield* settle(1, unavailable((yield* store.now) + 1))
            yield* waited
          }
          assert.deepStrictEqual(yield* states, ["pending", "pending", "pending"])
          const { slowedUntil } = yield* store.status(run)
          assert.isDefined(slowedUntil)
        })
      )

      it.effect("makes failed files pending again, all or those of a tag", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle, files } = yield* begun(3)
          yield* Effect.all([claim(1), claim(2), claim(3)])
          yield* settle(1, poison)
          yield* settle(2, { ...poison, error: { tag: "FileChanged", message: "Changed." } } as Settlement)
          yield* settle(3, done())
          assert.deepStrictEqual((yield* store.status(run)).failures, { BadRequest: 1, FileChanged: 1 })
          assert.strictEqual(yield* store.retry(run, "FileChanged"), 1)
          assert.strictEqual(yield* store.retry(run), 1)
          assert.deepStrictEqual(
            (yield* files).map(({ state, error, attempts }) => [state, error, attempts]),
            [
              ["pending", undefined, 1],
              ["pending", undefined, 1],
              ["done", undefined, 1]
            ]
          )
        })
      )

      it.effect("claims as many files as asked, in order, and those that were given back after the others", () =>
        Effect.gen(function* () {
          const { store, claimed: seqs, settle } = yield* begun(7)
          assert.deepStrictEqual(yield* seqs(3), [1, 2, 3])
          yield* settle(2, { _tag: "NotBegun" })
          assert.deepStrictEqual(yield* seqs(2, "b"), [4, 5])
          assert.deepStrictEqual(yield* seqs(9), [6, 7])
          assert.deepStrictEqual(yield* seqs(9), [2])
          assert.deepStrictEqual(yield* seqs(9), [])
          yield* store.leave("a")
          yield* settle(1, { _tag: "NotBegun" })
          assert.strictEqual(yield* seqs(1), "Stopped")
          assert.deepStrictEqual(yield* seqs(1, "b"), [1])
        })
      )

      it.effect("gives files with one content to one call at a time, if the run knows files by content", () =>
        Effect.gen(function* () {
          const { store } = yield* begun(0)
          const run = `run ${++runs}`
          yield* store.createRun(run, { ...settings, byContent: true }, {})
          const content = "ab".repeat(32)
          yield* list(store, run, [
            item("1.wav", { content }),
            item("2.wav", { content }),
            item("3.wav", { content: "cd".repeat(32) })
          ])
          yield* store.begin(run, "listed")
          const seqs = seqsOf(store.claim(run, 1, "a", 9))
          assert.deepStrictEqual(yield* seqs, [1])
          assert.deepStrictEqual(yield* seqs, [3])
          assert.deepStrictEqual(yield* seqs, [])
          yield* store.settle(run, 1, 1, "a", done())
          assert.deepStrictEqual(yield* seqs, [2])
        })
      )

      it.effect("counts a file once for a limit of files, however often it is called", () =>
        Effect.gen(function* () {
          const { store, run, claim, claimed, settle } = yield* begun(3, { limits: { maxFiles: 1 } })
          yield* claim(1)
          yield* settle(1, poison)
          yield* store.retry(run)
          assert.deepStrictEqual(yield* claimed(3), [1])
          yield* settle(1, done())
          assert.strictEqual(yield* claimed(3), "Stopped")
          assert.deepInclude((yield* store.run(run)).suspension, { tag: "FileLimit" })
          yield* store.changeLimits(run, { maxFiles: 2 })
          yield* store.begin(run, "resumed")
          assert.deepStrictEqual(yield* seqsOf(store.claim(run, 2, "a", 3)), [2])
        })
      )

      it.effect("counts what a held file may have cost, if that is known, until its answer says what it did", () =>
        Effect.gen(function* () {
          for (const [limits, held] of [
            [{ maxCredits: 10 }, { credits: 3, unknownCosts: 0 }],
            [{}, { credits: 0, unknownCosts: 1 }]
          ] as const) {
            const { store, run, claim, files, settle } = yield* begun(2, { limits })
            yield* claim(1, "a", 3)
            yield* store.takeOver(run, ["a"])
            assert.deepInclude(yield* store.status(run), held)
            assert.strictEqual((yield* files)[0]?.credits, limits.maxCredits === undefined ? undefined : 3)
            yield* settle(1, done(2))
            assert.deepInclude(yield* store.status(run), { credits: 2, unknownCosts: 0 })
            assert.deepInclude((yield* files)[0], { state: "done", credits: 2 })
          }
        })
      )

      it.effect("makes one call first if a call is refused that began before the run was resumed", () =>
        Effect.gen(function* () {
          const { store, run, begin, claim, settle } = yield* begun(4)
          yield* claim(1)
          yield* store.changeState(run, "paused", "paused")
          const epoch = yield* begin
          yield* settle(1, refused)
          assert.strictEqual((yield* store.run(run)).state, "running")
          const next = seqsOf(store.claim(run, epoch, "a", 4))
          assert.deepStrictEqual([yield* next, yield* next], [[1], "Wait"])
        })
      )

      it.effect("makes the results due again, if a held file is answered after the end of its run", () =>
        Effect.gen(function* () {
          const { store, run, epoch, claim, settle, states } = yield* begun(2)
          yield* Effect.all([claim(1), claim(2)])
          yield* settle(2, done())
          yield* store.takeOver(run, ["a"])
          assert.isTrue(yield* store.endIfComplete(run, epoch))
          yield* store.endOutput(run, epoch)
          const due = Effect.map(store.status(run), ({ resultsDue }) => resultsDue)
          assert.isFalse(yield* due)
          const answered = yield* store.settleAnswers(run, "a", [{ seq: 1, answer: done() }])
          if (answered.length === 0) yield* settle(1, done())
          assert.deepStrictEqual(yield* states, ["done", "done"])
          assert.isTrue(yield* due)
        })
      )

      it.effect("holds what may have been billed, once a run that repeated is started again to hold", () =>
        Effect.gen(function* () {
          const { store, run, claim, states, settle } = yield* begun(4, { unanswered: "repeat" })
          yield* Effect.all([claim(1), claim(2), claim(3)])
          yield* store.takeOver(run, ["a"])
          yield* claim(3)
          yield* claim(4)
          assert.deepStrictEqual(yield* states, ["pending", "pending", "started", "started"])
          yield* store.createRun(run, { ...settings, unanswered: "hold" }, {})
          assert.deepStrictEqual(yield* states, ["held", "held", "started", "started"])
          // The process began these calls while the run repeated.
          yield* settle(3, { ...unavailable(yield* store.now), billing: "unknown" })
          yield* settle(4, unavailable(yield* store.now))
          assert.deepStrictEqual(yield* states, ["held", "held", "held", "pending"])
        })
      )

      it.effect("counts what became of the files, and streams them in order", () =>
        Effect.gen(function* () {
          const { store, run, claim, settle } = yield* begun(2_001)
          yield* Effect.all([claim(1), claim(2), claim(2_001)])
          yield* Effect.all([settle(1, done(3)), settle(2, poison), settle(2_001, done(4))])
          yield* claim(3)
          const status = yield* store.status(run)
          assert.deepStrictEqual(status.counts, { pending: 1_997, started: 1, done: 2, failed: 1, held: 0 })
          assert.strictEqual(status.credits, 7)
          const seqs = yield* Stream.runCollect(Stream.map(store.files(run), ({ seq }) => seq))
          assert.deepStrictEqual(
            [...seqs],
            Array.from({ length: 2_001 }, (_, index) => index + 1)
          )
          const some = yield* Stream.runCollect(Stream.map(store.files(run, ["done", "started"]), ({ seq }) => seq))
          assert.deepStrictEqual([...some], [1, 3, 2_001])
        })
      )
    })
  })
}
