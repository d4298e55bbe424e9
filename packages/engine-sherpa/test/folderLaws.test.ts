import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { describe as describeModel } from "../src/internal/folder/describe.js"
import type { ModelDescription } from "../src/internal/folder/description.js"
import type { Facts, FileFacts } from "../src/internal/folder/facts.js"
import { parseManifest } from "../src/internal/folder/manifest.js"
import { offersOf } from "../src/internal/folder/offers.js"
import { type Metadata, nemo, vits, whisper } from "./modelFiles.js"

const { constantFrom } = FastCheck

/** Names of files as they are published, and as they are not. */
const fileNames = constantFrom(
  ...["model.onnx", "model.int8.onnx", "encoder.onnx", "tiny-encoder.int8.onnx", "tiny-decoder.onnx", "joiner.onnx"],
  ...["encoder-decoder.onnx", ".onnx", "int8.onnx", "voices.bin", "lexicon.txt", "rule.fst", "LICENSE", "tokens.txt"],
  ...["tiny-tokens.txt", "bpe.vocab", "model.onnx.json", "a/model.onnx"]
)

const anyText = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme" }),
  constantFrom("0", "-1", "1e9", "hi,en,", "__proto__")
)

const entriesOf = (metadata: Metadata) => new Map(Object.entries(metadata).map(([key, value]) => [key, String(value)]))

/** Changes a few values of metadata. */
const changes = FastCheck.dictionary(
  constantFrom("model_type", "sample_rate", "n_speakers", "language", "speaker_names", "license", "comment"),
  anyText,
  { maxKeys: 2 }
)

const otherFile = FastCheck.record({
  bytes: FastCheck.nat(),
  metadata: constantFrom<Metadata>(nemo, vits, whisper, {}).map(entriesOf),
  tokens: FastCheck.record({
    tokens: FastCheck.constantFrom(new Set<string>(), new Set(["<blk>"])),
    size: FastCheck.nat(5)
  }),
  problem: FastCheck.option(FastCheck.constant("is cut off"), { nil: undefined })
})

const kokoro = { model_type: "kokoro", sample_rate: 24_000, n_speakers: 3, has_espeak: 1, style_dim: "1", voice: "hi" }

/** The files of whole models. */
const whole = constantFrom<Readonly<Record<string, Metadata>>>(
  { "model.int8.onnx": nemo, "tokens.txt": {} },
  { "tiny-encoder.onnx": whisper, "tiny-decoder.onnx": {}, "tiny-tokens.txt": {} },
  { "model.onnx": vits, "tokens.txt": {} },
  { "model.onnx": { ...vits, comment: "piper", n_speakers: 3 }, "tokens.txt": {} },
  { "model.fp16.onnx": kokoro, "voices.bin": {}, "tokens.txt": {} }
)

/** The files of a model, some of them changed, and a few others. */
const files = FastCheck.tuple(
  whole,
  FastCheck.oneof({ weight: 2, arbitrary: FastCheck.constant({}) }, { weight: 1, arbitrary: changes }),
  FastCheck.array(FastCheck.tuple(fileNames, otherFile), { maxLength: 2 })
).map(([model, changed, others]): ReadonlyMap<string, FileFacts> => {
  const own = Object.entries(model).map(
    ([path, metadata]) =>
      [
        path,
        { bytes: 1, metadata: entriesOf({ ...metadata, ...changed }), tokens: { tokens: new Set(["<blk>"]), size: 3 } }
      ] as const
  )
  return new Map<string, FileFacts>([...own, ...others])
})

const names = FastCheck.stringMatching(/^[a-c]{1,2}$/)
const languages = FastCheck.uniqueArray(constantFrom("hi", "ta", "en"), { minLength: 1 })
const voiceNames = FastCheck.oneof(names, constantFrom("default_female", "default_male"))

const manifest = FastCheck.record(
  {
    languages: languages.map(([first = "hi", ...others]) => [first, ...others] as const),
    voices: FastCheck.dictionary(voiceNames, FastCheck.nat(3), { minKeys: 1 }),
    files: FastCheck.oneof(
      { weight: 3, arbitrary: FastCheck.constant({}) },
      {
        weight: 1,
        arbitrary: FastCheck.record({ model: fileNames, encoder: fileNames, tokens: fileNames }, { requiredKeys: [] })
      }
    )
  },
  { requiredKeys: [] }
)

