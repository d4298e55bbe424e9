import { node, runScript, startScript } from "effect-speech-test-support/processes"

export interface Setting {
  /** Too short for conclusions: only shows that everything runs. */
  readonly quick: boolean
}

/** Runs the `measure` of a part in a new process of a runtime, with one client. */
export const measureIn = <T>(runtime: typeof node, part: string, parameters: ReadonlyArray<unknown>): Promise<T> =>
  runScript(new URL("client.js", import.meta.url), [part, JSON.stringify(parameters)], runtime)

/** The same in plain Node. */
export const measureInProcess = <T>(part: string, ...parameters: ReadonlyArray<unknown>): Promise<T> =>
  measureIn(node, part, parameters)

/** Starts the server as a process of its own. `stop` rejects if a client has sent invalid HTTP. */
export const startServer = async () => {
  const { ready: url, stop } = await startScript<string>(new URL("server.js", import.meta.url))
  return {
    url,
    stop: async () => {
      const status = await stop()
      if (status !== 0) throw new Error(`The server ended with ${status}.`)
    }
  }
}
