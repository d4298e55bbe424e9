// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
import { speakers, transcribers } from "../clients/index.js"
import { isWhole, transcript } from "../contract.js"

/**
 * @typedef {object} Outcome
 * @property {"value" | "error" | "nothing"} got `nothing` if the call still waits.
 * @property {boolean} right
 * @property {string} what
 * @property {number} millis
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
    const start = performance.now()
    const outcome = await Promise.race([
      operation.once().then(
        (value) => ({ got: /** @type {const} */ ("value"), right: isRight(value), what: show(value) }),
        (error) => ({ got: /** @type {const} */ ("error"), right: false, what: describe(error) })
      ),
      new Promise((resolve) => {
        setTimeout(resolve, timeoutMillis).unref()
      }).then(() => ({ got: /** @type {const} */ ("nothing"), right: false, what: "still waits" }))
    ])
    void operation.close()
    return { ...outcome, millis: performance.now() - start }
  }

  // The first call of a process is slow.
  const [first, ...others] = urls
  return first === undefined ? [] : [await attempt(first), ...(await Promise.all(others.map(attempt)))]
}

/** The class of an error, the beginning of its message, and its cause. @param {any} error */
const describe = (error) => {
  const name = error?._tag ?? error?.constructor?.name ?? typeof error
  const cause = error?.cause?.code ?? error?.cause?.message
  const words = `${error?.message ?? error}${cause === undefined ? "" : ` (${cause})`}`
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, "…")
    .replaceAll(/\s+/g, " ")
  const first = words.length > 70 ? `${words.slice(0, 69)}…` : words
  return `\`${name}\`: ${first.replaceAll("|", "\\|").replaceAll("<", "&lt;")}`
}
