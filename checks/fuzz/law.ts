/** What holds whatever comes, and how it is tried: a few runs in the tests, many in `pnpm verify fuzz`. */
import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"

export interface Law {
  readonly property: FastCheck.IRawProperty<unknown>
  /** How many runs the tests give it, of which the slowest take a millisecond or two. */
  readonly runs: number
}

/** By the sentence that holds. */
export type Laws = Readonly<Record<string, Law>>

/** Laws about one thing, with the servers that they are tried on until the scope closes. */
export type Topic = Effect.Effect<Laws, never, Scope.Scope>

export const law = <Given>(
  runs: number,
  property: FastCheck.IProperty<Given> | FastCheck.IAsyncProperty<Given>
): Law => ({ runs, property: property as FastCheck.IRawProperty<unknown> })

/** Runs effects as a program of its own would, with its clock, whatever a test has. */
export const runnerOf = <R, E>(
  layer: Layer.Layer<R, E>
): Effect.Effect<<A, E2>(effect: Effect.Effect<A, E2, R>) => Promise<A>, never, Scope.Scope> =>
  Effect.map(Effect.orDie(Layer.toRuntime(layer)), (runtime) => (effect) => Runtime.runPromise(runtime)(effect))

export interface Tried {
  readonly runs: number
  readonly seconds: number
  /** The smallest counterexample that was found, and the seed that leads to it again; nothing where the law held. */
  readonly failure: string | undefined
}

/** In milliseconds: what takes longer hangs. */
const patience = 30_000

/**
 * Tries a law as often as the tests do, with one seed after the other for `seconds`, or else with one. What fast-check
 * gives grows larger during the runs of a seed; it is never interrupted, since a run that goes on would meet the next.
 */
export const tryLaw = async ({ property, runs }: Law, seed: number, seconds = 0): Promise<Tried> => {
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1000
  let done = 0
  for (let next = seed; ; next++) {
    const result = await FastCheck.check(property, { seed: next, numRuns: runs, timeout: patience })
    done += result.numRuns
    const failure = result.failed ? (FastCheck.defaultReportMessage(result) ?? "it did not hold") : undefined
    if (failure !== undefined || elapsed() >= seconds) return { runs: done, seconds: elapsed(), failure }
    // A law that waits for nothing would hold up Ctrl-C.
    await setImmediate()
  }
}
