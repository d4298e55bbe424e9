// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
import { speakers, transcribers } from "../clients/index.js"
import { isWhole, transcript } from "../contract.js"

/**
 * @typedef {object} Outcome
 * @property {"value" | "error" | "nothing"} got `nothing` if the call still waits.
 * @property {boolean} right
 * @property {string} what The value or the error, in words.
 */

/** @type {{ [name: string]: { clients: Record<string, any>, isRight: (value: any) => boolean, show: (value: any) => string } }} */
const operations = {
  synthesis: { clients: speakers, isRight: isWhole, show: ({ byteLength }) => `${byteLength} bytes` },
  transcription: {
    clients: transcribers,
    isRight: (value) => value === transcript,
    show: (value) => `\`${JSON.stringify(value)}\``
  }
}

/**
 * What a caller gets from one client with its defaults. Calls the first server, then all others at the same time.
 *
 * @param {string} operationName
 * @param {string} name of the client
 * @param {ReadonlyArray<string>} urls of the servers
 * @param {number} timeoutMillis How long to wait for an outcome.
 * @returns {Promise<ReadonlyArray<Outcome>>}
 */
export const measure = async (operationName, name, urls, timeoutMillis) => {
  const { clients, isRight, show } = /** @type {NonNullable<typeof operations[string]>} */ (operations[operationName])

  /** @param {string} url @returns {Promise<Outcome>} */
  const attempt = async (url) => {
    /** @type {import("../clients/operation.js").Operation<any>} */
    const operation = await clients[name].start(url)
    /** @type {Promise<Outcome>} */
    const waited = new Promise((resolve) => {
      setTimeout(() => resolve({ got: "nothing", right: false, what: "still waits" }), timeoutMillis).unref()
    })
    /** @type {Promise<Outcome>} */
    const called = operation.once().then(
      (value) => ({ got: "value", right: isRight(value), what: show(value) }),
      (error) => ({ got: "error", right: false, what: String(error) })
    )
    const outcome = await Promise.race([called, waited])
    void operation.close()
    return outcome
  }

  // The first call of a process is slow.
  const [first, ...others] = urls
  return first === undefined ? [] : [await attempt(first), ...(await Promise.all(others.map(attempt)))]
}
