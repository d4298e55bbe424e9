/** Commands and Node scripts as processes. They end with this process, with everything that they have started. */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

const children = new Set<ChildProcess>()
const killAll = () => {
  for (const child of children) killGroup(child)
}
process.once("exit", killAll)
process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const killGroup = ({ pid }: ChildProcess) => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // All its processes have ended.
  }
}

/** A temporary folder, which is removed when this process ends, however it ends. */
export const temporaryFolder = (prefix: string): string => {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  process.once("exit", () => {
    killAll()
    // A process that was just killed may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

export interface CommandOptions {
  /** Default: the root of the repository. */
  readonly cwd?: string
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a command in a process group of its own, without the variables that pnpm sets for its scripts. */
export const start = (
  command: string,
  parameters: ReadonlyArray<string>,
  { cwd = root, env, stdio = ["ignore", "pipe", "pipe"] }: CommandOptions & { readonly stdio?: StdioOptions } = {}
) => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(lifecycle|package)_|npm_config_verify|SPEECH_)/.test(name)
  )
  const child = spawn(command, parameters, {
    cwd,
    detached: true,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio
  })
  children.add(child)
  child.once("exit", () => children.delete(child))
  return child
}

export interface Output {
  readonly stdout: string
  readonly stderr: string
  /** The exit status, or the signal that ended the command. */
  readonly status: number | NodeJS.Signals | null
}

export interface RunOptions extends CommandOptions {
  /** Whether any exit status is accepted. Default: only 0. */
  readonly mayFail?: boolean
  /** Whether its stderr is printed too. Default: only returned. */
  readonly progress?: boolean
  /** After this time the command is killed. Default: ten minutes. */
  readonly timeoutMillis?: number
}

/** Runs a command to its end. Rejects if it fails. */
export const run = (command: string, parameters: ReadonlyArray<string>, options: RunOptions = {}): Promise<Output> =>
  new Promise((resolve, reject) => {
    const { timeoutMillis = 10 * 60 * 1000 } = options
    const child = start(command, parameters, options)
    const output = { stdout: "", stderr: "" }
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
    if (options.progress) child.stderr?.pipe(process.stderr, { end: false })
    const timer = setTimeout(() => killGroup(child), timeoutMillis)
    child.once("error", reject)
    child.once("close", (code, signal) => {
      clearTimeout(timer)
      killGroup(child)
      const status = code ?? signal
      if (code === 0 || options.mayFail) return resolve({ ...output, status })
      reject(new Error(`${command} ${parameters.join(" ")} ended with ${status}:\n${output.stdout}${output.stderr}`))
    })
  })

const { packageManager }: { packageManager: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** Runs the pnpm of this workspace. */
export const pnpm = (parameters: ReadonlyArray<string>, options: CommandOptions) =>
  run("npx", ["-y", packageManager, ...parameters], options)

/** How this Node runs a script. */
export const node: readonly [string, ...ReadonlyArray<string>] = [process.execPath]

/** Runs a plain JavaScript program to its end, with Node or with another runtime. Returns what it printed, parsed as JSON. */
export const runScript = async <T>(
  script: URL,
  parameters: ReadonlyArray<string | number> = [],
  [command, ...options] = node
): Promise<T> => JSON.parse((await run(command, [...options, fileURLToPath(script), ...parameters.map(String)])).stdout)

export interface ScriptProcess<Ready> {
  /** The first message of the process. */
  readonly ready: Ready
  /** Sends a message, and returns the response. One request at a time. */
  readonly request: <Response>(message: string | object) => Promise<Response>
  /** Closes the channel, after which the process ends by itself. Returns its exit status. */
  readonly stop: () => Promise<number | null>
  readonly kill: () => Promise<void>
}

/** Starts a plain Node script that sends a message when it is ready. What it prints goes to stderr. */
export const startScript = async <Ready>(
  script: URL,
  parameters: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Promise<ScriptProcess<Ready>> => {
  const path = fileURLToPath(script)
  const child = start(process.execPath, [path, ...parameters], { env, stdio: ["ignore", 2, 2, "ipc"] })
  const exited = once(child, "exit").then(([status]): number | null => status)
  const nextMessage = async () => {
    const controller = new AbortController()
    const { signal } = controller
    const ended = once(child, "exit", { signal }).then(([status]) => {
      throw new Error(`${path} ended with ${status} before it responded.`)
    })
    try {
      return (await Promise.race([once(child, "message", { signal }), ended]))[0]
    } finally {
      ended.catch(() => undefined)
      controller.abort()
    }
  }
  return {
    ready: await nextMessage(),
    request: (message) => {
      child.send(message)
      return nextMessage()
    },
    stop: () => {
      child.disconnect()
      return exited
    },
    kill: async () => {
      killGroup(child)
      await exited
    }
  }
}
