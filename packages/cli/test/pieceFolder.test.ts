import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { PieceStore } from "@effect-speech/long-form"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { UsageError } from "../src/failure.js"
import { lockName } from "../src/fileLock.js"
import { endingOf, mark, readClaim, writeClaim } from "../src/pieceFolder.js"
import { keepPieces } from "../src/pieces.js"
import { dataFolder, recordingConsole } from "./environment.js"

const pieceName = (piece: number): string => `${piece.toString(16).repeat(64)}.json`
const jobName = (job: string): string => job.repeat(64)

const somePieces = FastCheck.uniqueArray(FastCheck.integer({ min: 0, max: 9 }).map(pieceName))

describe("the end of a job", () => {
  it("removes no piece that another unfinished job has, no piece that it did not use, and no other file", () => {
    FastCheck.assert(
      FastCheck.property(
        somePieces,
        somePieces,
        FastCheck.dictionary(FastCheck.constantFrom("a", "b", "c").map(jobName), somePieces),
        FastCheck.subarray(["notes.txt", mark, lockName, `${"f".repeat(64)}.mp3`]),
        (pieces, used, claims, others) => {
          const contents = { files: [...pieces, ...others], others: [], claims: new Map(Object.entries(claims)) }
          const { claim, claimed, isEmpty, left, remove } = endingOf(contents, jobName("a"), new Set(used))
          const ofOthers = ["b", "c"].flatMap((job) => claims[jobName(job)] ?? [])
          for (const name of remove) {
            expect(used).toContain(name)
            expect(pieces).toContain(name)
            expect(ofOthers).not.toContain(name)
          }
          expect([...remove, ...left].toSorted()).toEqual(pieces.toSorted())
          expect(claimed).toEqual(left.filter((name) => ofOthers.includes(name)))
          for (const name of claim) expect(left).toContain(name)
          expect(isEmpty).toBe(left.length === 0 && others.every((name) => name === mark || name === lockName))
        }
      )
    )
  })

  it("reads from a claim what was written, also behind a line that a killed process did not finish", () => {
    const names = [pieceName(1), pieceName(2)]
    expect(readClaim(writeClaim(names))).toEqual(names)
    expect(readClaim(`${writeClaim(names)}\n${pieceName(3).slice(0, 30)}\n${pieceName(4)}`)).toEqual([
      ...names,
      pieceName(4)
    ])
    expect(readClaim(names.join("\n"))).toBeUndefined()
  })
})

/** The texts of jobs: their pieces overlap, as those of a text that was edited. */
const plans: Record<string, ReadonlyArray<number>> = { a: [0, 1, 2, 3], b: [0, 1, 4, 5], c: [6, 7], d: [3, 7] }

type Step =
  | { readonly what: "run" | "fail" | "kill"; readonly job: string; readonly after: number; readonly link: boolean }
  | { readonly what: "foreign"; readonly piece: number }

const steps = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({
      what: FastCheck.constantFrom("run", "fail", "kill"),
      job: FastCheck.constantFrom("a", "b", "c", "d"),
      after: FastCheck.integer({ min: 0, max: 3 }),
      link: FastCheck.boolean()
    }),
    FastCheck.record({ what: FastCheck.constant("foreign"), piece: FastCheck.integer({ min: 8, max: 12 }) })
  ) as FastCheck.Arbitrary<Step>,
  { maxLength: 12 }
)

const silently = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(recordingConsole, ({ console }) => Effect.withConsole(effect, console))

