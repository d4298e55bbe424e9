/**
 * Progress of the calls that run, on standard error: a line each that changes on a terminal, lines of a log elsewhere.
 */
import { clearScreenDown, moveCursor } from "node:readline"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import { millis as monotonicMillis } from "@effect-speech/common/MonotonicClock"
import * as Printable from "@effect-speech/common/Printable"
import type { CallEvent, CallOptions } from "@effect-speech/transport/CallEvent"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { isQuiet } from "./message.js"

/** How far a call is. Sizes are in bytes, times in milliseconds since some moment. */
export type Stage =
  | { readonly _tag: "Opening" }
  | { readonly _tag: "Sending"; readonly sent: number; readonly total: number | undefined }
  | { readonly _tag: "Waiting"; readonly since: number }
  | { readonly _tag: "Receiving"; readonly received: number; readonly total: number | undefined }
  | { readonly _tag: "Retrying"; readonly attempt: number; readonly at: number }
  | Working

/** A job of many calls. */
interface Working extends Work {
  readonly _tag: "Working"
  /** When the first piece was there, and how long the rest took at that time. `undefined`: it is not known yet. */
  readonly estimate: { readonly leftMillis: number; readonly at: number } | undefined
}

/** How much of a job is done. */
export interface Work {
  readonly done: number
  readonly total: number | undefined
  /** A part of the job in words, such as `12 of 60 minutes`. */
  readonly amount: string
}

/** How wide a bar is, from the widest to none, for a line that must fit. */
const widths = [24, 12, 0]

