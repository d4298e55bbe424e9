/** A law: a property that holds for any input. The tests run each law a few times, `pnpm verify fuzz` many times. */
import { setImmediate } from "node:timers/promises"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { KnownRecordings, LocalService, type LocalServiceOptions } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { cannedVoice } from "effect-speech-test-support/cannedVoice"

export interface Law {
  readonly property: FastCheck.IRawProperty<unknown>
  /** Number of runs in the tests. */
  readonly runs: number
}

/** The laws about one topic, by their sentence, with the servers that they need until the scope closes. */
export type Topic = Effect.Effect<Readonly<Record<string, Law>>, never, Scope.Scope>

export const law = <Given>(
  runs: number,
  property: FastCheck.IProperty<Given> | FastCheck.IAsyncProperty<Given>
): Law => ({ runs, property: property as FastCheck.IRawProperty<unknown> })

/** Runs effects with the live clock, also within a test. */
export const runnerOf = <R, E>(
  layer: Layer.Layer<R, E>
): Effect.Effect<<A, E2>(effect: Effect.Effect<A, E2, R>) => Promise<A>, never, Scope.Scope> =>
  Effect.map(Effect.orDie(Layer.toRuntime(layer)), (runtime) => (effect) => Runtime.runPromise(runtime)(effect))

/** A temporary folder. The scope removes it. */
export const temporaryFolder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()).pipe(
  Effect.provide(NodeFileSystem.layer),
  Effect.orDie
)

/** The local service with a silent voice, and credits for any number of calls. */
export const silentService = (options: LocalServiceOptions = {}) =>
  LocalService.layerWithoutDependencies({ credits: 1e15, ...options }).pipe(
    Layer.provide([cannedVoice(() => new Float32Array(80)), KnownRecordings.layer(), NodeFileSystem.layer])
  )

export interface Tried {
  readonly runs: number
  readonly seconds: number
  /** The smallest counterexample and its seed. `undefined` if the law held. */
  readonly failure: string | undefined
}

/**
 * Runs a law with one seed, or with one seed after the other for `seconds`. The inputs of fast-check grow during the runs of a seed. A
 * run takes at most 30 seconds, and is never interrupted: it would overlap the next one.
 */
export const tryLaw = async ({ property, runs }: Law, seed: number, seconds = 0): Promise<Tried> => {
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1000
  let done = 0
  for (let next = seed; ; next++) {
    const result = await FastCheck.check(property, { seed: next, numRuns: runs, timeout: 30_000 })
    done += result.numRuns
    const failure = result.failed ? (FastCheck.defaultReportMessage(result) ?? "the law did not hold") : undefined
    if (failure !== undefined || elapsed() >= seconds) return { runs: done, seconds: elapsed(), failure }
    // Lets Ctrl-C through, if a law never waits.
    await setImmediate()
  }
}