/** Everything in a folder. A kill leaves it as it is at that moment. */
const snapshotOf = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`)]))

describe("jobs over one folder", () => {
  it.scoped("free the room that a killed command had for its pieces, and say how many paid pieces are lost", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const room = `${folder}/${pieceName(1)}.${crypto.randomUUID()}.part`
      writeFileSync(room, "zeros")
      const work = Effect.gen(function* () {
        expect(existsSync(room)).toBe(false)
        const store = yield* PieceStore
        yield* store.put(pieceName(2), new Uint8Array(1))
        mkdirSync(`${folder}/${pieceName(3)}/not empty`, { recursive: true })
        yield* store.put(pieceName(3), new Uint8Array(1))
      })
      expect(yield* Effect.flip(keepPieces({ folder, job: "a" }, work))).toMatchObject({
        error: { _tag: "PieceStoreError", operation: "put" },
        note: expect.stringMatching(/^1 finished piece is paid and lost\. 1 finished piece is kept in /)
      })
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scoped("remove the folder that the first one made, also if the next one takes it at that moment", () =>
    Effect.gen(function* () {
      const folder = `${yield* dataFolder}/pieces`
      const next = Effect.retry(keepPieces({ folder, job: "a" }, Effect.void), {
        while: ({ _tag }) => _tag === "PieceStoreError",
        schedule: Schedule.forever
      })
      for (let round = 0; round < 5; round++) {
        yield* Effect.all([next, next, next], { concurrency: 3 })
        expect(existsSync(folder)).toBe(false)
      }
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scoped.skipIf(!existsSync("/proc/self"))("fail where the system makes no folder", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(keepPieces({ folder: "/proc/new/pieces", job: "a" }, Effect.void))
      expect(error).toMatchObject({ _tag: "PieceStoreError", code: "ENOENT" })
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scoped.skipIf(process.platform === "win32")("fail if the lock is a pipe, and do not wait for its reader", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      execFileSync("mkfifo", [`${folder}/${lockName}`])
      expect(yield* Effect.flip(keepPieces({ folder, job: "a" }, Effect.void))).toMatchObject({
        code: "ENOTREG",
        message: expect.stringMatching(
          /^Nothing was sent: .* Remove \.speech\.lock in it if no command is running, or /
        )
      })
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.effect(
    "pay for no piece that they have, and remove nothing of each other, whatever ends them",
    () =>
      Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(steps, (history) =>
            Effect.gen(function* () {
              const root = yield* dataFolder
              const folder = `${root}/pieces`
              symlinkSync(folder, `${root}/link`)
              const foreign: Array<string> = []
              /** What each unfinished job has got, and must not pay again. */
              const has = new Map<string, Set<number>>()

              /** Gets the pieces of a job in order, and pays for those that are not there. */
              const work = (job: string, until: number, then: Effect.Effect<void, UsageError>) =>
                Effect.gen(function* () {
                  const store = yield* PieceStore
                  const got = has.get(job) ?? new Set<number>()
                  has.set(job, got)
                  for (const piece of (plans[job] ?? []).slice(0, until)) {
                    const name = pieceName(piece)
                    const found = yield* Effect.orDie(store.get(name))
                    if (Option.isNone(found)) {
                      expect(got, `${job} pays again for ${piece}`).not.toContain(piece)
                      const result = new TextEncoder().encode(JSON.stringify({ text: String(piece), callId: "c" }))
                      yield* Effect.orDie(store.put(name, result))
                    }
                    got.add(piece)
                  }
                  yield* then
                })

              for (const step of history) {
                const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined
                if (step.what === "foreign") {
                  if (!isThere) continue
                  const name = step.piece === 12 ? "notes.txt" : pieceName(step.piece)
                  writeFileSync(`${folder}/${name}`, "mine")
                  foreign.push(name)
                  continue
                }
                const { job, after, what } = step
                const run = (until: number, then: Effect.Effect<void, UsageError>) =>
                  Effect.either(
                    keepPieces({ folder: isThere && step.link ? `${root}/link` : folder, job }, work(job, until, then))
                  )
                if (what === "run") {
                  expect(Either.isRight(yield* run(9, Effect.void))).toBe(true)
                  has.delete(job)
                } else if (what === "fail") {
                  yield* run(after, new UsageError({ message: "no" }))
                } else {
                  const isAt = yield* Deferred.make<void>()
                  const killed = yield* Effect.fork(
                    run(after, Effect.zipRight(Deferred.succeed(isAt, undefined), Effect.never))
                  )
                  yield* Deferred.await(isAt)
                  // Another command over the folder has no chance meanwhile, by any path.
                  const other = yield* Effect.either(keepPieces({ folder: `${root}/link`, job: "a" }, Effect.void))
                  expect(other).toMatchObject(Either.left({ _tag: "PieceStoreError", code: "EBUSY" }))
                  const left = snapshotOf(folder)
                  yield* Fiber.interrupt(killed)
                  mkdirSync(folder, { recursive: true })
                  for (const [name, bytes] of left) writeFileSync(`${folder}/${name}`, bytes)
                }
                const names = statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder)
                for (const name of foreign) expect(names, "a foreign file").toContain(name)
                for (const [unfinished, got] of has) {
                  for (const piece of got) expect(names, `${piece} of ${unfinished}`).toContain(pieceName(piece))
                }
              }
              // When all jobs have ended, the folder is gone, unless a user has a file in it. A job that uses a link removes none.
              for (const job of [...has.keys()]) yield* keepPieces({ folder, job }, work(job, 9, Effect.void))
              yield* keepPieces({ folder, job: "a" }, Effect.void)
              if (foreign.length === 0) expect(readdirSync(root)).toEqual(["link"])
              else
                expect(
                  readdirSync(folder)
                    .filter((name) => !name.startsWith("."))
                    .toSorted()
                ).toEqual([...new Set(foreign)].toSorted())
            }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer), silently, Effect.runPromise)
          ),
          { numRuns: 30, seed: 1 }
        )
      ),
    60_000
  )
})
