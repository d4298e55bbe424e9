// Plain JavaScript: measured processes run without a compiler.
/** A process that is started with a job, as JSON, and answers messages. */

/** @returns {any} */
export const readJob = () => JSON.parse(process.argv[2] ?? "{}")

/**
 * Makes this process answer each message by what `handle` returns, one at a time, until its channel is closed. It sends `ready` first.
 *
 * @param {(message: any) => unknown} handle
 * @param {{ readonly ready?: unknown, readonly end?: () => unknown }} [options]
 */
export const serve = (handle, { end, ready = "ready" } = {}) => {
  process.on("message", async (message) => process.send?.((await handle(message)) ?? null))
  process.once("disconnect", async () => {
    await end?.()
    process.exit(0)
  })
  process.send?.(ready)
}

/** User and system time of this process so far, in microseconds. */
export const cpuMicros = () => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/** User and system time of this process during some work, in microseconds. @param {() => unknown} work */
export const cpuMicrosOf = async (work) => {
  const before = cpuMicros()
  await work()
  return cpuMicros() - before
}
