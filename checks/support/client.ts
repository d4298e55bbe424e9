/** A client as a process of its own, from the built packages: a script that calls `serve` of `serve.js`. */
import { type ScriptProcess, startScript } from "effect-speech-test-support/processes"

interface ClientProcess<Result> extends Pick<ScriptProcess<unknown>, "kill" | "stop"> {
  /** Does its job. */
  readonly work: () => Promise<Result>
}

export const startClient = async <Result>(script: URL, job: object): Promise<ClientProcess<Result>> => {
  const { kill, request, stop } = await startScript(script, [JSON.stringify(job)])
  return { kill, stop, work: () => request<Result>("work") }
}

/** Starts a client, lets it do its job, and ends it. */
export const runClient = async <Result>(script: URL, job: object): Promise<Result> => {
  const { stop, work } = await startClient<Result>(script, job)
  const result = await work()
  await stop()
  return result
}
