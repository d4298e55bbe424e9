/** `--record` and `--replay` of the local service. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { until } from "./builtCommand.js"
import {
  recordingConsole,
  requestCount,
  rowsOf,
  run,
  runOn,
  serviceOfTones,
  serviceWith,
  temporaryFolder
} from "./environment.js"

const somewhere = {
  SPEECH_API_KEY: "real.hushed",
  SPEECH_STT_BASE_URL: "https://stt.invalid",
  SPEECH_TTS_BASE_URL: "https://tts.invalid"
}

const linkToNothing = `${mkdtempSync(`${tmpdir()}/links-`)}/link`
symlinkSync("nowhere", linkToNothing)
afterAll(() => rmSync(dirname(linkToNothing), { recursive: true }))

describe("refuses, and starts no service, with", () => {
  const rows = rowsOf<[what: string, line: string, says: string]>(`
    both options              | --record new --replay . | Give --record or --replay, not both.
    a credit to record        | --record new --credits 5 | With --record all responses are those of the recorded service: leave out --credits.
    models to replay          | --replay . --models . | With --replay all responses are those of the folder: leave out --models.
    recordings to replay      | --replay . --recordings . | leave out --recordings.
    a data directory          | --record new --data-dir data | leave out --data-dir.
    a key of its own          | --record new --data-dir data --new-key | leave out --data-dir.
    a capacity                | --replay . --capacity 3 | leave out --capacity.
    a file to record into     | --record ${process.execPath} | --record must be a folder.
    a file to replay          | --replay ${process.execPath} | --replay must be a folder.
    a link to nothing         | --record ${linkToNothing} | --record is a link to something that does not exist.
    a folder that is missing  | --replay nowhere | To make it, run the same command with --record nowhere.`)
  it.effect.each(rows)("%s", ([_, line, says]) =>
    Effect.map(run(["serve", ...line.split(" ")], somewhere), ({ code, stderr, stdout }) => {
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain(says)
    })
  )

  it.effect.each([
    [
      { SPEECH_API_KEY: undefined, SPEECH_STT_BASE_URL: undefined, SPEECH_TTS_BASE_URL: undefined },
      "--record needs the service to record. Set SPEECH_API_KEY, and SPEECH_STT_BASE_URL or SPEECH_TTS_BASE_URL or both in the environment."
    ],
    [{ SPEECH_API_KEY: undefined }, "Set SPEECH_API_KEY in the environment."],
    [{ SPEECH_API_KEY: "hushed" }, "SPEECH_API_KEY is not a key: it has no dot between a prefix and a secret."],
    [{ SPEECH_STT_BASE_URL: "stt" }, "SPEECH_STT_BASE_URL is not a URL; give one like https://host.example."],
    [{ SPEECH_TTS_BASE_URL: "http://tts.invalid" }, "SPEECH_TTS_BASE_URL must be https, or on this machine."]
  ] as const)("the environment %j", ([changes, says]) => {
    const changed = Object.entries({ ...somewhere, ...changes })
    const environment = Object.fromEntries(changed.flatMap(([name, value]) => (value ? [[name, value]] : [])))
    return Effect.map(run(["serve", "--record", "new"], environment), (outcome) => {
      expect(outcome).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(says) })
      expect(outcome.stderr).not.toContain("hushed")
    })
  })
})

/** Synthesizes the texts, prints each status with the length of the body or its error, and exits with the code. */
const program = `
const { SPEECH_TTS_BASE_URL: url, SPEECH_API_KEY: key } = process.env
const [file, code, ...texts] = process.argv.slice(1)
require("node:fs").appendFileSync(file, key + " " + url + "\\n")
const main = async () => {
  for (const text of texts) {
    const body = JSON.stringify({ text, lang: "en", output_format: "8000:pcm16" })
    const headers = { "X-API-Key": key, "Content-Type": "application/json" }
    const response = await fetch(url + "/tts/bytes", { method: "POST", headers, body })
    const bytes = Buffer.from(await response.arrayBuffer())
    const said = response.ok ? bytes.toString("base64") : bytes.toString()
    require("node:fs").appendFileSync(file, response.status + " " + said + "\\n")
  }
  process.exitCode = Number(code)
}
main()`

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer), { excludeTestServices: true })(
  "with a service to record",
  (it) => {
    it.scoped("run records the service of the environment, and replays it without that service", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const exchanges = `${folder}/exchanges`
        const environment = yield* serviceWith()
        const before = yield* requestCount
        const play = (option: string, code: number, settings: Readonly<Record<string, string>>, texts: Array<string>) =>
          Effect.gen(function* () {
            const file = `${folder}/out`
            writeFileSync(file, "")
            const command = [process.execPath, "--eval", program, file, String(code), ...texts]
            const outcome = yield* run(["run", option, exchanges, "--", ...command], settings)
            const [about = "", ...lines] = readFileSync(file, "utf8").trim().split("\n")
            expect(about).toMatch(/^local_\S+ http:\/\/127\.0\.0\.1:\d+$/)
            expect(about).not.toContain(environment.SPEECH_API_KEY)
            expect(about).not.toContain(environment.SPEECH_TTS_BASE_URL)
            return { ...outcome, lines }
          })

        const recorded = yield* play("--record", 7, environment, ["One.", "Two.", "One."])
        expect(recorded).toMatchObject({
          code: 7,
          stdout: "",
          stderr: `speech: 3 exchanges were kept in ${exchanges}.`
        })
        expect(yield* requestCount).toBe(before + 3)

        const replayed = yield* play("--replay", 0, {}, ["One.", "Two.", "One."])
        expect(replayed).toEqual({ ...recorded, code: 0, stderr: `speech: 3 responses from ${exchanges}.` })

        const missing = yield* play("--replay", 3, {}, ["One.", "Too."])
        expect(missing).toMatchObject({
          code: 3,
          stderr: `speech: 1 response from ${exchanges}. 1 request had none: to record it, run the same command with --record ${exchanges}.`
        })
        expect(missing.lines[1]).toMatch(/^400 .*Two\..*--record/)
        const audio = readdirSync(`${exchanges}/audio`).map((name) => `${exchanges}/audio/${name}`)
        for (const path of audio) {
          const bytes = readFileSync(path)
          writeFileSync(path, bytes.fill(1, 44))
        }
        const damaged = yield* play("--replay", 2, {}, ["One.", "Too.", "One."])
        expect(damaged.stderr.split("\n").at(-1)).toMatch(
          new RegExp(
            `^speech: 0 responses from ${exchanges}. 1 request had none: .* --record ${exchanges}. 2 requests met a damaged file: ${exchanges}/audio/\\w+.wav. Restore it, or delete its exchange and record it again.$`
          )
        )
        expect(damaged.lines[0]).toContain("has other bytes than the recorded response")
        expect(yield* requestCount).toBe(before + 3)

        const files = readdirSync(exchanges, { recursive: true, withFileTypes: true })
        for (const { name, parentPath } of files.filter((entry) => entry.isFile())) {
          expect(readFileSync(`${parentPath}/${name}`).includes(environment.SPEECH_API_KEY)).toBe(false)
        }
      })
    )

    it.scoped(
      "serve says where it forwards to, which operation it does not record, and at its end what it has kept",
      () =>
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const { SPEECH_STT_BASE_URL: _, ...environment } = yield* serviceWith()
          const { console, printed } = yield* recordingConsole
          const serving = yield* Effect.fork(
            runOn(console, ["serve", "--port", "0", "--record", folder, "--shell", "sh"], environment)
          )
          yield* until(Effect.sync(printed), ({ stderr }) => stderr.includes("Console"))
          yield* Fiber.interrupt(serving)
          const { stderr, stdout } = printed()
          expect(stdout).toMatch(/^export SPEECH_STT_BASE_URL=http:.+\nexport SPEECH_TTS_BASE_URL=http:.+\n/)
          expect(stderr).toContain(`Requests go on to ${environment.SPEECH_TTS_BASE_URL}`)
          expect(stderr).toContain("SPEECH_STT_BASE_URL is not set, so transcriptions fail with 400.")
          expect(stderr).toMatch(new RegExp(`\nspeech: 0 exchanges were kept in ${folder}\\.$`))
          expect(`${stdout}${stderr}`).not.toContain(environment.SPEECH_API_KEY)
        })
    )

    it.scoped("a folder without exchanges can't be replayed", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const outcome = yield* run(["run", "--replay", folder, "--", "true"], {})
        expect(outcome).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining(folder) })
      })
    )
  }
)
