import { Worker } from "node:worker_threads"
import { requestReply } from "@effect-speech/common/RequestReply"
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
    return requestReply<Reply>(thread, "next").pipe(
      Effect.mapError(() => "its decoder broke down"),
      Effect.flatMap((reply): Effect.Effect<Pulled, string> => {
        if ("problem" in reply) return Effect.fail(reply.problem)
        return Effect.succeed("end" in reply ? "end" : reply.block)
      }),
      Effect.timeoutFail({ duration: timeout, onTimeout: () => "its decoder got stuck" })
    )
  })
