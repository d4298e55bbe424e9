// sherpa-onnx settles no promise of a speech if its thread fails, as on a token that the network does not have. The piece of work would
// never end. Node's hooks see the end of the thread.
import { createHook } from "node:async_hooks"

/** Milliseconds from the end of a thread to its result, which comes with the next turns of the event loop. */
const resultDelay = 1000

/** The threads that speak, by their numbers. @type {Map<number, () => void>} */
const threads = new Map()
let newest = 0

createHook({
  init: (id, type) => {
    if (type === "TtsGenerateWorker") newest = id
  },
  after: (id) => threads.get(id)?.()
}).enable()

/**
 * The result of a speech. Fails with an empty message if its thread ends without one: the reason is on standard error.
 *
 * @template Speech
 * @param {() => Promise<Speech>} generate
 * @returns {Promise<Speech>}
 */
export const speechOf = (generate) =>
  new Promise((resolve, reject) => {
    newest = 0
    const generated = generate()
    const thread = newest
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    threads.set(thread, () => {
      threads.delete(thread)
      timer = setTimeout(() => reject(new Error("")), resultDelay)
    })
    generated.then(resolve, reject).finally(() => clearTimeout(timer))
  })
