/** How clients are run as processes. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/**
 * @typedef {object} Setting
 * @property {string} url The address of the server.
 * @property {boolean} quick
 * @property {string} folder For files, removed at the end.
 */

/** @param {string} file */
const script = (file) => fileURLToPath(new URL(file, import.meta.url))

/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set()
process.once("exit", () => {
  for (const child of children) child.kill()
})

/** @param {import("node:child_process").ChildProcess} child */
const track = (child) => {
  children.add(child)
  child.once("exit", () => children.delete(child))
}

/** Runs a script to its end. @param {string} file @param {ReadonlyArray<string | number>} parameters @returns {Promise<string>} what it printed */
const runScript = (file, parameters) =>
  new Promise((resolve, reject) => {
    track(
      execFile(process.execPath, [script(file), ...parameters.map(String)], (error, stdout) =>
        error === null ? resolve(stdout) : reject(error)
      )
    )
  })

/** The server as a process of its own; `stop` ends it, and fails if a client sent it what is not HTTP. */
export const startServer = async () => {
  const server = spawn(process.execPath, [script("server.js")], { stdio: ["pipe", "pipe", "inherit"] })
  track(server)
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
 * Runs all clients in turn, round after round, each time as a new process, so that what else the machine does meets
 * them alike, and so does the luck of a process.
 *
 * @template T
 * @param {string} file
 * @param {ReadonlyArray<string>} names
 * @param {number} rounds
 * @param {ReadonlyArray<string | number>} parameters
 * @returns {Promise<(name: string) => ReadonlyArray<T>>} what each printed, as JSON
 */
export const race = async (file, names, rounds, parameters) => {
  /** @type {Map<string, Array<T>>} */
  const results = new Map(names.map((name) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      console.error(`${file} ${name}, round ${round} of ${rounds}`)
      results.get(name)?.push(JSON.parse(await runScript(file, [name, ...parameters])))
    }
  }
  return (name) => choose(Object.fromEntries(results), name)
}

/** @template T @param {Record<string, T>} values @param {string} name @returns {T} */
export const choose = (values, name) => {
  const value = values[name]
  if (value === undefined) throw new RangeError(`There is no ${name} in ${Object.keys(values).join(", ")}.`)
  return value
}
