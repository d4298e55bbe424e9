import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { effectTests, testFolder } from "effect-speech-test-support/effectTests"
import { writeTinyModels } from "effect-speech-test-support/tinyModels"
import { run, temporaryFolder } from "./environment.js"

const it = effectTests(NodeFileSystem.layer)

const folder = testFolder("models")
writeTinyModels(folder)

const models = (...args: ReadonlyArray<string>) => run(["models", ...args], {})

/** The cells of the rows of a table: two spaces or more are between them. */
const cellsOf = (table: string) => table.split("\n").map((row) => row.split(/ {2,}/))

/** Adds a folder that is no model to a folder of one model. */
const withProblem = Effect.map(temporaryFolder, (path) => {
  writeTinyModels(path, { families: ["nemo-ctc"] })
  mkdirSync(join(path, "empty"))
  return path
})

describe("speech models", () => {
  it("prints what each model is, and the names for requests", function* () {
    const { code, stderr, stdout } = yield* models(folder)
    const [table = "", names] = stdout.split("\n\n")
    expect(cellsOf(table).map((cells) => cells.toSpliced(-2, 1))).toEqual([
      ["model", "family", "languages", "voices", "rate", "licence"],
      ["tiny-nemo-ctc-en", "nemo-ctc", "en", "16 kHz", "MIT"],
      ["tiny-vits-en", "vits", "en", "tiny_loud, tiny_soft", "16 kHz", "MIT"],
      ["tiny-whisper-en", "whisper", "en, hi", "16 kHz", "not stated"],
      ["tiny-zipformer-en", "transducer", "en", "16 kHz", "MIT"],
      ["vits-piper-en_US-tiny-low", "piper", "en", "vits-piper-en_US-tiny-low", "22.05 kHz", "not stated"]
    ])
    expect(names).toBe(
      [
        "For --model: en-general-v2-8khz, hi-general-v2-8khz, tiny-nemo-ctc-en, tiny-zipformer-en, en-tiny-whisper-en, hi-tiny-whisper-en.",
        "For --voice: default_female, default_male, tiny_loud, tiny_soft, vits-piper-en_US-tiny-low."
      ].join("\n")
    )
    expect(stderr).toMatch(
      /^speech: For en, default_female is tiny_loud and default_male is tiny_soft, which no model\.json says\./
    )
    expect(code).toBe(0)
  })

  it("with --json prints one value, with the files of each model and each name of it", function* () {
    const { code, stderr, stdout } = yield* models(folder, "--json")
    const listed = JSON.parse(stdout)
    expect(listed).toMatchObject({
      folder,
      models: expect.arrayContaining([
        {
          ...{
            name: "tiny-nemo-ctc-en",
            operation: "transcribe",
            family: "nemo-ctc",
            languages: ["en"],
            licence: "MIT"
          },
          ...{ sampleRate: 16_000, bytes: expect.any(Number), folder: join(folder, "tiny-nemo-ctc-en") },
          files: {
            model: join(folder, "tiny-nemo-ctc-en/model.int8.onnx"),
            tokens: join(folder, "tiny-nemo-ctc-en/tokens.txt")
          }
        }
      ]),
      recognisers: expect.arrayContaining([
        { name: "hi-tiny-whisper-en", lang: "hi", model: "tiny-whisper-en" },
        { name: "en-general-v2-8khz", lang: "en", model: "tiny-nemo-ctc-en", aliasOf: "tiny-nemo-ctc-en" }
      ]),
      voices: expect.arrayContaining([
        { name: "default_female", languages: ["en"], model: "tiny-vits-en", speaker: 0 }
      ]),
      notUnderstood: [],
      notes: [expect.any(String)]
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it("with --check loads each model and says how long it took, or why it does not work", function* () {
    const path = yield* temporaryFolder
    writeTinyModels(path, { families: ["nemo-ctc", "vits"] })
    const network = join(path, "tiny-vits-en/model.onnx")
    // The metadata stays, so that only loading shows it: a name of an operator is another one.
    writeFileSync(network, Buffer.from(readFileSync(network, "latin1").replace("Gather", "Gathex"), "latin1"))
    const { code, stdout } = yield* models(path, "--check")
    const [listed = "", checks] = stdout.split("\n\nChecks:\n")
    expect(listed).toBe((yield* models(path)).stdout)
    expect(checks).toMatch(
      /^tiny-nemo-ctc-en: works\. It took \d+(\.\d+)? s\.\nThe model tiny-vits-en can't be loaded: .*Gathex[^\n]*$/
    )
    expect(code).toBe(3)
    const { stdout: json } = yield* models(path, "--check", "--json")
    expect(JSON.parse(json).models).toMatchObject([
      { name: "tiny-nemo-ctc-en", check: { works: true, seconds: expect.any(Number) } },
      { name: "tiny-vits-en", check: { works: false, reason: expect.stringContaining("Gathex") } }
    ])
  })

  it("prints why a folder is not understood, and ends with exit code 3", function* () {
    const path = yield* withProblem
    const reason = expect.stringMatching(/^There is no ONNX file in it\./)
    const { code, stdout } = yield* models(path)
    expect(stdout).toMatch(/\n\nNot understood:\nempty: There is no ONNX file in it\.[^\n]*$/)
    const { stdout: json } = yield* models(path, "--json")
    expect(JSON.parse(json).notUnderstood).toEqual([{ name: "empty", reason }])
    expect(code).toBe(3)
  })

  it("ends with exit code 3 for a folder that has no model, or that can't be read", function* () {
    const path = yield* temporaryFolder
    writeFileSync(join(path, "README.md"), "")
    expect(yield* models(path)).toEqual({
      code: 3,
      stdout: "",
      stderr: `speech: There is no model in ${path}. Put a folder of each model into it.`
    })
    const message = `The folder of models ${path}/no does not exist; check the path.`
    expect(yield* models(`${path}/no`)).toEqual({
      code: 3,
      stdout: "",
      stderr: `speech: ${message} [ModelFolderUnreadable]`
    })
    const { stdout } = yield* models(`${path}/no`, "--json")
    expect(JSON.parse(stdout)).toEqual({ error: { _tag: "ModelFolderUnreadable", message } })
  })
})
