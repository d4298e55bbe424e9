import { execFileSync } from "node:child_process"
import * as FastCheck from "effect/FastCheck"
import { isInstalled } from "effect-speech-test-support/programs"
import { describe, expect, it } from "vitest"
import { findShell, setVariable } from "../src/shells.js"

const address = "http://127.0.0.1:8100/v1"
const hard = `it's "$HOME" \\ 100%PATH% & (a|b)^<c> ’!`

describe("the line that sets a variable", () => {
  it.each([
    ["sh", `export A=${address}`, `export A='it'\\''s "$HOME" \\ 100%PATH% & (a|b)^<c> ’!'`],
    ["fish", `set -gx A ${address}`, `set -gx A 'it\\'s "$HOME" \\\\ 100%PATH% & (a|b)^<c> ’!'`],
    ["powershell", `$env:A = '${address}'`, `$env:A = 'it''s "$HOME" \\ 100%PATH% & (a|b)^<c> ’’!'`],
    ["cmd", `set A=${address}`, `set A=it's ^"$HOME^" \\ 100^%PATH^% ^& ^(a^|b^)^^^<c^> ’^!`]
  ] as const)("of %s keeps an address as it is, and quotes what the shell would read", (shell, plain, quoted) => {
    expect(setVariable(shell, "A", address)).toBe(plain)
    expect(setVariable(shell, "A", hard)).toBe(quoted)
  })

  it.each((["sh", "bash", "zsh", "fish"] as const).filter(isInstalled))("gives %s exactly the value", (shell) => {
    const characters = FastCheck.oneof(
      FastCheck.constantFrom(...Array.from("'\"\\$`!%*~# \n;&(é’-")),
      FastCheck.string({ minLength: 1, maxLength: 1 })
    )
    const values = FastCheck.sample(
      FastCheck.array(characters, { maxLength: 12 }).map((parts) => parts.join("")),
      { numRuns: 200, seed: 1 }
    )
    // One process for all: a line break would be ambiguous, a NUL ends each value.
    const script = values.map((value) => `${setVariable(shell, "A", value)}\nprintf '%s\\0' "$A"`).join("\n")
    const printed = execFileSync(shell, ["-c", script], { encoding: "utf8" })
    expect(printed.split("\0").slice(0, -1)).toEqual(values)
  })
})

describe("the shell of the user", () => {
  const machineModules =
    "C:\\Program Files\\WindowsPowerShell\\Modules;C:\\Windows\\system32\\WindowsPowerShell\\v1.0\\Modules"
  const windowsPowerShell = `C:\\Users\\a\\Documents\\WindowsPowerShell\\Modules;${machineModules}`
  const powerShell7 = `C:\\Users\\a\\OneDrive\\Documents\\PowerShell\\Modules;c:\\program files\\powershell\\7\\Modules`

  it.each([
    ["sh", { SHELL: "/bin/bash" }, "linux"],
    ["sh", { SHELL: "/usr/bin/zsh" }, "darwin"],
    ["sh", {}, "linux"],
    ["sh", { SHELL: "/bin/constructor" }, "linux"],
    ["fish", { SHELL: "/usr/local/bin/fish" }, "linux"],
    ["powershell", { SHELL: "/usr/bin/pwsh" }, "darwin"],
    ["sh", { SHELL: "C:\\Program Files\\Git\\usr\\bin\\bash.exe", PSModulePath: windowsPowerShell }, "win32"],
    ["fish", { SHELL: "C:\\msys64\\usr\\bin\\FISH.EXE" }, "win32"],
    ["powershell", { PSModulePath: windowsPowerShell, ComSpec: "C:\\Windows\\system32\\cmd.exe" }, "win32"],
    ["powershell", { PSModulePath: powerShell7 }, "win32"],
    ["cmd", { PSModulePath: machineModules, ComSpec: "C:\\Windows\\system32\\cmd.exe" }, "win32"],
    ["cmd", {}, "win32"]
  ] as const)("is %s with %j on %s", (shell, environment, platform) => {
    expect(findShell(environment, platform)).toBe(shell)
  })
})
