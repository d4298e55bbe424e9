import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isInstalled } from "effect-speech-test-support/programs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { completionScript } from "../src/completions.js"
import { commandNames, commands } from "../src/declaration.js"

const shells = (["bash", "zsh", "fish"] as const).filter(isInstalled)

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "completions-"))
  writeFileSync(join(folder, "call.wav"), "")
  for (const shell of shells) writeFileSync(join(folder, shell), completionScript(shell))
  mkdirSync(join(folder, "effect-speech"))
  const names = (file: string, ...lines: ReadonlyArray<string>) =>
    writeFileSync(join(folder, "effect-speech", file), lines.map((line) => `${line}\n`).join(""))
  names("models@", "hi-general", "hi-banking", "en-general")
  names("models@https---stt-example", "ta-general")
  names("languages@", "en", "hi")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Calls the function of bash as bash does, or asks fish. */
const programs = {
  bash: `source ./bash; COMP_LINE="$0"; COMP_POINT=\${#0}; _speech; printf "%s\\n" "\${COMPREPLY[@]}"`,
  fish: "source ./fish; complete -C $argv[1]"
}

const complete = (
  shell: keyof typeof programs,
  line: string,
  environment: NodeJS.ProcessEnv = {}
): ReadonlyArray<string> =>
  execFileSync(shell, ["-c", programs[shell], line], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, XDG_CACHE_HOME: folder, ...environment }
  })
    .split("\n")
    .flatMap((row) => row.split("\t")[0] || [])

const levels = ["trace", "debug", "info", "warning", "error", "fatal", "none", "all"]

describe.each(shells)("the completions of %s", (shell) => {
  it("have no error of syntax, every command and every option", () => {
    execFileSync(shell, ["-n", shell], { cwd: folder })
    const script = completionScript(shell)
    for (const name of commandNames) {
      for (const word of name.split(" ")) expect(script).toContain(word)
      for (const option of Object.values(commands[name].options)) {
        expect(script).toContain(shell === "fish" ? `-l ${option.name}` : `--${option.name}`)
      }
    }
  })
})

describe.each(shells.filter((shell) => shell !== "zsh"))("a line in %s", (shell) => {
  it.each([
    ["speech sy", ["synthesize"]],
    ["speech --log-level debug tr", ["transcribe"]],
    ["speech --log-level ", levels],
    ["speech synthesize --o", ["--out", "--output-format"]],
    ["speech transcribe call.wav --mo", ["--model"]],
    ["speech synthesize a --output-format 16", ["16000:pcm16", "16000:float32"]],
    ["speech synthesize a --voice ", []],
    ["speech transcribe a --model hi-g", ["hi-general"]],
    ["speech archive run a --lang ", ["en", "hi"]],
    ["speech arch", ["archive"]],
    ["speech synthesize -o x --o", ["--out", "--output-format"]],
    ["speech hel", ["help"]],
    ["speech help tr", ["transcribe"]],
    ["speech help archive st", ["status"]],
    ["speech archive re", ["repair", "resume", "retry"]],
    ["speech archive run a --by", ["--by-content"]],
    ["speech archive status --w", ["--watch"]],
    ["speech transcribe a --format ", ["text", "txt", "json", "srt", "vtt"]],
    ["speech archive run a --format ", ["txt", "json", "srt", "vtt", "wav"]],
    ["speech archive run a --cred", []],
    ["speech run --cred", ["--credits"]]
  ])("%j is completed", (line, expected) => {
    expect(complete(shell, line).toSorted()).toEqual(expected.toSorted())
  })

  it("the names of a service are those of its address", () => {
    const ofService = (address: string) =>
      complete(shell, "speech transcribe a --model ", { SPEECH_STT_BASE_URL: address })
    expect(ofService("https://stt.example")).toEqual(["ta-general"])
    expect(ofService("https://other.example")).toEqual([])
  })

  it("a command after -- is completed, and its arguments are left to it", () => {
    expect(complete(shell, "speech run --credits 5 -- printe")).toContain("printenv")
    expect(complete(shell, "speech run --cred")).toEqual(["--credits"])
    expect(complete(shell, "speech run -- cat ca")).toEqual(shell === "bash" ? [] : ["call.wav"])
  })

  it.each(["speech transcribe ca", "speech synthesize a --out ca"])("%j is left to the files", (line) => {
    expect(complete(shell, line)).toEqual(shell === "bash" ? [] : ["call.wav"])
  })
})

it("bash completes what follows a colon or an equals sign, where it breaks words", () => {
  expect(complete("bash", "speech synthesize --output-format 8000:f")).toEqual(["float32"])
  expect(complete("bash", "speech --log-level=de")).toEqual(["debug"])
})
