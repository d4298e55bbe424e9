/** What a caller gets of a client, with its defaults, from servers that misbehave. */
import { speakers, transcribers } from "../clients/index.js"
import { choose } from "../harness.js"
import { isWhole, transcript } from "../wire.js"

/**
 * @typedef {object} Outcome
 * @property {"value" | "error" | "nothing"} got Nothing, where it still waits.
 * @property {boolean} right
 * @property {string} what
 * @property {number} millis
 *
 * @typedef {object} Target
 * @property {string} url
 * @property {number} patienceMillis How long is waited for an outcome.
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
 * Calls each server once: the first, and then all others at the same time.
 *
 * @param {string} operationName
 * @param {string} name of the client
 * @param {ReadonlyArray<Target>} targets
 * @returns {Promise<ReadonlyArray<Outcome>>}
 */
export const callAll = async (operationName, name, targets) => {
  const { clients, isRight, show } = choose(operations, operationName)

  /** @param {Target} target @returns {Promise<Outcome>} */
  const attempt = async ({ patienceMillis, url }) => {
    /** @type {import("../clients/operation.js").Operation<any>} */
    const operation = await choose(clients, name).start(url)
    const start = performance.now()
    const outcome = await Promise.race([
      operation.once().then(
        (value) => ({ got: /** @type {const} */ ("value"), right: isRight(value), what: show(value) }),
        (error) => ({ got: /** @type {const} */ ("error"), right: false, what: describe(error) })
      ),
      new Promise((resolve) => {
        setTimeout(resolve, patienceMillis).unref()
      }).then(() => ({ got: /** @type {const} */ ("nothing"), right: false, what: "still waits" }))
    ])
    void operation.close()
    return { ...outcome, millis: performance.now() - start }
  }

  // The first call of a process takes long by itself.
  const [first, ...others] = targets
  return first === undefined ? [] : [await attempt(first), ...(await Promise.all(others.map(attempt)))]
}

/** The class of an error and its first words, with what it says of its cause. @param {any} error */
const describe = (error) => {
  const name = error?._tag ?? error?.constructor?.name ?? typeof error
  const cause = error?.cause?.code ?? error?.cause?.message
  const words = `${error?.message ?? error}${cause === undefined ? "" : ` (${cause})`}`
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, "…")
    .replaceAll(/\s+/g, " ")
  const first = words.length > 70 ? `${words.slice(0, 69)}…` : words
  return `\`${name}\`: ${first.replaceAll("|", "\\|").replaceAll("<", "&lt;")}`
}
