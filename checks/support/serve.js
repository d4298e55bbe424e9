// Plain JavaScript: measured processes run without a compiler.
/** The JSON that the process was started with. @type {any} */
export const job = JSON.parse(process.argv[2] ?? "{}")

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

/** User and system time of this process during some work. @param {() => unknown} work @returns {Promise<number>} In microseconds. */
export const cpuMicrosOf = async (work) => {
  const before = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(before)
  return system + user
}
