/** Where a command finds the address of the service and the key: in the environment, or in a file. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { commandIn } from "./builtCommand.js"
import { environmentOf, run, serviceOfTones, temporaryFolder } from "./environment.js"

const linesOf = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")

/** A folder with a `.env` that has the settings of the service, and these in place of its own. */
const project = (changes: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const settings = environmentOf(yield* LocalService)
    const folder = yield* temporaryFolder
    const file = join(folder, ".env")
    writeFileSync(file, `\ufeff${linesOf({ OTHER: "1", ...settings, ...changes })}`)
    return { file, folder, settings }
  })

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer))("the settings", (it) => {
  it.scoped("are those of --dotenv alone, and doctor says where each comes from", () =>
    Effect.gen(function* () {
      const { file, folder, settings } = yield* project()
      const others = { ...settings, SPEECH_API_KEY: "other.key", SPEECH_TTS_BASE_URL: "http://127.0.0.1:9" }
      const outcome = yield* run(["doctor", "--dotenv", file], others)
      expect(outcome).toMatchObject({ code: 0, stderr: "" })
      const lines = outcome.stdout.split("\n")
      expect(lines.slice(0, 3).filter((line) => line.endsWith(`, from ${file}`))).toHaveLength(3)
      yield* run(["models", "--dotenv", file], { ...others, XDG_CACHE_HOME: folder })
      expect(existsSync(join(folder, "effect-speech", "models@"))).toBe(true)
      expect((yield* run(["doctor"], settings)).stdout).toContain(
        `${settings.SPEECH_STT_BASE_URL}, from the environment`
      )
    })
  )

  it.scoped.skipIf(process.platform === "win32")("of a pipe are read, and nothing in them changes this process", () =>
    Effect.gen(function* () {
      const { folder } = yield* project({ NODE_OPTIONS: `"--require ./code.cjs"` })
      writeFileSync(join(folder, "code.cjs"), `require("node:fs").writeFileSync("ran", "")`)
      const { runShell } = commandIn(() => folder)
      const line = 'cat .env | "$0" "$1" doctor --dotenv /dev/stdin'
      expect(yield* runShell(line, [], {})).toMatchObject({ code: 0, stderr: "" })
      expect(existsSync(join(folder, "ran"))).toBe(false)
    })
  )

  it.scoped("of a file never get the key of the environment", () =>
    Effect.gen(function* () {
      const { file, settings } = yield* project({ SPEECH_API_KEY: "" })
      const { requests } = yield* LocalService
      const before = yield* requests
      const outcome = yield* run(["synthesize", "a", "--out", "a.wav", "--dotenv", file], settings)
      expect(outcome.code).toBe(2)
      expect(outcome.stderr).toContain(`set SPEECH_API_KEY in ${file}: all settings come from one place`)
      expect(yield* requests).toEqual(before)
    })
  )

  it.scoped("are those of .env in the working directory, if the environment has none", () =>
    Effect.gen(function* () {
      const { folder } = yield* project({ SPEECH_TTS_BASE_URL: "https://speech.invalid" })
      const { run: runThere } = commandIn(() => folder)
      const outcome = yield* runThere(["doctor"], {})
      expect(outcome.stdout).toMatch(/^ok +SPEECH_API_KEY .*, from \.env$/m)
      expect(outcome.stderr).toBe("speech: The settings are those of .env: requests go to speech.invalid.\n")
      const mixed = yield* runThere(["doctor"], { SPEECH_API_KEY: "mine.secret" })
      expect(mixed.stdout).toMatch(
        /^failed +SPEECH_STT_BASE_URL .*\.env is not read, because the environment has other/m
      )
      expect(mixed.stdout).not.toContain("speech.invalid")
    })
  )

  it.scoped.each<readonly [string, (folder: string) => string, RegExp]>([
    ["is missing", (folder: string) => join(folder, "no"), /no does not exist/],
    ["is a folder", (folder: string) => folder, /is a folder; give a file/],
    ["never ends", () => "/dev/zero", /\/dev\/zero is larger than 1 MiB/]
  ])("of a file that %s are refused", ([_, path, says]) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, ".env"))
      const outcome = yield* run(["doctor", "--dotenv", path(folder)], {})
      expect(outcome).toEqual({ code: 3, stdout: "", stderr: expect.stringMatching(says) })
    })
  )
})
