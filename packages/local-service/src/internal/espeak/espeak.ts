import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { requestReply } from "@effect-speech/common/RequestReply"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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

/** As many as can run at a time. */
const threads = availableParallelism()

/** How long a thread without a service is kept, in milliseconds. */
const spareFor = 10_000

/**
 * Each takes a thread of a service that ended, for the next service of this process: a start costs more than a short speech, and
 * tests start many services. The threads do not keep the process alive.
 */
const takeSpare: Array<() => Worker> = []

const start = (): Worker =>
  takeSpare.at(-1)?.() ?? new Worker(new URL("./espeakWorker.js", import.meta.url), { execArgv: [] })

const keepSpare = (thread: Worker): void => {
  const forget = () => {
    clearTimeout(end)
    thread.off("error", forget).off("exit", forget)
    takeSpare.splice(takeSpare.indexOf(take), 1)
  }
  const take = () => {
    forget()
    thread.ref()
    return thread
  }
  const end = setTimeout(() => {
    forget()
    void thread.terminate()
  }, spareFor)
  end.unref()
  thread.unref()
  thread.on("error", forget).on("exit", forget)
  takeSpare.push(take)
}

/**
 * Runs the engine in a pool of threads, one job at a time in each. A thread starts with the first job that finds all others busy.
 * An interrupted job ends its thread, because nothing else stops the engine. A failed job ends it too, because the engine may be
 * broken. The error is the engine's message. An idle thread outlives the scope by {@link spareFor}.
 */
export const makeEspeak: Effect.Effect<(job: Job) => Effect.Effect<Float32Array, string>, never, Scope.Scope> =
  Effect.gen(function* () {
    const idle: Array<Worker> = []
    let isClosed = false
    const permits = yield* Effect.makeSemaphore(threads)
    const putBack = (thread: Worker): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (!isClosed) idle.push(thread)
        else if (takeSpare.length < threads) keepSpare(thread)
        else return terminate(thread)
        return Effect.void
      })
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        return Effect.forEach(idle.splice(0), putBack, { discard: true })
      })
    )
    return (job) =>
      Effect.acquireUseRelease(
        // The latest is taken first, so that no more threads start than are busy at a time.
        Effect.sync(() => idle.pop() ?? start()),
        (thread) => speak(thread, job),
        (thread, exit) => (Exit.isSuccess(exit) ? putBack(thread) : terminate(thread))
      ).pipe(permits.withPermits(1))
  })

const terminate = (thread: Worker): Effect.Effect<void> => Effect.promise(() => thread.terminate())

const speak = (thread: Worker, job: Job): Effect.Effect<Float32Array, string> =>
  Effect.flatMap(requestReply<Reply>(thread, job), (reply) =>
    "samples" in reply ? Effect.succeed(reply.samples) : Effect.fail(reply.problem)
  )
