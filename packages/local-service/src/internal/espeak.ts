import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** espeak-ng's own rate. */
export const sampleRate = 22050

export interface Job {
  readonly ssml: string
  readonly voice: string
  readonly wordsPerMinute: number
}

type Reply = { readonly samples: Int16Array } | { readonly problem: string }

/**
 * The engine in its thread. It starts with the first job and speaks one text at a time; a job that is given up ends
 * the thread, since nothing else stops the engine, and the next job starts a new one.
 */
export const makeEspeak: Effect.Effect<(job: Job) => Effect.Effect<Int16Array>, never, Scope.Scope> = Effect.gen(
  function* () {
    let worker: Worker | undefined
    const one = yield* Effect.makeSemaphore(1)
    const stop = Effect.suspend(() => {
      const running = worker
      worker = undefined
      return running === undefined ? Effect.void : Effect.promise(() => running.terminate())
    })
    yield* Effect.addFinalizer(() => stop)

    const speak = (job: Job) =>
      Effect.async<Int16Array>((resume) => {
        worker ??= new Worker(new URL("./espeakWorker.js", import.meta.url), { execArgv: [] })
        const thread = worker
        const finish = (result: Effect.Effect<Int16Array>) => {
          thread.off("message", onMessage).off("error", onError)
          resume(result)
        }
        const onMessage = (reply: Reply) =>
          finish("samples" in reply ? Effect.succeed(reply.samples) : Effect.dieMessage(reply.problem))
        const onError = (error: Error) => {
          worker = undefined
          finish(Effect.die(error))
        }
        thread.on("message", onMessage).on("error", onError)
        thread.postMessage(job)
        return stop
      })
    return (job) => one.withPermits(1)(speak(job))
  }
)
