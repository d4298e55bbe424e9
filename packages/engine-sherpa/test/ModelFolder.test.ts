import { execFileSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { ModelFolder } from "@effect-speech/engine-sherpa"
import * as Effect from "effect/Effect"
import { effectTests } from "effect-speech-test-support/effectTests"
import {
  espeak,
  type Files,
  field,
  inFolder,
  kokoro,
  models,
  nemo,
  onnx,
  piper,
  read,
  temporaryFolder,
  tokens,
  transducer,
  vits,
  whisper,
  write
} from "./modelFiles.js"

const it = effectTests(NodeFileSystem.layer)

describe("the names of a folder's models", () => {
  it("are the model's own, with the language in front if it has several, and the general one of each language", function* () {
    const { recognisers } = yield* read(
      inFolder("whisper", models.whisper, { languages: ["hi", "ta"], aliases: ["hi-calls", "long"] }),
      inFolder("conformer", models.nemo, { languages: ["hi"], aliases: ["calls"] })
    )
    expect(recognisers.map(({ aliasOf, lang, model, name }) => [name, lang, model.name, aliasOf])).toEqual([
      ["conformer", "hi", "conformer", undefined],
      ["hi-whisper", "hi", "whisper", undefined],
      ["ta-whisper", "ta", "whisper", undefined],
      ["calls", "hi", "conformer", "conformer"],
      ["hi-calls", "hi", "whisper", "hi-whisper"],
      ["hi-general-v2-8khz", "hi", "conformer", "conformer"],
      ["ta-general-v2-8khz", "ta", "whisper", "ta-whisper"]
    ])
  })

  it("are each that of one model: the notes say which has it, and which has not", function* () {
    const { notes, notUnderstood, recognisers, voices } = yield* read(
      inFolder("hi-w", models.nemo, { languages: ["hi"] }),
      inFolder("w", models.whisper, { languages: ["hi", "ta"], aliases: ["long"] }),
      inFolder("x", models.nemo, { languages: ["ta"], name: "w" }),
      inFolder("v1", models.vits, { voices: { priya: 0, default_female: 0, default_male: 0 } }),
      inFolder("v2", models.vits, { voices: { priya: 0 }, languages: ["hi", "mr"] })
    )
    expect(recognisers.map(({ model, name }) => [name, model.name])).toEqual([
      ["hi-w", "hi-w"],
      ["ta-w", "w"],
      ["hi-general-v2-8khz", "hi-w"],
      ["ta-general-v2-8khz", "w"]
    ])
    expect(voices.map(({ languages, model, name }) => [name, languages.join(), model.name])).toEqual([
      ["default_female", "hi", "v1"],
      ["default_male", "hi", "v1"],
      ["default_female", "mr", "v2"],
      ["default_male", "mr", "v2"],
      ["priya", "hi", "v1"],
      ["priya", "mr", "v2"]
    ])
    expect(notUnderstood).toEqual([
      { name: "x", reason: "Its name is w, as that of the model in w. Write another name into its model.json." }
    ])
    expect(notes).toEqual([
      "hi-w is the model hi-w, so w does not get this name. Give one of them another name in model.json.",
      "The alias long of w is left out: w has several languages, so an alias begins with one of them, such as hi-long.",
      "v1 has a voice priya, so that of v2 is left out for the same language. Name the voices of one of them in model.json."
    ])
  })

  it("have a default voice of each kind: that of model.json, or of Kokoro's names, or the first two", function* () {
    const style = { ...kokoro, n_speakers: 3, style_dim: "1", speaker_names: "am_adam,bf_emma,af_sky" }
    const files = { "model.onnx": onnx(style), "voices.bin": "", "tokens.txt": "a 0\n", ...espeak }
    const { notes, voices } = yield* read(
      inFolder("kokoro", files),
      inFolder("two", { ...models.vits, "model.onnx": onnx({ ...vits, n_speakers: 2 }) }),
      inFolder("urdu", models.vits, { languages: ["ur"], voices: { default_female: 0, zoya: 0 } })
    )
    const speakers = voices.filter(({ name }) => name.startsWith("default_"))
    expect(
      speakers.map(({ languages, model, name, speaker }) => [name, languages.join(), model.name, speaker])
    ).toEqual([
      ["default_female", "en", "kokoro", 1],
      ["default_male", "en", "kokoro", 0],
      ["default_female", "hi", "two", 0],
      ["default_male", "hi", "two", 1],
      ["default_female", "ur", "urdu", 0],
      ["default_male", "ur", "urdu", 0]
    ])
    expect(notes).toEqual([
      'For hi, default_female is two-0 and default_male is two-1, which no model.json says. To choose another voice, write {"voices": {"default_female": 0}} into the model.json of its folder, with the number of its speaker.'
    ])
  })
})

const lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 13\n"

/** Folders that are no models, and the reason of each. */
const cases: ReadonlyArray<readonly [name: string, files: Files, manifest: unknown, reason: string | RegExp]> = [
  ["no ONNX file", { "a.txt": "" }, undefined, /^There is no ONNX file in it\./],
  [
    "only an archive",
    { "a.tar.bz2": "" },
    undefined,
    "There is no ONNX file in it. Unpack its archive: tar xf a.tar.bz2"
  ],
  [
    "the files in a folder within",
    { "snapshots/abc/model.onnx": onnx(), "test_wavs/0.wav": "" },
    undefined,
    "Its ONNX files are in the folder snapshots/abc within it. Move the files of that folder up."
  ],
  [
    "a pointer of Git LFS",
    { ...models.vits, "model.onnx": lfs },
    undefined,
    /^model.onnx is a pointer of Git LFS, .*git lfs pull/
  ],
  ["a web page", { ...models.vits, "model.onnx": "<!DOCTYPE html><html>" }, undefined, /^model.onnx is a web page/],
  ["an empty file", { ...models.vits, "model.onnx": "" }, undefined, "model.onnx is empty; download it again."],
  [
    "another file",
    { ...models.vits, "model.onnx": "PK\u0003\u0004 archive" },
    undefined,
    /^model.onnx is not an ONNX file/
  ],
  [
    "a file that is cut off",
    { ...models.vits, "model.onnx": onnx(vits, 1000).subarray(0, 500) },
    undefined,
    "model.onnx is cut off; download it again."
  ],
  [
    "a file that is damaged",
    { ...models.vits, "model.onnx": Buffer.concat([onnx(vits), field(14, Buffer.from([255]))]) },
    undefined,
    "model.onnx is damaged; download it again."
  ],
  ["no tokens", { "model.onnx": onnx(nemo) }, undefined, /^There is no tokens.txt in it/],
  [
    "tokens that are malformed",
    { ...models.nemo, "tokens.txt": "<blk> 0\na b 1\n" },
    undefined,
    "tokens.txt must have a token and its number in each line, but has not in line 2."
  ],
  [
    "the tokens of another model",
    { ...models.nemo, "model.int8.onnx": onnx({ ...nemo, vocab_size: 128 }) },
    undefined,
    "tokens.txt has 2 tokens, and the model has 128. Copy the file that belongs to the model."
  ],
  ["tokens without the blank", { ...models.nemo, "tokens.txt": "a 0\n" }, undefined, /^tokens.txt has no token <blk>/],
  [
    "no decoder",
    { "tiny-encoder.onnx": onnx(whisper), "tokens.txt": tokens },
    undefined,
    /^It has tiny-encoder.onnx, but no decoder/
  ],
  [
    "several models",
    { ...models.nemo, "other.onnx": onnx(nemo) },
    undefined,
    'It has several ONNX files, and which to load is not known: model.int8.onnx, other.onnx. Name them in model.json: {"files": {"model": "…"}}.'
  ],
  [
    "a kind that is not known",
    { ...models.nemo, "model.int8.onnx": onnx({ model_type: "paraformer" }) },
    undefined,
    /^It is of the type paraformer, which this engine does not know\. It knows NeMo CTC, .*Kitten\.$/
  ],
  ["no metadata", { ...models.vits, "model.onnx": onnx() }, undefined, /^model.onnx has no metadata of sherpa-onnx/],
  [
    "a voice as Piper publishes it",
    { "hi_IN-rohan-medium.onnx": onnx(), "hi_IN-rohan-medium.onnx.json": "{}", "tokens.txt": "a 0\n" },
    undefined,
    /Download the archive vits-piper-hi_IN-rohan-medium of sherpa-onnx\.$/
  ],
  [
    "a streaming model",
    { ...transducer, "encoder-epoch-99-avg-1.int8.onnx": onnx({ model_type: "zipformer2", decode_chunk_len: 32 }) },
    undefined,
    /^It is a streaming model/
  ],
  [
    "metadata that would end the process",
    { ...models.nemo, "model.int8.onnx": onnx({ ...nemo, subsampling_factor: 0 }) },
    { languages: ["hi"] },
    "In the metadata of model.int8.onnx, subsampling_factor is missing, or no number above 0. Convert the model again, with a script of sherpa-onnx."
  ],
  [
    "a voice without its data",
    { ...models.vits, "model.onnx": onnx(piper) },
    undefined,
    /^The folder espeak-ng-data, whole with its phontab, .* is missing\. Copy/
  ],
  [
    "a voice of words without its lexicon",
    { ...models.vits, "model.onnx": onnx({ ...vits, comment: "icefall", frontend: "" }) },
    undefined,
    /^The file lexicon\.txt is missing/
  ],
  [
    "Kokoro of several languages without its lexicons",
    {
      "model.onnx": onnx({ ...kokoro, version: 2, n_speakers: 1, style_dim: "1" }),
      ...{ "voices.bin": "", "tokens.txt": "a 0\n", ...espeak }
    },
    undefined,
    /^A file such as lexicon-us-en\.txt is missing/
  ],
  [
    "a rate that can't be",
    { ...models.vits, "model.onnx": onnx({ ...vits, sample_rate: 20 }) },
    undefined,
    /^Its metadata states 20 Hz/
  ],
  [
    "too many speakers",
    { ...models.vits, "model.onnx": onnx({ ...vits, n_speakers: 2e9 }) },
    undefined,
    /states 2000000000 speakers/
  ],
  [
    "no language",
    models.nemo,
    undefined,
    'Neither its files nor the name of its folder state its language. Write it into a model.json in the folder, such as {"languages": ["hi"]}.'
  ],
  [
    "a model.json that is no JSON",
    models.nemo,
    "{languages: hi}",
    /^model.json can't be used: it must be a JSON object/
  ],
  ["a model.json that is a list", models.nemo, [], /^model.json can't be used: it must be a JSON object/],
  [
    "a model.json that is too long",
    models.nemo,
    `"${"a".repeat(70_000)}"`,
    "model.json has more than 65,536 bytes, which can't be."
  ],
  [
    "a wrong language",
    models.nemo,
    { languages: ["hi", "Hindi"] },
    /: languages\.1 must be a code of two or three small letters/
  ],
  ["no languages", models.nemo, { languages: [] }, /: languages\.0 is missing\.$/],
  [
    "a wrong voice",
    models.vits,
    { voices: { priya: "0" } },
    "model.json can't be used: voices.priya must be a whole number from 0 to 99999."
  ],
  [
    "a speaker that the model has not",
    models.vits,
    { voices: { priya: 1 } },
    "model.json can't be used: voices.priya is 1, and the model has only 0."
  ],
  ["the name __proto__", models.vits, { name: "__proto__" }, /: name must .* must not be __proto__/],
  ["a name with a space", models.vits, { voices: { "a b": 0 } }, /: voices\.a b must have 1 to 100 letters/],
  [
    "wrong threads",
    models.vits,
    { numThreads: 0 },
    "model.json can't be used: numThreads must be a whole number from 1 to 256."
  ],
  ["an unknown field", models.vits, { lang: "hi" }, /: lang is not a known field; use name, languages, voices, /],
  [
    "a language that Whisper has not",
    models.whisper,
    { languages: ["hi", "te"] },
    /languages has te, and the model has only en, zh, hi/
  ],
  [
    "languages without their tokens",
    { ...models.whisper, "tiny-encoder.onnx": onnx({ ...whisper, all_language_tokens: "1" }) },
    undefined,
    /^Its metadata has not a token for each language\./
  ],
  [
    "a path out of the folder",
    models.nemo,
    { files: { model: "../../etc/model.onnx" } },
    /: files\.model must be the path of a file in the folder/
  ],
  [
    "a whole path",
    models.nemo,
    { files: { model: "/etc/model.onnx" } },
    /: files\.model must be the path of a file in the folder/
  ],
  [
    "a file that is not there",
    models.nemo,
    { files: { model: "m.onnx" } },
    "model.json can't be used: files.model is m.onnx, which is not in the folder."
  ],
  ["a file that is a folder", models.nemo, { files: { model: "." } }, /: files\.model must be the path/],
  [
    "an encoder without its decoder",
    models.whisper,
    { files: { encoder: "tiny-encoder.onnx" } },
    "model.json can't be used: files must have a decoder too, since the model is of whisper."
  ],
  [
    "a model and an encoder",
    models.whisper,
    { files: { encoder: "tiny-encoder.onnx", model: "tiny-decoder.onnx" } },
    "model.json can't be used: files has a model and an encoder, and a model has one of them."
  ],
  [
    "a file that is no ONNX file",
    models.nemo,
    { files: { model: "tokens.txt" } },
    "tokens.txt is not an ONNX file; download it again."
  ]
]

describe("a folder that is no model", () => {
  it("has a reason that says what to do", function* () {
    const folders = cases.map(([, files, manifest], at) => inFolder(`m${at}`, files, manifest))
    const { models: found, notUnderstood } = yield* read(...folders)
    expect(found).toEqual([])
    const reasons = new Map(notUnderstood.map(({ name, reason }) => [name, reason]))
    for (const [at, [name, , , reason]] of cases.entries()) {
      const matching = typeof reason === "string" ? reason : expect.stringMatching(reason)
      expect([name, reasons.get(`m${at}`)]).toEqual([name, matching])
    }
  })

  it("may have links that lead nowhere, or out of the folder by model.json; other links are followed", function* () {
    const folder = yield* temporaryFolder
    const outside = yield* temporaryFolder
    write(outside, models.vits)
    write(folder, {
      ...inFolder("dead", { "tokens.txt": tokens }),
      ...inFolder("out", { "tokens.txt": "a 0\n" }, { files: { model: "net.onnx" } }),
      ...inFolder("linked", { "tokens.txt": "a 0\n" })
    })
    symlinkSync(`${outside}/nothing.onnx`, `${folder}/dead/model.onnx`)
    symlinkSync(`${outside}/model.onnx`, `${folder}/out/net.onnx`)
    symlinkSync(`${outside}/model.onnx`, `${folder}/linked/model.onnx`)
    symlinkSync(outside, `${folder}/whole`)
    symlinkSync(`${outside}/nothing`, `${folder}/nothing`)
    symlinkSync(folder, `${folder}/loop`)
    execFileSync("mkfifo", [`${folder}/pipe`])
    const { models: found, notUnderstood } = yield* ModelFolder.read(folder)
    expect(found.map(({ name }) => name)).toEqual(["linked", "whole"])
    expect(notUnderstood).toEqual([
      { name: "dead", reason: "model.onnx is a link to a file that does not exist; mend the link, or copy the file." },
      {
        name: "loop",
        reason: expect.stringMatching(/^It has several folders with ONNX files: dead, /)
      },
      { name: "nothing", reason: "It is a link to a file that does not exist; mend the link, or copy the file." },
      {
        name: "out",
        reason:
          "net.onnx is a link that leads out of the folder, and model.json may name only files in it; copy the file."
      },
      { name: "pipe", reason: "It is a pipe or a device, not a file." }
    ])
  })

  it("has no ONNX files in a folder behind a link, which may be another model", function* () {
    const folder = yield* temporaryFolder
    write(folder, { ...inFolder("model", models.vits), ...inFolder("empty", { "a.txt": "" }) })
    symlinkSync("..", `${folder}/empty/up`)
    symlinkSync("../model", `${folder}/empty/model`)
    const { notUnderstood } = yield* ModelFolder.read(folder)
    expect(notUnderstood).toEqual([
      { name: "empty", reason: expect.stringMatching(/^There is no ONNX file in it\. A model has/) }
    ])
  })

  it("may be one that can't be read, or whose name is no name of a model", function* () {
    const folder = yield* temporaryFolder
    write(folder, { ...inFolder("closed", models.vits), ...inFolder("two words", models.vits) })
    const { fs } = { fs: yield* FileSystem.FileSystem }
    const denied = new SystemError({
      module: "FileSystem",
      method: "readDirectory",
      reason: "PermissionDenied",
      pathOrDescriptor: ""
    })
    const closed = {
      ...fs,
      readDirectory: (path: string) => (path.endsWith("closed") ? Effect.fail(denied) : fs.readDirectory(path))
    }
    const { notUnderstood } = yield* Effect.provideService(ModelFolder.read(folder), FileSystem.FileSystem, closed)
    expect(notUnderstood).toEqual([
      { name: "closed", reason: "The folder can't be read: this process has no permission; check its permissions." },
      { name: "two words", reason: expect.stringMatching(/^Its name must have 1 to 100 letters.* Rename the folder/) }
    ])
  })
})

describe("the folder itself", () => {
  it("may have other files, archives, single models and hidden folders in it: each that may be meant has a sentence", function* () {
    const { notes, notUnderstood } = yield* read(
      { "README.md": "", "notes.txt": "", ".DS_Store": "", "vits.tar.bz2": "", "model.onnx": onnx(vits) },
      inFolder(".cache", models.vits)
    )
    expect(notUnderstood).toEqual([
      { name: "model.onnx", reason: "Each model has a folder of its own. Move it into one, with its tokens.txt." },
      {
        name: "vits.tar.bz2",
        reason: expect.stringMatching(/^It is an archive\. Unpack it in .*: tar xf vits\.tar\.bz2$/)
      }
    ])
    expect(notes).toEqual([".cache is skipped, because its name begins with a dot. If it is a model, rename it."])
  })

  it("is refused with the folder above it if it is one model", function* () {
    const folder = yield* temporaryFolder
    write(folder, inFolder("m", models.vits))
    const { notUnderstood } = yield* ModelFolder.read(`${folder}/m`)
    expect(notUnderstood).toEqual([
      {
        name: "m",
        reason: `This is the folder of one model. Give the folder above it, in which each model has a folder: ${folder}`
      }
    ])
  })

  it("is an error of its own if it can't be read", function* () {
    const folder = yield* temporaryFolder
    write(folder, { file: "" })
    const missing = yield* Effect.flip(ModelFolder.read(`${folder}/nothing`))
    expect(missing).toMatchObject({ _tag: "ModelFolderUnreadable", folder: `${folder}/nothing`, code: "ENOENT" })
    expect(missing.message).toBe(`The folder of models ${folder}/nothing does not exist; check the path.`)
    const file = yield* Effect.flip(ModelFolder.read(`${folder}/file`))
    expect(file.message).toBe(`The folder of models ${folder}/file is not a folder, or its path leads through a file.`)
  })
})
