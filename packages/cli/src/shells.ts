/**
 * What differs between shells: quotes, how to set an environment variable, and which of them runs the command.
 */
import type { SettingShell } from "./declaration.js"

/** For sh, bash and zsh. */
export const quotePosix = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const quoteFish = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`

/** PowerShell takes typographic quotes for quotes too. */
const quotePowerShell = (text: string): string => `'${text.replace(/['‘’‚‛]/g, "$&$&")}'`

/** cmd has no quotes that keep `%`. */
const escapeCmd = (text: string): string => text.replace(/[&|<>()^%!"]/g, "^$&")

const ifNeeded =
  (quote: (text: string) => string) =>
  (text: string): string =>
    /^[\w@+=:,./-]+$/.test(text) ? text : quote(text)

/** A path for a command that the reader types into sh, bash or zsh. */
export const quotedPath = ifNeeded(quotePosix)

const posix = (name: string, value: string): string => `export ${name}=${quotedPath(value)}`

const setters: Readonly<Record<SettingShell, (name: string, value: string) => string>> = {
  sh: posix,
  bash: posix,
  zsh: posix,
  fish: (name, value) => `set -gx ${name} ${ifNeeded(quoteFish)(value)}`,
  powershell: (name, value) => `$env:${name} = ${quotePowerShell(value)}`,
  cmd: (name, value) => `set ${name}=${escapeCmd(value)}`
}

/** A line that sets an environment variable, for pasting into the shell. cmd can't hold a line break in a value. */
export const setVariable = (shell: SettingShell, name: string, value: string): string => setters[shell](name, value)

const programs: ReadonlyMap<string, SettingShell> = new Map([
  ["fish", "fish"],
  ["pwsh", "powershell"],
  ["powershell", "powershell"]
])

/**
 * The shell of the user. `SHELL` is the login shell, also of Git Bash on Windows. Without it, PowerShell shows by the
 * modules of the user, which it adds to `PSModulePath`; cmd has only those of the machine.
 */
export const findShell = (
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform
): SettingShell => {
  const { PSModulePath = "", SHELL } = environment
  if (SHELL !== undefined) return programs.get(SHELL.replace(/^.*[/\\]|\.exe$/gi, "").toLowerCase()) ?? "sh"
  if (platform !== "win32") return "sh"
  return /\\Documents\\|\\PowerShell\\7\\/i.test(PSModulePath) ? "powershell" : "cmd"
}
