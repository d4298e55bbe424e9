import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Outcome {
  /** 0 where every bar was met. */
  readonly status: unknown
  /** What it printed, progress included. */
  readonly output: string
}

/** The short form of a check, as a process of its own over the built packages. */
export const runShortForm = (script: URL, parameters: ReadonlyArray<string> = []): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(process.execPath, [fileURLToPath(script), "--quick", ...parameters], (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : error.code, output: `${stdout}${stderr}` })
    )
  })
