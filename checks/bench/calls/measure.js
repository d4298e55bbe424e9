/** What the calls of one client cost, in this process. */
import { speakers, transcribers } from "../clients/index.js"
import { choose } from "../harness.js"

/**
 * @typedef {object} Calls
 * @property {number} cpuMicros A call, user and system, of this process.
 * @property {number} perSecond
 *
 * @typedef {object} Length How long is called.
 * @property {number} warmUpMillis
 * @property {number} warmUpCalls At least, before any is counted, though not for longer than ten times that.
 * @property {number} countedMillis
 */

export const concurrencies = [64, 1]

export const operations = { synthesis: speakers, transcription: transcribers }

/**
 * Each answer is checked: the client's operation fails if it is not the right one.
 *
 * @param {keyof typeof operations} operationName
 * @param {string} name
 * @param {string} url
 * @param {Length} length
 * @returns {Promise<ReadonlyArray<Calls>>} by concurrency
 */
export const measure = async (operationName, name, url, { countedMillis, warmUpCalls, warmUpMillis }) => {
  const operation = await choose(/** @type {Record<string, any>} */ (operations[operationName]), name).start(url)
  /** @type {Array<Calls>} */
  const results = []
  for (const [index, concurrency] of concurrencies.entries()) {
    // What is warm for many is nearly so for one.
    const share = index === 0 ? 1 : 0.25
    const isCold = during(warmUpMillis * share)
    const isPatient = during(10 * warmUpMillis * share)
    let warmedUp = 0
    await operation.repeatedly(concurrency, () => (++warmedUp < warmUpCalls * share ? isPatient() : isCold()))
    let count = 0
    const goesOn = during(countedMillis)
    const cpu = process.cpuUsage()
    const start = performance.now()
    await operation.repeatedly(concurrency, () => {
      if (count > 0 && !goesOn()) return false
      count++
      return true
    })
    const wallMillis = performance.now() - start
    const { system, user } = process.cpuUsage(cpu)
    results.push({ cpuMicros: (user + system) / count, perSecond: (count / wallMillis) * 1000 })
  }
  await operation.close()
  return results
}

/** @param {number} millis */
const during = (millis) => {
  const end = performance.now() + millis
  return () => performance.now() < end
}
