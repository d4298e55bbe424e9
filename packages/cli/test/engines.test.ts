import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { ModelFolder } from "@effect-speech/engine-sherpa"
import * as Effect from "effect/Effect"
import { effectTests, testFolder } from "effect-speech-test-support/effectTests"
import { tinyName, writeTinyModels } from "effect-speech-test-support/tinyModels"
import { describeContents } from "../src/models.js"
import { bin, commandIn, until } from "./builtCommand.js"
import * as InProcess from "./environment.js"

const it = effectTests(NodeFileSystem.layer)

const folder = testFolder("engines")
const models = join(folder, "models")
writeTinyModels(models, { families: ["nemo-ctc", "vits"] })
mkdirSync(join(models, "empty"))
const ears = join(folder, "ears")
writeTinyModels(ears, { families: ["nemo-ctc"] })
const voices = join(folder, "voices")
writeTinyModels(voices, { families: ["vits"] })

const built = commandIn(() => folder)
const model = tinyName("nemo-ctc")
const speak = '"$0" "$1" synthesize "ten men" --lang en --out -'

/** Runs a line of a shell by the built `speech run`. In the line, `"$0" "$1"` is the command. */
const run = (models: string, line: string) =>
  built.run(["run", "--models", models, "--", "sh", "-c", line, process.execPath, bin], {})

/** Starts the built `speech serve`, and waits until it accepts connections. Returns the settings of the other commands. */
const serve = (...options: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const service = yield* built.start(["serve", "--port", "0", "--json", "--models", models, ...options], {})
    const line = yield* Effect.promise(() => new Promise<string>((resolve) => service.stdout.once("data", resolve)))
    const { apiKey, sttBaseUrl, ttsBaseUrl } = JSON.parse(line)
    const settings = { SPEECH_API_KEY: apiKey, SPEECH_STT_BASE_URL: sttBaseUrl, SPEECH_TTS_BASE_URL: ttsBaseUrl }
    return { service, settings }
  })

/** The processes of the models of a command. */
const hostsOf = (parent: number | undefined): ReadonlyArray<number> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [pid, ppid] = line.trim().split(/\s+/)
      return Number(ppid) === parent && line.includes("modelHost.js") ? [Number(pid)] : []
    })

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const ended = (pids: ReadonlyArray<number>) =>
  until(
    Effect.sync(() => pids.filter(isRunning)),
    (running) => running.length === 0
  )

describe("a service with models", { timeout: 120_000 }, () => {
  it("speaks with the voices of the folder, recognises with its models, and ends their processes at SIGINT", function* () {
    const { service, settings } = yield* serve()
    const speech = (...args: ReadonlyArray<string>) => InProcess.run(args, settings)
    const file = join(folder, "a.wav")
    const text = "platform two, please wait."
    const spoken = yield* speech("synthesize", text, "--lang", "en", "--voice", "tiny_soft", "--out", file)
    expect(spoken).toMatchObject({ code: 0, stdout: "" })
    const heard = yield* speech("transcribe", file, "--model", "en-general-v2-8khz", "--format", "srt")
    expect(heard.stdout).toMatch(/^1\n00:00:0\S+ --> 00:00:0\S+\nplatform two, please wait\.$/m)
    const unknown = yield* speech("transcribe", file, "--model", "hi-general-v2-8khz")
    expect(unknown).toMatchObject({
      code: 10,
      stderr: expect.stringContaining(`use one of ${model}, en-general-v2-8khz.`)
    })
    expect(yield* service.stderrSoFar).toContain(
      [
        `${model} transcribes en: --model ${model} or en-general-v2-8khz.`,
        `${tinyName("vits")} speaks en: --voice default_female, default_male, tiny_loud or tiny_soft.`,
        "empty is not used: There is no ONNX file in it."
      ].join("\n")
    )
    const hosts = hostsOf(service.pid)
    expect(hosts).toHaveLength(2)
    service.kill("SIGINT")
    expect((yield* service.ended).code).toBe(130)
    yield* ended(hosts)
  })

  it("ends the processes of its models when it is killed", function* () {
    const { service } = yield* serve("--preload")
    const hosts = hostsOf(service.pid)
    expect(hosts).toHaveLength(2)
    service.kill("SIGKILL")
    expect((yield* service.ended).code).toBe(137)
    yield* ended(hosts)
  })

  it("unloads a model that is idle", function* () {
    const { service } = yield* serve("--preload", "--idle", "0.02")
    yield* until(
      Effect.sync(() => hostsOf(service.pid)),
      (hosts) => hosts.length === 0
    )
  })

  it("is given to a command by run, which says on standard error only what is not used", function* () {
    const { code, stderr, stdout } = yield* run(models, `${speak} | "$0" "$1" transcribe - --model ${model}`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: "ten men\n" })
    expect(stderr).toMatch(/^speech: empty is not used: There is no ONNX file in it\./)
    expect(stderr).not.toContain("transcribes")
  })

  it("keeps the built-in recogniser if no model transcribes", function* () {
    const outcome = yield* run(voices, `${speak} | "$0" "$1" transcribe - --model en-general-v2-8khz`)
    expect(outcome).toMatchObject({ code: 0, stdout: "ten men\n" })
  })

  it("keeps the built-in voice if no model speaks", function* () {
    const outcome = yield* run(ears, '"$0" "$1" synthesize "नमस्ते" --lang hi --out - | wc -c')
    expect(Number(outcome.stdout)).toBeGreaterThan(10_000)
  })
})

