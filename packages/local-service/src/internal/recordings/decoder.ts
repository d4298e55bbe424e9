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

/** A block, nothing yet, or the end. */
export type Pulled = Block | undefined | "end"

const turns = Effect.unsafeMakeSemaphore(2)

/** Several at once would only share the processors; the others wait. */
export const inTurn: Effect.Effect<void, never, Scope.Scope> = Effect.asVoid(
  Effect.acquireRelease(Effect.interruptible(turns.take(1)), () => turns.release(1))
)

/** A decoder that is silent for so long is stuck: it answers after 64 kB at the most. */
const patience = "10 seconds"

const resourceLimits = { maxOldGenerationSizeMb: 256 }

/**
 * Decodes a recording block by block as it is asked for, in a thread of its own that ends with the scope. The error is
 * a sentence about the file.
 */
export const openDecoder = (probed: Probed): Effect.Effect<Effect.Effect<Pulled, string>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const started = new Worker(new URL("./decodeWorker.js", import.meta.url), {
          execArgv: [],
          resourceLimits,
          workerData: probed,
          // What decoders say of broken files would be on the program's own output.
          stdout: true,
          stderr: true
        })
        started.stdout.resume()
        started.stderr.resume()
        // Listened to for all its life: an error that nobody hears ends the process.
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
    }).pipe(Effect.timeoutFail({ duration: patience, onTimeout: () => "its decoder got stuck" }))
  })
