/** How clients are run as processes, in turn. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/**
 * @typedef {object} Setting
 * @property {boolean} quick Too short for conclusions: it only shows that all of it runs.
 */

/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set()
process.once("exit", () => {
  for (const child of children) child.kill()
})

/** @template {import("node:child_process").ChildProcess} Child @param {Child} child */
export const track = (child) => {
  children.add(child)
  child.once("exit", () => children.delete(child))
  return child
}

/**
 * Runs a script of plain Node to its end.
 *
 * @template T
 * @param {URL} script
 * @param {ReadonlyArray<string | number>} parameters
 * @returns {Promise<T>} what it printed, as JSON
 */
export const runScript = (script, parameters) =>
  new Promise((resolve, reject) => {
    track(
      execFile(
        process.execPath,
        [fileURLToPath(script), ...parameters.map(String)],
        { maxBuffer: 2 ** 26 },
        (error, stdout) => (error === null ? resolve(JSON.parse(stdout)) : reject(error))
      )
    )
  })

/** The server as a process of its own; `stop` ends it, and fails if a client sent it what is not HTTP. */
export const startServer = async () => {
  const script = fileURLToPath(new URL("server.js", import.meta.url))
  const server = track(spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] }))
  const exited = once(server, "exit")
  const [url] = await Promise.race([
    once(createInterface(server.stdout), "line"),
    exited.then(() => Promise.reject(new Error("The server did not start.")))
  ])
  const stop = async () => {
    server.stdin.end()
    const [status] = await exited
    if (status !== 0) throw new Error(`The server ended with ${status}.`)
  }
  return { stop, url: String(url) }
}

/**
 * Runs all contestants in turn, round after round, so that what else the machine does meets them alike. Each run should
 * be a new process, so that the luck of a process does too.
 *
 * @template T
 * @param {ReadonlyArray<string>} names
 * @param {number} rounds
 * @param {(name: string) => Promise<T>} run
 * @returns {Promise<(name: string) => ReadonlyArray<T>>}
 */
export const race = async (names, rounds, run) => {
  /** @type {Map<string, Array<T>>} */
  const results = new Map(names.map((name) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      console.error(`${name}, round ${round} of ${rounds}`)
      results.get(name)?.push(await run(name))
    }
  }
  return (name) => choose(Object.fromEntries(results), name)
}

/** @template T @param {Record<string, T>} values @param {string} name @returns {T} */
export const choose = (values, name) => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined) throw new RangeError(`There is no ${name} in ${Object.keys(values).join(", ")}.`)
  return value
}
