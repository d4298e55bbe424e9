/**
 * Runs the process of one model as {@link step} says.
 */
import * as MonotonicClock from "@effect-speech/common/MonotonicClock"
import type { ModelStatus } from "@effect-speech/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { type HostOptions, type HostProcess, startHost } from "../host/hostProcess.js"
import type { Outcome, Recognise, Speak, Withdraw, Work } from "../host/protocol.js"
import {
  type Action,
  type Event,
  type Failure,
  initial,
  type Piece,
  type Rules,
  type State,
  step,
  wakeAt
} from "./machine.js"
import { makeModelLog } from "./modelLog.js"

/** A piece of work without its number. */
export type Job = Omit<Recognise, "task"> | Omit<Speak, "task">

/** A request's place in a model. */
export interface Place {
  /** Has a piece of work done, in its turn. An interruption withdraws it: if it is being done, nobody gets the outcome. */
  readonly run: (job: Job) => Effect.Effect<Outcome, Failure>
}

export interface Supervised {
  /** A place until the end of the scope. Starts the process, if it does not run. */
  readonly enter: Effect.Effect<Place, Failure, Scope.Scope>
  /** Waits until few long requests are in, and keeps others out until the end of the scope. For a request that has entered. */
  readonly enterLong: Effect.Effect<void, never, Scope.Scope>
  /** Waits until the model is loaded. Starts the process, if it does not run. */
  readonly load: Effect.Effect<void, Failure>
  readonly status: Effect.Effect<Omit<ModelStatus, "name" | "operation">>
}

export interface SuperviseOptions extends HostOptions {
  /** Of the model, for the log. */
  readonly name: string
  readonly rules: Rules
}

/** Long requests of a model that are read at once. Each holds about 7 MB: four pieces. */
const mostLong = 8

/** For a request that outlives the engine. */
const closed: Failure = { reason: "Unavailable", cause: "The engine has ended." }

type Exit<A> = Effect.Effect<A, Failure>

/** Who waits for an answer, by number. Each is answered once. */
const makeWaiting = <A>() => {
  const waiting = new Map<number, (exit: Exit<A>) => void>()
  return {
    add: (number: number, resume: (exit: Exit<A>) => void) => void waiting.set(number, resume),
    remove: (number: number) => void waiting.delete(number),
    answer: (number: number, exit: Exit<A>) => {
      waiting.get(number)?.(exit)
      waiting.delete(number)
    },
    answerAll: (exit: Exit<A>) => {
      for (const resume of waiting.values()) resume(exit)
      waiting.clear()
    }
  }
}

/** Calls `ring` at the time that was set last, in milliseconds of a clock that never jumps. */
const makeAlarm = (ring: () => void) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const now = () => MonotonicClock.unsafeMillis(clock)
    let alarm: { readonly at: number; readonly fiber: Fiber.RuntimeFiber<void> } | undefined
    const set = (at: number | undefined) => {
      if (at === alarm?.at) return
      if (alarm !== undefined) runFork(Fiber.interruptFork(alarm.fiber))
      alarm = undefined
      if (at === undefined) return
      const rings = Effect.sync(() => {
        alarm = undefined
        ring()
      })
      alarm = { at, fiber: runFork(Effect.zipRight(Clock.sleep(Math.max(0, at - now())), rings)) }
    }
    return { now, set }
  })

/** The process of the model, which is started again and again. */
const makeProcess = (options: HostOptions, dispatch: (event: Event) => void) => {
  let process: HostProcess | undefined
  const stopping = new Set<Promise<void>>()
  const stop = () => {
    const stopped = process?.stop() ?? Promise.resolve()
    stopping.add(stopped)
    void stopped.then(() => stopping.delete(stopped))
  }
  return {
    start: (host: number) => {
      process = startHost(options, {
        onLoaded: () => dispatch({ _tag: "Loaded", host }),
        onOutcome: (outcome) => dispatch({ _tag: "Done", host, outcome }),
        onEnded: (ending) => dispatch({ _tag: "Ended", host, ending })
      })
    },
    send: (message: Work | Withdraw) => process?.send(message),
    stop,
    /** Waits for all that were started. */
    end: () => {
      stop()
      return Promise.all(stopping)
    }
  }
}

