import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { effectTests } from "effect-speech-test-support/effectTests"
import { type Files, inFolder, models, onnx, read, tokens, vits, whisper } from "./modelFiles.js"

const it = effectTests(NodeFileSystem.layer)

/** What is said of a folder, or of a file, that is no model. */
const reasonsOf = (...files: ReadonlyArray<Files>) =>
  Effect.map(read(...files), ({ notUnderstood }) => Object.fromEntries(notUnderstood.map((m) => [m.name, m.reason])))

const lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 13\n"
const encoder = onnx({ model_type: "zipformer2" })
const decoder = onnx({ vocab_size: 2, context_size: 2 })

describe("the advice for a folder that is no model", () => {
  it("says which part of a transducer is missing, and how to name parts with unusual names", function* () {
    const reasons = yield* reasonsOf(
      inFolder("cut", { "encoder.onnx": encoder, "decoder.onnx": decoder, "tokens.txt": tokens }),
      inFolder("named", { "enc.onnx": encoder, "dec.onnx": decoder, "join.onnx": onnx(), "tokens.txt": tokens }),
      inFolder("heard", { "enc.onnx": onnx(whisper), "dec.onnx": onnx(), "tokens.txt": tokens })
    )
    expect(reasons).toEqual({
      cut: "It has an encoder and a decoder, but no joiner. Copy all files of the model into the folder.",
      named: expect.stringMatching(/\{"files": \{"encoder": "…", "decoder": "…", "joiner": "…"\}\}\.$/),
      heard: expect.stringMatching(/\{"files": \{"encoder": "…", "decoder": "…"\}\}\.$/)
    })
  })

  it("says that a model is not supported, or is for another program, and what to use instead", function* () {
    const moonshine = ["preprocess", "encode", "uncached_decode", "cached_decode"].map((name) => [
      `${name}.onnx`,
      onnx()
    ])
    const reasons = yield* reasonsOf(
      inFolder("moonshine", { ...Object.fromEntries(moonshine), "tokens.txt": tokens }),
      inFolder("moonshine2", { "encoder_model.ort": "", "decoder_model_merged.ort": "", "tokens.txt": tokens }),
      inFolder("nemo", { "indicconformer.nemo": "" }),
      inFolder("cpp", { "ggml-small.bin": "" }),
      inFolder("torch", { "config.json": "{}", "model.safetensors": "" }),
      inFolder("piper", { "hi_IN-rohan-medium.onnx": onnx(), "hi_IN-rohan-medium.onnx.json": "{}" })
    )
    expect(reasons).toEqual({
      moonshine: "Models of Moonshine are not supported. Use another one, such as Whisper.",
      moonshine2: expect.stringMatching(/decoder_model_merged\.ort is in the format of new models of Moonshine/),
      nemo: expect.stringMatching(/indicconformer\.nemo is a checkpoint of NeMo\. .*scripts\/nemo of sherpa-onnx\.$/),
      cpp: expect.stringMatching(/ggml-small\.bin is in the format of whisper\.cpp\..*sherpa-onnx-whisper-small\.$/),
      torch: expect.stringMatching(/model\.safetensors is a model for PyTorch\./),
      piper: expect.stringMatching(/Download the archive vits-piper-hi_IN-rohan-medium of sherpa-onnx\.$/)
    })
  })

  it("says that tokens.txt was not downloaded itself", function* () {
    const reasons = yield* reasonsOf(
      inFolder("pointer", { ...models.vits, "tokens.txt": lfs }),
      inFolder("page", { ...models.vits, "tokens.txt": "<!DOCTYPE html>" })
    )
    expect(reasons).toEqual({
      pointer: "tokens.txt is a pointer of Git LFS, not the file itself; run git lfs pull where you cloned it.",
      page: "tokens.txt is a web page, not a file of a model; download the file itself."
    })
  })

  it("names each folder within that may be a model", function* () {
    const { a, b } = { a: inFolder("twice/a", models.vits), b: inFolder("twice/b", models.whisper) }
    expect(yield* reasonsOf(a, b)).toEqual({
      twice: "It has several folders with ONNX files: a, b. If each is a model, move them up, beside this folder."
    })
  })

  it("tells files beside the models apart: parts of other models, and models of other programs", function* () {
    const reasons = yield* reasonsOf({
      ...{ "silero_vad.onnx": onnx(), "vocos-22khz-univ.onnx": onnx(), "hi.nemo": "" },
      ...{ "hi_IN-rohan-medium.onnx": onnx(), "hi_IN-rohan-medium.onnx.json": "{}" }
    })
    expect(reasons).toEqual({
      "silero_vad.onnx": expect.stringMatching(/^It finds speech .* remove it\.$/),
      "vocos-22khz-univ.onnx": "It is a part of voices of Matcha, which are not supported. Remove it.",
      "hi.nemo": expect.stringMatching(/^hi\.nemo is a checkpoint of NeMo\./),
      "hi_IN-rohan-medium.onnx": expect.stringMatching(/vits-piper-hi_IN-rohan-medium/)
    })
  })

  it("asks for the folder above if it is the folder of one model, also of Whisper", function* () {
    const { notUnderstood } = yield* read(models.whisper)
    expect(notUnderstood.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^This is the folder of one model\. Give the folder above it/)
    ])
  })
})

describe("a model.json", () => {
  it("may have a code of three letters for a language of two", function* () {
    const { recognisers } = yield* read(inFolder("m", models.nemo, { languages: ["hin"] }))
    expect(recognisers.map(({ lang, name }) => [lang, name])).toEqual([
      ["hi", "m"],
      ["hi", "hi-general-v2-8khz"]
    ])
  })

  it("may choose only the defaults: the voices keep their names", function* () {
    const two = { ...models.vits, "model.onnx": onnx({ ...vits, n_speakers: 2 }) }
    const { notes, voices } = yield* read(inFolder("two", two, { voices: { default_female: 1, default_male: 0 } }))
    expect(voices.map(({ name, speaker }) => [name, speaker])).toEqual([
      ["default_female", 1],
      ["default_male", 0],
      ["two-0", 0],
      ["two-1", 1]
    ])
    expect(notes).toEqual([])
  })
})
