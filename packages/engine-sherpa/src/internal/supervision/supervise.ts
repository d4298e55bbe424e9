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
import type { Outcome, Recognise, Speak } from "../host/protocol.js"
import { type Action, type Event, type Failure, initial, type Piece, type Rules, step, wakeAt } from "./machine.js"

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
  /** Waits until the model is loaded. Starts the process, if it does not run. */
  readonly load: Effect.Effect<void, Failure>
  readonly status: Effect.Effect<Omit<ModelStatus, "name" | "operation">>
}

export interface SuperviseOptions extends Omit<HostOptions, "concurrency"> {
  readonly rules: Rules
}

type Resume<A> = (effect: Effect.Effect<A, Failure>) => void

/** Supervises a model until the end of the scope. Its process starts when it is needed. */
export const supervise = (options: SuperviseOptions): Effect.Effect<Supervised, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { rules, ...hostOptions } = options
    const clock = yield* Effect.clock
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const now = () => MonotonicClock.unsafeMillis(clock)

    let state = initial
    let numbers = 0
    let process: HostProcess | undefined
    const requests = new Map<number, Resume<void>>()
    const pieces = new Map<Piece, { readonly resume: Resume<Outcome>; job: Job | undefined }>()
    const stopping = new Set<Promise<void>>()

    const stop = () => {
      const stopped = process?.stop() ?? Promise.resolve()
      stopping.add(stopped)
      void stopped.then(() => stopping.delete(stopped))
    }
    const start = (host: number) => {
      process = startHost(
        { ...hostOptions, concurrency: rules.concurrency },
        {
          onLoaded: () => dispatch({ _tag: "Loaded", host }),
          onOutcome: (outcome) => dispatch({ _tag: "Done", host, outcome }),
          onEnded: (ending) => dispatch({ _tag: "Ended", host, ending })
        }
      )
    }
    const answer = (request: number, exit: Effect.Effect<void, Failure>) => {
      requests.get(request)?.(exit)
      requests.delete(request)
    }
    const settle = (piece: Piece, exit: Effect.Effect<Outcome, Failure>) => {
      pieces.get(piece)?.resume(exit)
      pieces.delete(piece)
    }
    const send = (piece: Piece) => {
      const work = pieces.get(piece)
      if (work?.job === undefined) return
      process?.send({ ...work.job, task: piece })
      // The samples are in the process now.
      work.job = undefined
    }
    const perform = (action: Action): void => {
      switch (action._tag) {
        case "Start":
          start(action.host)
          break
        case "Stop":
          stop()
          break
        case "Send":
          send(action.piece)
          break
        case "Admit":
          answer(action.request, Effect.void)
          break
        case "Reject":
          answer(action.request, Effect.fail(action.failure))
          break
        case "Deliver":
          settle(action.piece, Effect.succeed(action.outcome))
          break
        case "Fail":
          settle(action.piece, Effect.fail(action.failure))
      }
    }

    let alarm: { readonly at: number; readonly fiber: Fiber.RuntimeFiber<void> } | undefined
    const setAlarm = () => {
      const at = wakeAt(state)
      if (at === alarm?.at) return
      if (alarm !== undefined) runFork(Fiber.interruptFork(alarm.fiber))
      alarm = undefined
      if (at === undefined) return
      const ring = Effect.sync(() => {
        alarm = undefined
        dispatch({ _tag: "Wake" })
      })
      alarm = { at, fiber: runFork(Effect.zipRight(Clock.sleep(Math.max(0, at - now())), ring)) }
    }
    /** No action leads to another event at once. */
    const dispatch = (event: Event): void => {
      const next = step(rules, state, event, now())
      state = next.state
      for (const action of next.actions) perform(action)
      setAlarm()
    }

    yield* Effect.addFinalizer(() =>
      Effect.promise(() => {
        if (alarm !== undefined) runFork(Fiber.interruptFork(alarm.fiber))
        stop()
        return Promise.all(stopping)
      })
    )

    const request = (tag: "Enter" | "Load") =>
      Effect.async<number, Failure>((resume) => {
        const number = ++numbers
        requests.set(number, (exit) => resume(Effect.as(exit, number)))
        dispatch({ _tag: tag, request: number })
        return leave(number)
      })
    const leave = (number: number) =>
      Effect.sync(() => {
        requests.delete(number)
        dispatch({ _tag: "Leave", request: number })
      })
    const run = (number: number, job: Job) =>
      Effect.async<Outcome, Failure>((resume) => {
        const piece = ++numbers
        pieces.set(piece, { resume, job })
        dispatch({ _tag: "Ask", request: number, piece })
        return Effect.sync(() => {
          pieces.delete(piece)
          dispatch({ _tag: "Withdraw", piece })
        })
      })
    return {
      enter: Effect.map(
        Effect.acquireRelease(request("Enter"), leave),
        (number): Place => ({ run: (job) => run(number, job) })
      ),
      load: Effect.asVoid(request("Load")),
      status: Effect.sync(() => {
        const running = [...state.requests.values()].filter(({ started }) => started).length
        return {
          state: state.phase._tag === "waiting" ? "restarting" : state.phase._tag,
          ...(state.cause !== "" && { reason: state.cause }),
          running,
          queued: state.requests.size - running,
          rejected: state.rejected,
          restarts: state.restarts
        }
      })
    }
  })