/** The files of the installed command, in a folder where sherpa-onnx-node is not found. */
const installed = Effect.map(InProcess.temporaryFolder, (root) => {
  const place = join(root, "lib/node_modules/@effect-speech/cli")
  cpSync(dirname(bin), join(place, "dist"), { recursive: true })
  const manifest = new URL("../package.json", import.meta.url)
  cpSync(manifest, join(place, "package.json"))
  for (const name of Object.keys(JSON.parse(readFileSync(manifest, "utf8")).dependencies)) {
    mkdirSync(dirname(join(place, "node_modules", name)), { recursive: true })
    symlinkSync(new URL(`../node_modules/${name}`, import.meta.url), join(place, "node_modules", name))
  }
  mkdirSync(join(root, "project"))
  return { lib: join(root, "lib"), project: join(root, "project"), command: join(place, "dist/bin.js") }
})

const addSherpa = (folder: string) => {
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  const path = createRequire(import.meta.url).resolve("sherpa-onnx-node")
  symlinkSync(dirname(path), join(folder, "node_modules/sherpa-onnx-node"))
}

describe("sherpa-onnx-node", { timeout: 120_000 }, () => {
  it("is named with the command that installs it, if it is missing", function* () {
    const { command, project } = yield* installed
    const outcome = yield* commandIn(() => project, command).run(["serve", "--models", models], {})
    expect(outcome).toMatchObject({ code: 2, stdout: "" })
    expect(outcome.stderr).toMatch(
      /npm install sherpa-onnx-node@1\.13.*npm install --global sherpa-onnx-node@1\.13.*\[SherpaNotInstalled\]/
    )
  })

  it.each(["lib", "project"] as const)(
    "is found in %s: beside the command, or from the current folder",
    function* (place) {
      const found = yield* installed
      addSherpa(found[place])
      const { run } = commandIn(() => found.project, found.command)
      const outcome = yield* run(["run", "--models", models, "--preload", "--", process.execPath, "--eval", ""], {})
      expect(outcome).toMatchObject({ code: 0 })
    }
  )
})

describe("--models", () => {
  it("names the first of many languages, and how many more there are", function* () {
    const polyglot = yield* InProcess.temporaryFolder
    writeTinyModels(polyglot, { families: ["vits"] })
    const manifest = {
      languages: "bn en gu hi kn ml mr ta te".split(" "),
      voices: { default_female: 0, default_male: 1 }
    }
    writeFileSync(join(polyglot, tinyName("vits"), "model.json"), JSON.stringify(manifest))
    expect(describeContents(yield* ModelFolder.read(polyglot))).toEqual([
      "tiny-vits-en speaks bn, en, gu and 6 more: --voice default_female, default_male, tiny-vits-en-0 or tiny-vits-en-1.",
      `speech models ${polyglot} --json prints all names and languages.`,
      "No model transcribes, so the built-in recogniser does. It knows only what this service has spoken, and --recordings."
    ])
  })

  it.each([
    ["serve --models nowhere", 2, /--models must be a folder that exists/],
    ["serve --threads 2", 2, /--threads is for the models of --models FOLDER/],
    ["run --preload -- true", 2, /--preload is for the models of --models FOLDER/],
    ["serve --idle 5", 2, /--idle is for the models of --models FOLDER/],
    ["serve --queue 5", 2, /--queue is for the models of --models FOLDER/],
    [`serve --models ${models} --recordings ${folder}`, 2, /--recordings is for the built-in recogniser/],
    [`serve --models ${models} --capacity 1`, 2, /--capacity is for the built-in recogniser/],
    [
      `serve --models ${join(models, "empty")}`,
      3,
      /^speech: The folder of models \S+\/empty has no model\. Put a folder of each/
    ],
    [`serve --models ${join(models, model)}`, 3, /has no model\. .* Give the folder above it/]
  ] as const)("is refused in words: %j", function* ([line, code, says]) {
    const outcome = yield* InProcess.run(line.split(" "), {})
    expect(outcome.stderr).toMatch(says)
    expect(outcome).toMatchObject({ code, stdout: "" })
  })

  it("with --preload ends with the reason of a model that can't be loaded", function* () {
    const damaged = yield* InProcess.temporaryFolder
    writeTinyModels(damaged, { families: ["nemo-ctc"] })
    const file = join(damaged, model, "model.int8.onnx")
    writeFileSync(file, readFileSync(file, "latin1").replace("MatMul", "MatMux"), "latin1")
    const outcome = yield* InProcess.run(["serve", "--models", damaged, "--preload"], {})
    expect(outcome.stderr).toMatch(
      /^speech: The model tiny-nemo-ctc-en can't be loaded: .*MatMux.*\[SherpaModelRefused\]$/
    )
    expect(outcome).toMatchObject({ code: 3, stdout: "" })
  })
})
