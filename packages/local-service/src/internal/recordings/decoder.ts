import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Probed } from "./probe.js"

/** A block of a recording, mono. */
export interface Block {
  readonly samples: Float32Array
  readonly sampleRate: number
}

type Reply = { readonly block: Block | undefined } | { readonly end: true } | { readonly problem: string }

/** A block, `undefined` if there is none yet, or the end. */
export type Pulled = Block | undefined | "end"

const turns = { call: Effect.unsafeMakeSemaphore(2), drawing: Effect.unsafeMakeSemaphore(1) }

/** What a recording is decoded for: a call of a program, or the waveform of the console. */
export type Purpose = keyof typeof turns

/** Waits until fewer than two recordings are being decoded for calls, or none for a waveform. A call waits for no waveform. */
export const inTurn = (purpose: Purpose): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(Effect.interruptible(turns[purpose].take(1)), () => turns[purpose].release(1)))

/** A decoder that sends no reply for so long is stuck: it replies at least every 256 kB. */
const timeout = "30 seconds"

const resourceLimits = { maxOldGenerationSizeMb: 256 }

/** A job of a thread. */
export interface DecodeTask extends Probed {
  /** The largest number of samples, of all channels. A file of a megabyte can be billions. */
  readonly maximumSamples: number
}

/**
 * Starts a thread that decodes a recording, and ends with the scope. The result pulls the next block. The error is a sentence
 * about the file.
 */
export const openDecoder = (task: DecodeTask): Effect.Effect<Effect.Effect<Pulled, string>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const started = new Worker(new URL("./decodeWorker.js", import.meta.url), {
          execArgv: [],
          resourceLimits,
          workerData: task,
          // Decoders print messages about damaged files; keep them off the program's output.
          stdout: true,
          stderr: true
        })
        started.stdout.resume()
        started.stderr.resume()
        // An `error` event without a listener would end the process.
        return started.on("error", () => undefined)
      }),
      (started) => Effect.promise(() => started.terminate())
    )
    return Effect.async<Pulled, string>((resume) => {
      const onMessage = (reply: Reply) => {
        if ("problem" in reply) finish(Effect.fail(reply.problem))
        else finish(Effect.succeed("end" in reply ? "end" : reply.block))
      }
      const onError = () => finish(Effect.fail("its decoder broke down"))
      const stop = () => thread.off("message", onMessage).off("error", onError).off("exit", onError)
      const finish = (result: Effect.Effect<Pulled, string>) => {
        stop()
        resume(result)
      }
      thread.on("message", onMessage).on("error", onError).on("exit", onError)
      thread.postMessage("next")
      return Effect.sync(stop)
    }).pipe(Effect.timeoutFail({ duration: timeout, onTimeout: () => "its decoder got stuck" }))
  })
