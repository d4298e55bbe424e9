import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { clearTimeout, setTimeout } from "../realTime.js"

export interface Job {
  readonly ssml: string
  readonly voice: string
  readonly wordsPerMinute: number
  /** Factor that lengthens the engine's speech at the same pitch. */
  readonly stretch: number
}

/** Sample rate of espeak-ng, in Hz. */
export const sampleRate = 22_050

type Reply = { readonly samples: Float32Array } | { readonly problem: string }

/** How long a thread without a service is kept, in milliseconds. */
const spareFor = 10_000

/**
 * Takes the thread of a service that ended, for the next service of this process: a start costs more than a short speech, and
 * tests start many services. The thread does not keep the process alive.
 */
let takeSpare: (() => Worker) | undefined

const start = (): Worker => takeSpare?.() ?? new Worker(new URL("./espeakWorker.js", import.meta.url), { execArgv: [] })

const keepSpare = (thread: Worker): void => {
  const forget = () => {
    clearTimeout(end)
    thread.off("error", forget).off("exit", forget)
    takeSpare = undefined
  }
  const end = setTimeout(() => {
    forget()
    void thread.terminate()
  }, spareFor)
  end.unref()
  thread.unref()
  thread.on("error", forget).on("exit", forget)
  takeSpare = () => {
    forget()
    thread.ref()
    return thread
  }
}

/**
 * Runs the engine in a thread, one job at a time. The first job starts the thread. An interrupted job ends it, because
 * nothing else stops the engine. A failed job ends it too, because the engine may be broken. The next job starts a new
 * thread. The error is the engine's message. An idle thread outlives the scope by {@link spareFor}.
 */
export const makeEspeak: Effect.Effect<(job: Job) => Effect.Effect<Float32Array, string>, never, Scope.Scope> =
  Effect.gen(function* () {
    let worker: Worker | undefined
    let isBusy = false
    const oneAtATime = yield* Effect.makeSemaphore(1)
    const stop = Effect.suspend(() => {
      const running = worker
      worker = undefined
      return running === undefined ? Effect.void : Effect.promise(() => running.terminate())
    })
    const release = Effect.suspend(() => {
      if (worker === undefined || isBusy || takeSpare !== undefined) return stop
      keepSpare(worker)
      return Effect.void
    })
    yield* Effect.addFinalizer(() => release)

    const speak = (job: Job) =>
      Effect.async<Float32Array, string>((resume) => {
        worker ??= start()
        isBusy = true
        const thread = worker
        const onMessage = (reply: Reply) =>
          finish("samples" in reply ? Effect.succeed(reply.samples) : Effect.fail(reply.problem))
        const onError = (error: Error) => finish(Effect.fail(error.message))
        const onExit = () => finish(Effect.fail("its thread ended"))
        const finish = (result: Effect.Effect<Float32Array, string>) => {
          thread.off("message", onMessage).off("error", onError).off("exit", onExit)
          isBusy = false
          resume(result)
        }
        thread.on("message", onMessage).on("error", onError).on("exit", onExit)
        thread.postMessage(job)
        return Effect.suspend(() => {
          thread.off("message", onMessage).off("error", onError).off("exit", onExit)
          return stop
        })
      })
    return (job) => oneAtATime.withPermits(1)(Effect.tapError(speak(job), () => stop))
  })
