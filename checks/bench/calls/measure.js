// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
import { speakers, transcribers } from "../clients/index.js"

/**
 * @typedef {object} Calls
 * @property {number} cpuMicros User and system time of this process for one call.
 * @property {number} perSecond
 *
 * @typedef {object} Length
 * @property {number} warmUpMillis
 * @property {number} warmUpCalls At least, but for at most ten times `warmUpMillis`.
 * @property {number} countedMillis
 */

export const concurrencies = [64, 1]

export const operations = { synthesis: speakers, transcription: transcribers }

/**
 * What the calls of one client cost, in this process. Fails if a response is wrong.
 *
 * @param {keyof typeof operations} operationName
 * @param {string} name
 * @param {string} url
 * @param {Length} length
 * @returns {Promise<ReadonlyArray<Calls>>} For each concurrency.
 */
export const measure = async (operationName, name, url, { countedMillis, warmUpCalls, warmUpMillis }) => {
  const operation = await /** @type {Record<string, any>} */ (operations[operationName])[name].start(url)
  /** @type {Array<Calls>} */
  const results = []
  for (const [index, concurrency] of concurrencies.entries()) {
    // After the first concurrency the process is nearly warm.
    const share = index === 0 ? 1 : 0.25
    const isCold = during(warmUpMillis * share)
    const mayWarmUp = during(10 * warmUpMillis * share)
    let warmedUp = 0
    await operation.repeat(concurrency, () => (++warmedUp < warmUpCalls * share ? mayWarmUp() : isCold()))
    let count = 0
    const isCounted = during(countedMillis)
    const cpu = process.cpuUsage()
    const start = performance.now()
    await operation.repeat(concurrency, () => {
      if (count > 0 && !isCounted()) return false
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
