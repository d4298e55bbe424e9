/**
 * Runs a check by its name: `pnpm verify NAME [OPTIONS]`. Without a name it lists all checks. Options pass to the check.
 *
 * Exit status: that of the check, or 2 for an unknown name. The checks themselves exit with 0 if every bar is met, 1 if
 * one is not, and 2 for a wrong option.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"
import { suggest } from "../packages/cli/src/suggest.js"
import { type Check, checks, groups } from "./checks.js"

const root = fileURLToPath(new URL("..", import.meta.url))
/** The pnpm that runs this script. Without one: through npx, as the README does. */
const { npm_execpath: executable = "" } = process.env
const { packageManager }: { packageManager: string } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
const [pnpm, ...pnpmParameters] = /pnpm\.c?js$/.test(executable)
  ? ([process.execPath, executable] as const)
  : (["npx", "-y", packageManager] as const)

const names = [...Object.keys(checks), ...Object.keys(groups)]

const list = () => {
  console.log(
    "pnpm verify NAME [OPTIONS] runs a check. Exit status: 0 if every bar is met, 1 if not, 2 for wrong usage.\n"
  )
  const readme = readFileSync(`${root}checks/README.md`, "utf8").split("\n")
  for (const name of Object.keys(checks)) {
    const row = readme.find((line) => line.startsWith(`| \`${name}\` `))?.split("|")
    const [, , shows = "", takes = ""] = row?.map((cell) => cell.trim().replaceAll("`", "")) ?? []
    console.log(`${name.padEnd(18)}${takes.padStart(7)}  ${shows}`)
  }
  for (const [name, members] of Object.entries(groups)) {
    console.log(`${name.padEnd(18)}${"".padStart(7)}  ${members.join(", ")}, one after another.`)
  }
}

/** The process group that runs now. A group of its own, so that everything that a check starts ends with it. */
let group: number | undefined
const signalGroup = (signal: NodeJS.Signals) => {
  try {
    if (group !== undefined) process.kill(-group, signal)
  } catch {
    // All its processes have ended.
  }
}
process.once("exit", () => signalGroup("SIGKILL"))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  let lastMillis = 0
  process.on(signal, () => {
    // At Ctrl-C both the terminal and pnpm send the signal.
    if (Date.now() - lastMillis > 500) signalGroup(signal)
    lastMillis = Date.now()
    if (group === undefined) process.exit(128 + constants.signals[signal])
  })
}

/** Runs a command in the root folder. Returns its exit status, or 128 and the number of the signal that ended it. */
const run = (command: string, parameters: ReadonlyArray<string>, output: "inherit" | "stderr"): Promise<number> =>
  new Promise((resolve) => {
    const stdout = output === "stderr" ? process.stderr : "inherit"
    const child = spawn(command, parameters, { cwd: root, detached: true, stdio: ["ignore", stdout, "inherit"] })
    group = child.pid
    child.once("error", (error) => {
      console.error(`${command} cannot be started: ${error.message}`)
      resolve(1)
    })
    child.once("exit", (status, signal) => {
      signalGroup("SIGKILL")
      group = undefined
      resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })

const runCheck = async ({ packages, peers, script }: Check, parameters: ReadonlyArray<string>): Promise<number> => {
  const install = ["--dir", `checks/${peers}`, "install", "--ignore-workspace", "--frozen-lockfile"]
  const condition = packages === "sources" ? ["--conditions=@effect-speech/source"] : []
  return (
    (packages === "built" && (await run(pnpm, [...pnpmParameters, "run", "build"], "stderr"))) ||
    (peers !== undefined && (await run(pnpm, [...pnpmParameters, ...install], "stderr"))) ||
    run(process.execPath, [...condition, "--import", "tsx", `checks/${script}`, ...parameters], "inherit")
  )
}

const [name, ...parameters] = process.argv.slice(2)
if (name === undefined || name === "--help" || name === "-h") list()
else if (names.includes(name)) {
  const chosen = Object.entries<Check>(checks).filter(
    ([each]) => each === name || groups[name]?.some((one) => one === each)
  )
  const statuses: Array<number> = []
  for (const [each, check] of chosen) {
    if (chosen.length > 1) console.log(`\n# ${each}`)
    const status = await runCheck(check, parameters)
    statuses.push(status)
    // Ended by a signal: the next check is not wanted either.
    if (status > 128) break
  }
  process.exitCode = Math.max(...statuses)
} else {
  const suggestion = suggest(name, names)
  console.error(
    `There is no check "${name}". ${suggestion === undefined ? "" : `Did you mean "${suggestion}"? `}\`pnpm verify\` lists all checks.`
  )
  process.exitCode = 2
}
