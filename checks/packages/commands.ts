import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

const children = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of children) endGroup(child)
})

/** Ends a command with all that it has started: a manager runs in a process of npx's. */
const endGroup = ({ pid }: ChildProcess) => {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // All of it has ended.
  }
}

/** What no command takes that is not stuck. */
const longestMillis = 10 * 60 * 1000

export interface CommandOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether it may end as it likes. */
  readonly mayFail?: boolean
}

/** A command as a user starts it, who has nothing of the script that pnpm runs here. */
export const start = (command: string, parameters: ReadonlyArray<string>, { cwd, env }: CommandOptions) => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(lifecycle|package)_|npm_config_verify|SPEECH_)/.test(name)
  )
  const child = spawn(command, parameters, {
    cwd,
    detached: true,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  children.add(child)
  child.once("exit", () => children.delete(child))
  return child
}

export interface Output {
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end; it must succeed unless it may fail. */
export const run = (command: string, parameters: ReadonlyArray<string>, options: CommandOptions): Promise<Output> =>
  new Promise((resolve, reject) => {
    const child = start(command, parameters, options)
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
    const timer = setTimeout(() => endGroup(child), longestMillis)
    child.once("error", reject)
    child.once("close", (code, signal) => {
      clearTimeout(timer)
      if (code === 0 || (options.mayFail && signal === null)) return resolve(output)
      reject(
        new Error(`${command} ${parameters.join(" ")} ended with ${code ?? signal}:\n${output.stdout}${output.stderr}`)
      )
    })
  })

const { packageManager }: { packageManager: string } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))

/** The pnpm of this workspace, wherever it is run. */
export const pnpm = (parameters: ReadonlyArray<string>, options: CommandOptions) =>
  run("npx", ["-y", packageManager, ...parameters], options)
