/** Requests to a thread that replies to each with one message. */
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"

/**
 * Sends a message to a thread and waits for its reply. Send the next message after the reply. The reply is not checked: `Reply` is what you
 * say it is.
 *
 * Fails with the message of the error if the thread throws one, and with `its thread ended` if it ends or has ended. A message that can't be
 * cloned is a defect.
 *
 * @example
 * ```ts
 * import { Worker } from "node:worker_threads"
 * import { RequestReply } from "@effect-speech/common"
 * import { Effect } from "effect"
 *
 * const source = `const { parentPort } = require("node:worker_threads")
 * parentPort.on("message", (number) => parentPort.postMessage(2 * number))`
 * const thread = new Worker(source, { eval: true })
 *
 * const doubled = RequestReply.requestReply<number>(thread, 21)
 * Effect.runPromise(doubled)
 *   .then(console.log) // 42
 *   .finally(() => thread.terminate())
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const requestReply = <Reply>(thread: Worker, message: unknown): Effect.Effect<Reply, string> =>
  Effect.async((resume) => {
    const onMessage = (reply: Reply) => finish(Effect.succeed(reply))
    const onError = (error: unknown) => finish(Effect.fail(error instanceof Error ? error.message : String(error)))
    const onExit = () => finish(Effect.fail("its thread ended"))
    const stop = () => thread.off("message", onMessage).off("error", onError).off("exit", onExit)
    const finish = (result: Effect.Effect<Reply, string>) => {
      stop()
      resume(result)
    }
    // It has ended, and no event follows.
    if (thread.threadId === -1) return onExit()
    thread.on("message", onMessage).on("error", onError).on("exit", onExit)
    thread.postMessage(message)
    return Effect.sync(stop)
  })