const statusOf = ({ cause, phase, rejected, requests, restarts, ...state }: State) => {
  const running = new Set(state.running.flatMap(({ request, wanted }) => (wanted ? [request] : []))).size
  return {
    state: phase._tag === "waiting" ? ("restarting" as const) : phase._tag,
    ...(cause !== "" && { reason: cause }),
    running,
    queued: requests.size - running,
    rejected,
    restarts
  }
}

interface Performers {
  readonly process: ReturnType<typeof makeProcess>
  /** Who waits to enter, or for the model to be loaded. */
  readonly requests: ReturnType<typeof makeWaiting<void>>
  readonly pieces: ReturnType<typeof makeWaiting<Outcome>>
  /** The work of the pieces that are not done: one may be sent again. */
  readonly jobs: Map<Piece, Job>
}

const performWith =
  ({ jobs, pieces, process, requests }: Performers) =>
  (action: Action): void => {
    switch (action._tag) {
      case "Start":
        process.start(action.host)
        break
      case "Stop":
        process.stop()
        break
      case "Send": {
        const job = jobs.get(action.piece)
        if (job !== undefined) process.send({ ...job, task: action.piece })
        break
      }
      case "Admit":
        requests.answer(action.request, Effect.void)
        break
      case "Reject":
        requests.answer(action.request, Effect.fail(action.failure))
        break
      case "Deliver":
        pieces.answer(action.piece, Effect.succeed(action.outcome))
        jobs.delete(action.piece)
        break
      case "Fail":
        pieces.answer(action.piece, Effect.fail(action.failure))
        jobs.delete(action.piece)
    }
  }

/** Supervises a model until the end of the scope. Its process starts when it is needed. */
export const supervise = (options: SuperviseOptions): Effect.Effect<Supervised, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { name, rules, ...hostOptions } = options
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const sentencesOf = makeModelLog(name, rules.places)
    let state = initial
    let isClosed = false
    let numbers = 0
    const requests = makeWaiting<void>()
    const pieces = makeWaiting<Outcome>()
    const long = yield* Effect.makeSemaphore(mostLong)
    const jobs = new Map<Piece, Job>()

    /** No action leads to another event at once. */
    const dispatch = (event: Event): void => {
      if (isClosed) {
        requests.answerAll(Effect.fail(closed))
        pieces.answerAll(Effect.fail(closed))
        return
      }
      const next = step(rules, state, event, alarm.now())
      for (const sentence of sentencesOf(state, next.state)) runFork(Effect.logWarning(sentence))
      state = next.state
      for (const action of next.actions) perform(action)
      alarm.set(wakeAt(state))
    }
    const process = makeProcess(hostOptions, dispatch)
    const alarm = yield* makeAlarm(() => dispatch({ _tag: "Wake" }))
    const perform = performWith({ jobs, pieces, process, requests })
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => {
        isClosed = true
        dispatch({ _tag: "Wake" })
        state = initial
        alarm.set(undefined)
        return process.end()
      })
    )

    const leave = (request: number) =>
      Effect.sync(() => {
        requests.remove(request)
        dispatch({ _tag: "Leave", request })
      })
    const ask = (tag: "Enter" | "Load") =>
      Effect.async<number, Failure>((resume) => {
        const request = ++numbers
        requests.add(request, (exit) => resume(Effect.as(exit, request)))
        dispatch({ _tag: tag, request })
        return leave(request)
      })
    const run = (request: number, job: Job) =>
      Effect.async<Outcome, Failure>((resume) => {
        const piece = ++numbers
        pieces.add(piece, resume)
        jobs.set(piece, job)
        dispatch({ _tag: "Ask", request, piece })
        return Effect.sync(() => {
          pieces.remove(piece)
          if (!jobs.delete(piece)) process.send({ _tag: "Withdraw", task: piece })
          dispatch({ _tag: "Withdraw", piece })
        })
      })
    return {
      enter: Effect.map(Effect.acquireRelease(ask("Enter"), leave), (request) => ({ run: (job) => run(request, job) })),
      enterLong: Effect.asVoid(Effect.acquireRelease(Effect.interruptible(long.take(1)), () => long.release(1))),
      load: Effect.asVoid(ask("Load")),
      status: Effect.sync(() => statusOf(state))
    }
  })
