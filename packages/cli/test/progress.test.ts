import { Writable } from "node:stream"
import { stripVTControlCharacters } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { afterAll, beforeAll, vi } from "vitest"
import { isQuiet } from "../src/message.js"
import * as Progress from "../src/progress.js"

const receive = (line: Progress.Line, bytes: Stream.Stream<Uint8Array>, byteLength: number) =>
  line.receiving(PcmStream.make({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, bytes, { byteLength })).stream

/** What a terminal is to a program that draws on it, which keeps what was drawn. */
const terminalOf = (isTTY: boolean, columns = 100, rows = 30) => {
  let drawn = ""
  const terminal = new Writable({
    write: (chunk, _encoding, done) => {
      drawn += chunk
      done()
    }
  })
  return {
    terminal: Object.assign(terminal, { isTTY, columns, rows }) as unknown as NodeJS.WriteStream,
    /** What was drawn since the last look. */
    take: () => {
      const taken = drawn
      drawn = ""
      return taken
    }
  }
}

// A terminal that can't move its cursor is shown nothing.
beforeAll(() => void vi.stubEnv("TERM", "xterm"))
afterAll(() => vi.unstubAllEnvs())

/** Loads the library that draws, which happens on no test clock. */
const ready = Effect.promise(() => import("log-update"))

/** `shown` is what is drawn in the next tenth of a second. */
const progressOnTerminal = Effect.gen(function* () {
  yield* ready
  const { take, terminal } = terminalOf(true)
  const shown = Effect.zipRight(
    TestClock.adjust("100 millis"),
    Effect.sync(() => stripVTControlCharacters(take()).trim())
  )
  return { progress: yield* Progress.make(terminal, { json: false }), shown, take }
})

describe("progress", () => {
  it.effect("shows each call by its name: sending, waiting, the next attempt, receiving", () =>
    Effect.gen(function* () {
      const { progress, shown, take } = yield* progressOnTerminal
      const line = yield* progress.line("call\u001b[2J.wav")
      const event = line.onEvent ?? (() => Effect.void)

      expect(yield* shown).toBe("call\\u001b[2J.wav  opening")
      yield* event({ _tag: "Uploading", attempt: 1, sentBytes: 6_000_000, totalBytes: 12_000_000 })
      expect(yield* shown).toBe("call\\u001b[2J.wav  sending ████████████░░░░░░░░░░░░ 6.0 MB of 12.0 MB")
      yield* event({ _tag: "Uploading", attempt: 1, sentBytes: 7_000_000, totalBytes: undefined })
      expect(yield* shown).toBe("call\\u001b[2J.wav  sending 7.0 MB")
      yield* event({ _tag: "Waiting", attempt: 1 })
      yield* TestClock.adjust("12 seconds")
      take()
      yield* event({ _tag: "Waiting", attempt: 1 })
      yield* TestClock.adjust("3 seconds")
      expect(yield* shown).toContain("call\\u001b[2J.wav  waiting for the service, 3 s")
      yield* event({ _tag: "Retrying", attempt: 2, delayMillis: 2100 })
      expect(yield* shown).toBe("call\\u001b[2J.wav  attempt 2 follows in 2 s")
      yield* Stream.runDrain(receive(line, Stream.make(new Uint8Array(500_000)), 2_000_000))
      expect(yield* shown).toBe("call\\u001b[2J.wav  receiving ██████░░░░░░░░░░░░░░░░░░ 0.5 MB of 2.0 MB")
    }).pipe(Effect.scoped)
  )

  it.effect("shows how much of a long job is done, and how long the rest takes at the pace of this run", () =>
    Effect.gen(function* () {
      const { progress, shown, take } = yield* progressOnTerminal
      const job = yield* progress.job("book.wav")
      expect(yield* shown).toBe("book.wav  opening")
      yield* job.show({ done: 500, total: 2000, amount: "500 of 2,000 code points" }, 500)
      expect(yield* shown).toBe("book.wav  ██████░░░░░░░░░░░░░░░░░░ 500 of 2,000 code points")
      yield* TestClock.adjust("5800 millis")
      take()
      yield* job.show({ done: 1000, total: 2000, amount: "1,000 of 2,000 code points" }, 500)
      expect(yield* shown).toBe("book.wav  ████████████░░░░░░░░░░░░ 1,000 of 2,000 code points, about 12 s left")
      yield* TestClock.adjust("6 seconds")
      expect(take()).toContain("about 6 s left")
      yield* job.show({ done: 1500, total: undefined, amount: "1.5 minutes" }, 0)
      expect(yield* shown).toBe("book.wav  1.5 minutes")
    }).pipe(Effect.scoped)
  )

  it.effect("draws no line that is wider than the terminal, and no more of them than it has", () =>
    Effect.gen(function* () {
      yield* ready
      const { take, terminal } = terminalOf(true, 30, 6)
      const progress = yield* Progress.make(terminal, { json: false })
      for (let call = 1; call <= 9; call++) yield* progress.line(`recordings/of/a/long/name/${call}.wav`)
      yield* TestClock.adjust("1 second")
      const drawn = stripVTControlCharacters(take()).trim().split("\n")
      const lines = [1, 2, 3, 4].map((call) => `…f/a/long/name/${call}.wav  opening`)
      expect(drawn).toEqual([...lines, "and 5 more"])
    }).pipe(Effect.scoped)
  )

  it.each([
    [100, "recordings/book.wav  █████░░░░░░░░░░░░░░░░░░░ 15,000 of 60,224 code points, about 5 min left"],
    [80, "recordings/book.wav  ██░░░░░░░░░░ 15,000 of 60,224 code points, about 5 min left"],
    [60, "…gs/book.wav  15,000 of 60,224 code points, about 5 min left"],
    [50, "…v  15,000 of 60,224 code points, about 5 min left"],
    [40, "15,000 of 60,224 code points, about 5 mi"]
  ])("keeps the numbers in a line of %i columns, and gives up the bar, then the name", (columns, line) => {
    const stage = {
      _tag: "Working",
      done: 15_000,
      total: 60_224,
      amount: "15,000 of 60,224 code points",
      estimate: { leftMillis: 300_000, at: 0 }
    } as const
    expect(Progress.fitLine("recordings/book.wav", stage, 0, columns)).toBe(line)
    expect(Array.from(line).length).toBeLessThanOrEqual(columns)
  })

  it.effect("leaves nothing on the terminal, and gives the cursor back", () =>
    Effect.gen(function* () {
      yield* ready
      const { take, terminal } = terminalOf(true)
      const scope = yield* Scope.make()
      const progress = yield* Scope.extend(Progress.make(terminal, { json: false }), scope)
      yield* Effect.scoped(Effect.zipRight(progress.line("a.wav"), TestClock.adjust("1 second")))
      expect(take()).toContain("a.wav")
      yield* progress.withoutLines(Effect.sync(() => terminal.write("result\n")))
      expect(stripVTControlCharacters(take())).toBe("result\n")
      const other = yield* Scope.extend(progress.line("b.wav"), scope)
      yield* progress.withoutLines(
        Effect.gen(function* () {
          yield* other.onEvent?.({ _tag: "Waiting", attempt: 1 }) ?? Effect.void
          yield* TestClock.adjust("1 second")
          expect(stripVTControlCharacters(take())).toBe("")
        })
      )
      yield* TestClock.adjust("1 second")
      expect(take()).toContain("b.wav")
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 second")
      expect(stripVTControlCharacters(take())).toBe("")
    })
  )

  it.effect("erases every row that its lines have after the terminal was made narrower", () =>
    Effect.gen(function* () {
      yield* ready
      const { take, terminal } = terminalOf(true, 100)
      const progress = yield* Progress.make(terminal, { json: false })
      yield* progress.line("a".repeat(60))
      yield* progress.line("b.wav")
      yield* TestClock.adjust("100 millis")
      expect(stripVTControlCharacters(take())).toBe(`${"a".repeat(60)}  opening\nb.wav  opening\n`)

      terminal.columns = 30
      yield* TestClock.adjust("100 millis")
      const narrow = take()
      // 69 characters have 3 rows of 30, and 14 have one.
      expect(narrow.startsWith("\u001b[4A\u001b[0J")).toBe(true)
      expect(stripVTControlCharacters(narrow)).toBe(`…${"a".repeat(19)}  opening\nb.wav  opening\n`)

      terminal.columns = 20
      yield* progress.withoutLines(Effect.sync(() => expect(take().slice(0, 8)).toBe("\u001b[3A\u001b[0J")))
    }).pipe(Effect.scoped)
  )
})

describe("without a terminal", () => {
  const waited = (time: Duration.DurationInput, take: () => string) => Effect.map(TestClock.adjust(time), take)

  it.effect("a job has a line after 2 s, one each 10 s, and one at its end", () =>
    Effect.gen(function* () {
      const { take, terminal } = terminalOf(false)
      const progress = yield* Progress.make(terminal, { json: false })
      yield* Effect.gen(function* () {
        const job = yield* progress.job("book\u001b[2J.wav")
        yield* job.show({ done: 0, total: 100, amount: "0 of 100 minutes" }, 0)
        expect(yield* waited("1900 millis", take)).toBe("")
        expect(yield* waited("100 millis", take)).toBe("speech: book\\u001b[2J.wav: 0 of 100 minutes\n")
        yield* job.show({ done: 1, total: 100, amount: "1 of 100 minutes" }, 0)
        expect(yield* waited("9 seconds", take)).toBe("")
        expect(yield* waited("1 second", take)).toMatch(/^speech: .*: 1 of 100 minutes, about 3 min left\n$/)
        yield* job.show({ done: 2, total: 100, amount: "2 of 100 minutes" }, 0)
        yield* TestClock.adjust("1 second")
      }).pipe(Effect.scoped)
      expect(take()).toMatch(/^speech: .*: 2 of 100 minutes, ended after 13 s\n$/)
    }).pipe(Effect.scoped)
  )

  it.effect("a call alone has lines, and the calls of a job none", () =>
    Effect.gen(function* () {
      const { take, terminal } = terminalOf(false)
      const progress = yield* Progress.make(terminal, { json: false })
      yield* Effect.gen(function* () {
        const line = yield* progress.line("a.wav")
        yield* line.onEvent?.({ _tag: "Uploading", attempt: 1, sentBytes: 6_000_000, totalBytes: 12_000_000 }) ??
          Effect.void
        expect(yield* waited("2 seconds", take)).toBe("speech: a.wav: sending 6.0 MB of 12.0 MB\n")
      }).pipe(Effect.scoped)
      expect(take()).toBe("speech: a.wav: ended after 2 s\n")

      const job = yield* progress.job("folder")
      yield* job.show({ done: 1, total: 2, amount: "1 of 2 recordings" }, 0)
      yield* Effect.scoped(Effect.zipRight(progress.line("b.wav"), TestClock.adjust("5 seconds")))
      expect(take()).toMatch(/^speech: folder: 1 of 2 recordings.*\n$/)
    }).pipe(Effect.scoped)
  )

  it.effect("a short call prints nothing, and what receives it changes nothing", () =>
    Effect.gen(function* () {
      const { take, terminal } = terminalOf(false)
      yield* Effect.gen(function* () {
        const line = yield* (yield* Progress.make(terminal, { json: false })).line("a.wav")
        const bytes = Stream.make(new Uint8Array([1, 2]))
        const received = Chunk.toReadonlyArray(yield* Stream.runCollect(receive(line, bytes, 2)))
        expect(received).toEqual([new Uint8Array([1, 2])])
        yield* TestClock.adjust("1 second")
      }).pipe(Effect.scoped)
      expect(take()).toBe("")
    })
  )

  it.effect.each([
    { option: "--quiet", quiet: true, json: false },
    { option: "--json", quiet: false, json: true }
  ])("nothing is printed with $option", ({ json, quiet }) =>
    Effect.gen(function* () {
      const { take, terminal } = terminalOf(false)
      yield* Effect.gen(function* () {
        const progress = yield* Progress.make(terminal, { json })
        yield* progress.job("book.wav")
        yield* progress.line("a.wav")
        yield* TestClock.adjust("30 seconds")
      }).pipe(Effect.scoped, Effect.locally(isQuiet, quiet))
      expect(take()).toBe("")
    })
  )
})
