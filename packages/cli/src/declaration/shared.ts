/**
 * Options of every command, and of several.
 */
import { flag, number, oneOf, optional, text } from "../option.js"

const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

export const settingShells = ["sh", "bash", "zsh", "fish", "powershell", "cmd"] as const
/** A shell for which `speech serve` prints lines. */
export type SettingShell = (typeof settingShells)[number]

const logLevels = ["all", "trace", "debug", "info", "warning", "error", "fatal", "none"] as const
export type LogLevel = (typeof logLevels)[number]

/** The options of every command. */
export const commonOptions = {
  help: flag("--help", "Print this help, or the help of a command.", { short: "h" }),
  all: flag("--all", "With --help: print all options of a command, in groups."),
  man: flag("--man", "With --help: print the manual page, for man -l."),
  version: flag("--version", "Print the version."),
  quiet: flag("--quiet", "Print no notes and no progress. Errors are still printed.", { short: "q" }),
  verbose: flag("--verbose", "Log what happens, as --log-level debug does.", { short: "v" }),
  completions: oneOf("--completions SHELL", shells, "Print a completion script."),
  logLevel: oneOf("--log-level LEVEL", logLevels, "Log this level and above.", { default: "info" })
}

export const json = flag("--json", "Print the result, or the error, as JSON.")

/** How many of something are sent at the same time. */
export const concurrencyOf = (what: string) =>
  optional("--concurrency N", number({ above: 0, integer: true }), `${what} to send at the same time.`, {
    default: "4"
  })

export const timeout = optional(
  "--timeout SECONDS",
  number({ above: 0 }),
  "Deadline of each call, with all its retries.",
  { default: "none, but a call without progress ends" }
)

export const retries = optional(
  "--retries N",
  number({ from: 0, integer: true }),
  "Most retries of a failed call, if a retry may help. The delays grow up to 8 seconds. With --timeout, a longer Retry-After counts.",
  { default: "2" }
)

export const dotenv = optional(
  "--dotenv FILE",
  text,
  "Read the address of the service and the key from this file alone.",
  { default: "the environment, or else .env", completes: "file" }
)

export const allowInsecureHttp = flag(
  "--allow-insecure-http",
  "Allow http to another machine, such as a container. Others on the network can then read the key."
)