const facts: FastCheck.Arbitrary<Facts> = FastCheck.record({
  name: FastCheck.oneof({ weight: 4, arbitrary: names }, { weight: 1, arbitrary: anyText }),
  folder: FastCheck.constant("/models/m"),
  files,
  hasEspeakData: FastCheck.boolean(),
  inner: FastCheck.subarray(["a", "b"]),
  manifest,
  licence: FastCheck.option(anyText, { nil: undefined })
})

const common = FastCheck.record({
  name: names,
  folder: FastCheck.constant(""),
  languages,
  licence: FastCheck.constant(undefined),
  bytes: FastCheck.nat(),
  numThreads: FastCheck.constant(undefined)
})

const model = FastCheck.oneof(
  common.map((described) => ({
    ...described,
    _tag: "Recogniser" as const,
    family: "nemo-ctc" as const,
    files: { model: "", tokens: "" },
    sampleRate: 16_000 as const
  })),
  FastCheck.tuple(common, FastCheck.dictionary(voiceNames, FastCheck.nat(3), { minKeys: 1 })).map(
    ([described, voices]) => ({
      ...described,
      _tag: "Voice" as const,
      family: "vits" as const,
      files: { model: "", tokens: "", dataDir: undefined, lexicons: [], ruleFsts: [], ruleFars: [] },
      sampleRate: 16_000,
      voices
    })
  )
)

const models: FastCheck.Arbitrary<ReadonlyArray<ModelDescription>> = FastCheck.uniqueArray(model, {
  selector: ({ name }) => name
})

const isOnce = (names: ReadonlyArray<string>) => expect(names.toSorted()).toEqual([...new Set(names)].toSorted())

describe("any folder", () => {
  it("is a model with a language and its files, or has a sentence on one line", () => {
    FastCheck.assert(
      FastCheck.property(facts, (given) => {
        const found = describeModel(given)
        if (Either.isLeft(found)) {
          expect(found.left).toMatch(/^[^\n\r]+[.:}]( .+)?$/)
          return
        }
        const { bytes, files, languages, name, ...rest } = found.right
        expect([languages.length > 0, bytes >= 0, name.length > 0]).toEqual([true, true, true])
        for (const path of Object.values(files).flat()) expect(path ?? "/models/m/none").toMatch(/^\/models\/m\/./)
        if (rest._tag === "Voice") expect(Object.keys(rest.voices)).not.toEqual([])
      }),
      { seed: 36, numRuns: 500 }
    )
  })

  it("may have any model.json: it is read, or the sentence names it", () => {
    const json = FastCheck.oneof(
      FastCheck.string(),
      FastCheck.json(),
      manifest.map((each) => JSON.stringify(each))
    )
    FastCheck.assert(
      FastCheck.property(json, (text) => {
        const read = parseManifest(text)
        if (Either.isLeft(read)) expect(read.left).toMatch(/^model\.json can't be used: .+\.$/s)
      }),
      { seed: 36, numRuns: 500 }
    )
  })
})

describe("the names of any models", () => {
  const aliases = FastCheck.dictionary(names, FastCheck.array(names, { maxLength: 3 }))

  it("are each that of one model, and every model has a name in each of its languages or a note", () => {
    FastCheck.assert(
      FastCheck.property(models, aliases, (all, given) => {
        const { notes, recognisers, voices } = offersOf(all, new Map(Object.entries(given)))
        isOnce(recognisers.map(({ name }) => name))
        isOnce(voices.flatMap(({ languages, name }) => languages.map((lang) => `${lang} ${name}`)))
        for (const { model, speaker } of voices) expect(Object.values(model.voices)).toContain(speaker)
        for (const { lang, model, name } of recognisers) {
          expect(model.languages).toContain(lang)
          expect(name).not.toBe("")
        }
        for (const { _tag, languages, name } of all) {
          for (const lang of languages) {
            if (_tag === "Recogniser") {
              const isOffered = recognisers.some((each) => each.model.name === name && each.lang === lang)
              expect(isOffered || notes.some((note) => note.includes(name))).toBe(true)
              expect(recognisers.some((each) => each.name === `${lang}-general-v2-8khz`)).toBe(true)
            } else {
              const inLanguage = voices.filter((each) => each.languages.includes(lang)).map((each) => each.name)
              expect(inLanguage).toEqual(expect.arrayContaining(["default_female", "default_male"]))
            }
          }
        }
      }),
      { seed: 36, numRuns: 500 }
    )
  })
})