const bar = (part: number, whole: number, cells: number): string => {
  if (cells === 0) return ""
  const filled = whole === 0 ? cells : Math.min(cells, Math.floor((part / whole) * cells))
  return `${"█".repeat(filled)}${"░".repeat(cells - filled)} `
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const amount = (verb: string, part: number, whole: number | undefined, cells: number): string =>
  whole === undefined
    ? `${verb} ${megabytes(part)}`
    : `${verb} ${bar(part, whole, cells)}${megabytes(part)} of ${megabytes(whole)}`

const seconds = (millis: number): string => `${Math.max(0, Math.round(millis / 1000))} s`

/** A long time in its two largest units. */
export const duration = (millis: number): string => {
  const minutes = Math.round(millis / 60_000)
  if (millis < 90_000) return seconds(millis)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The text of a stage at a time, with a bar of so many cells. */
export const describe = (stage: Stage, now: number, cells = 24): string => {
  switch (stage._tag) {
    case "Opening":
      return "opening"
    case "Sending":
      return amount("sending", stage.sent, stage.total, cells)
    case "Waiting":
      return `waiting for the service, ${seconds(now - stage.since)}`
    case "Receiving":
      return amount("receiving", stage.received, stage.total, cells)
    case "Retrying":
      return `attempt ${stage.attempt} follows in ${seconds(stage.at - now)}`
    case "Working": {
      const { amount, done, estimate, total } = stage
      const left =
        estimate === undefined ? "" : `, about ${duration(Math.max(0, estimate.leftMillis - (now - estimate.at)))} left`
      return `${total === undefined ? "" : bar(done, total, cells)}${amount}${left}`
    }
  }
}

/** The fewest characters that show a name, unless it has fewer. */
const shortestName = 8

/**
 * A line no wider than the terminal. A bar shows nothing that the numbers do not, so it gives way first, then the name, whose
 * end differs most from other names.
 */
export const fitLine = (name: string, stage: Stage, now: number, columns: number): string => {
  const characters = Array.from(name)
  const texts = widths.map((cells) => describe(stage, now, cells))
  const needed = Math.min(shortestName, characters.length) + 2
  const text = texts.find((text) => text.length + needed <= columns) ?? texts.at(-1) ?? ""
  const room = columns - text.length - 2
  if (room < 2) return Array.from(text).slice(0, columns).join("")
  const shown = characters.length > room ? `…${characters.slice(1 - room).join("")}` : name
  return `${shown}  ${text}`
}

const stageAfter = (event: CallEvent, now: number): Stage | undefined => {
  switch (event._tag) {
    case "Uploading":
      return { _tag: "Sending", sent: event.sentBytes, total: event.totalBytes }
    case "Waiting":
      return { _tag: "Waiting", since: now }
    case "Queued":
    case "Answered":
      return undefined
    case "Retrying":
      return { _tag: "Retrying", attempt: event.attempt, at: now + event.delayMillis }
  }
}

/** The line of one call. */
export interface Line {
  readonly onEvent: CallOptions["onEvent"]
  /** The same audio. It counts its bytes for the line. */
  readonly receiving: <E, R>(audio: PcmStream.PcmStream<E, R>) => PcmStream.PcmStream<E, R>
}

/** The line of a job of many calls. */
export interface JobLine {
  /** Shows how much is done. The work of earlier runs does not count for the pace, so it is a number of its own. */
  readonly show: (work: Work, doneBefore: number) => Effect.Effect<void>
}

export interface Progress {
  /** Shows the line of a job until the scope closes. */
  readonly job: (name: string) => Effect.Effect<JobLine, never, Scope.Scope>
  /** Shows a line until the scope closes. */
  readonly line: (name: string) => Effect.Effect<Line, never, Scope.Scope>
  /** Hides the lines while `print` runs. */
  readonly withoutLines: <A, E, R>(print: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** A line on the terminal. */
interface Shown {
  readonly name: string
  stage: Stage
}

const lineOf = (shown: Shown): Line => ({
  onEvent: (event) =>
    Effect.map(monotonicMillis, (now) => {
      shown.stage = stageAfter(event, now) ?? shown.stage
    }),
  receiving: (audio) => {
    let received = 0
    return PcmStream.tap(audio, (bytes) =>
      Effect.sync(() => {
        received += bytes.byteLength
        shown.stage = { _tag: "Receiving", received, total: audio.byteLength }
      })
    )
  }
})

const jobOf = (shown: Shown, startedAt: number): JobLine => ({
  show: (work, doneBefore) =>
    Effect.map(monotonicMillis, (at) => {
      const { done, total } = work
      const own = done - doneBefore
      const leftMillis = total === undefined || own <= 0 ? undefined : ((at - startedAt) * (total - done)) / own
      const estimate = leftMillis === undefined ? undefined : { leftMillis, at }
      shown.stage = { _tag: "Working", ...work, estimate }
    })
})

const opened = (name: string): Shown => ({ name: Printable.line(name), stage: { _tag: "Opening" } })

const silent: Progress = {
  job: () => Effect.succeed({ show: () => Effect.void }),
  line: () => Effect.succeed({ onEvent: undefined, receiving: (audio) => audio }),
  withoutLines: (print) => print
}

/** What ends sooner has no line in a log. */
const untilFirstLine = "2 seconds"

const betweenLines = "10 seconds"

/** Lines of a log. A job speaks for the calls in it, so that a log of many files stays short. */
const logOn = (output: NodeJS.WritableStream): Progress => {
  let openJobs = 0
  const open = (name: string, isJob: boolean) =>
    Effect.gen(function* () {
      const shown = opened(name)
      const startedAt = yield* monotonicMillis
      let isLogged = false
      const write = (describeAt: (now: number) => string) =>
        Effect.map(monotonicMillis, (now) => void output.write(`speech: ${shown.name}: ${describeAt(now)}\n`))
      const log = Effect.suspend(() => {
        if (!isJob && openJobs > 0) return Effect.void
        isLogged = true
        return write((now) => describe(shown.stage, now, 0))
      })
      const logEnd = write((now) => {
        const amount = shown.stage._tag === "Working" ? `${shown.stage.amount}, ` : ""
        return `${amount}ended after ${duration(now - startedAt)}`
      })
      yield* Effect.addFinalizer(() => Effect.suspend(() => (isLogged ? logEnd : Effect.void)))
      yield* Effect.forkScoped(Effect.delay(Effect.repeat(log, Schedule.spaced(betweenLines)), untilFirstLine))
      return shown
    })
  const countJob = Effect.acquireRelease(
    Effect.sync(() => (openJobs += 1)),
    () => Effect.sync(() => (openJobs -= 1))
  )
  return {
    job: (name) => Effect.zipWith(Effect.zipRight(countJob, open(name, true)), monotonicMillis, jobOf),
    line: (name) => Effect.map(open(name, false), lineOf),
    withoutLines: (print) => print
  }
}

/** How many rows a terminal needs for lines that were drawn when it was wider. */
const rowsOf = (lines: ReadonlyArray<string>, columns: number): number =>
  lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(Array.from(line).length / columns)), 0)

/** Draws lines in the place of those before. */
const displayOn = (terminal: NodeJS.WriteStream, { createLogUpdate }: typeof import("log-update")) => {
  // A killed process can't show a hidden cursor again, so it is never hidden.
  const update = createLogUpdate(terminal, { showCursor: true })
  let drawn: ReadonlyArray<string> = []
  let drawnColumns = 0
  const draw = (lines: ReadonlyArray<string>) => {
    const { columns = 80 } = terminal
    // A narrower terminal breaks the lines it has. The library erases as many rows as it wrote.
    if (columns < drawnColumns && drawn.length > 0) {
      moveCursor(terminal, 0, -rowsOf(drawn, columns))
      clearScreenDown(terminal)
      update.done()
    }
    drawn = lines
    drawnColumns = columns
    if (lines.length === 0) update.clear()
    else update(lines.join("\n"))
  }
  const done = () => {
    draw([])
    update.done()
  }
  return { draw, done }
}

/**
 * Lines on a terminal, which disappear when the scope closes. Without a terminal whose cursor moves, they are those of a log, unless
 * the output is JSON: a program reads that.
 */
export const make = (
  terminal: NodeJS.WriteStream,
  { json }: { readonly json: boolean }
): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (yield* FiberRef.get(isQuiet)) return silent
    if (terminal.isTTY !== true || process.env.TERM === "dumb") return json ? silent : logOn(terminal)
    const display = displayOn(terminal, yield* Effect.promise(() => import("log-update")))
    const stages = new Map<symbol, Shown>()

    let isPaused = false
    const draw = Effect.map(monotonicMillis, (now) => {
      if (isPaused) return
      const { columns = 80, rows = 24 } = terminal
      const lines = Array.from(stages.values(), ({ name, stage }) => fitLine(name, stage, now, columns - 1))
      // Lines that scrolled off the screen can't be erased.
      const hidden = lines.length - Math.max(1, rows - 2)
      display.draw(hidden > 0 ? [...lines.slice(0, -hidden), `and ${hidden} more`] : lines)
    })
    yield* Effect.addFinalizer(() => Effect.sync(display.done))
    yield* Effect.forkScoped(Effect.repeat(draw, Schedule.spaced("100 millis")))

    const open = (name: string) =>
      Effect.gen(function* () {
        const id = Symbol()
        const shown = opened(name)
        yield* Effect.acquireRelease(
          Effect.sync(() => stages.set(id, shown)),
          () => Effect.sync(() => stages.delete(id))
        )
        return shown
      })
    const line = (name: string) => Effect.map(open(name), lineOf)
    const job = (name: string) => Effect.zipWith(open(name), monotonicMillis, jobOf)
    const withoutLines = <A, E, R>(print: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          isPaused = true
          display.draw([])
        }),
        () => print,
        () => Effect.sync(() => (isPaused = false))
      )
    return { job, line, withoutLines }
  })
