import { closeSync, openSync, truncateSync, writeSync } from "node:fs"
import { basename } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { ModelFolder } from "@effect-speech/engine-sherpa"
import { effectTests } from "effect-speech-test-support/effectTests"
import {
  espeak,
  type Files,
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

/** The names of a model's files, those of a role together. */
const filesOf = ({ files }: ModelFolder.ModelDescription) =>
  Object.fromEntries(
    Object.entries(files).flatMap(([role, path]: [string, string | ReadonlyArray<string> | undefined]) =>
      path === undefined || path.length === 0
        ? []
        : [[role, typeof path === "string" ? basename(path) : path.map((each) => basename(each)).join()]]
    )
  )

const nemoTransducer = {
  "encoder.int8.onnx": onnx({ ...nemo, model_type: "EncDecRNNTBPEModel", pred_rnn_layers: 2, pred_hidden: 640 }),
  "decoder.int8.onnx": onnx(),
  "joiner.int8.onnx": onnx(),
  "tokens.txt": tokens
}

const senseVoice = {
  ...{
    model_type: "sense_voice_ctc",
    vocab_size: 25055,
    lfr_window_size: 7,
    lfr_window_shift: 6,
    normalize_samples: 0
  },
  ...{ with_itn: 14, without_itn: 15, lang_auto: 0, lang_zh: 3, lang_en: 4, lang_yue: 7, lang_ja: 11, lang_ko: 12 },
  ...{ neg_mean: "-8.3,-8.6", inv_stddev: "0.15,0.15" }
}

/** The archives of each family, as they are published for sherpa-onnx, and what is read in them. */
const archives: ReadonlyArray<
  readonly [name: string, files: Files, family: string, languages: string, parts: Readonly<Record<string, string>>]
> = [
  [
    "sherpa-onnx-zipformer-en-2023-04-01",
    transducer,
    "transducer",
    "en",
    {
      encoder: "encoder-epoch-99-avg-1.int8.onnx",
      decoder: "decoder-epoch-99-avg-1.onnx",
      joiner: "joiner-epoch-99-avg-1.int8.onnx",
      tokens: "tokens.txt",
      bpeVocab: "bpe.vocab"
    }
  ],
  [
    "sherpa-onnx-nemo-transducer-giga-am-russian-2024-10-24",
    nemoTransducer,
    "nemo-transducer",
    "ru",
    {
      encoder: "encoder.int8.onnx",
      decoder: "decoder.int8.onnx",
      joiner: "joiner.int8.onnx",
      tokens: "tokens.txt"
    }
  ],
  [
    "sherpa-onnx-nemo-fast-conformer-ctc-be-de-en-es-fr-hr-it-pl-ru-uk-20k",
    { "model.onnx": onnx({ ...nemo, model_type: "EncDecHybridRNNTCTCBPEModel" }), "tokens.txt": tokens },
    "nemo-ctc",
    "be,de,en,es,fr,hr,it,pl,ru,uk",
    { model: "model.onnx", tokens: "tokens.txt" }
  ],
  [
    "indicconformer_stt_hi_hybrid_ctc_rnnt_large",
    { ...models.nemo, "model.onnx": onnx(nemo) },
    "nemo-ctc",
    "hi",
    { model: "model.int8.onnx", tokens: "tokens.txt" }
  ],
  [
    "sherpa-onnx-zipformer-ctc-zh-int8-2025-07-03",
    { "model.int8.onnx": onnx({ model_type: "zipformer2_ctc" }), "tokens.txt": tokens },
    "zipformer-ctc",
    "zh",
    { model: "model.int8.onnx", tokens: "tokens.txt" }
  ],
  [
    "sherpa-onnx-wenetspeech-yue-u2pp-conformer-ctc-zh-en-cantonese-int8-2025-09-10",
    { "model.int8.onnx": onnx({ ...nemo, model_type: "wenet_ctc" }), "tokens.txt": tokens },
    "wenet-ctc",
    "yue",
    { model: "model.int8.onnx", tokens: "tokens.txt" }
  ],
  [
    "sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17",
    { "model.int8.onnx": onnx(senseVoice), "tokens.txt": "<unk> 0\n" },
    "sense-voice",
    "zh,en,ja,ko,yue",
    { model: "model.int8.onnx", tokens: "tokens.txt" }
  ],
  [
    "sherpa-onnx-whisper-tiny",
    { ...models.whisper, "tiny-encoder.int8.onnx": onnx(whisper), "tiny-decoder.int8.onnx": onnx() },
    "whisper",
    "en,zh,hi,ta,bn",
    { encoder: "tiny-encoder.int8.onnx", decoder: "tiny-decoder.int8.onnx", tokens: "tiny-tokens.txt" }
  ],
  [
    "sherpa-onnx-whisper-tiny.en",
    {
      "tiny.en-encoder.onnx": onnx({ ...whisper, is_multilingual: 0 }),
      "tiny.en-decoder.onnx": onnx(),
      "tiny.en-tokens.txt": "YQ== 0\n"
    },
    "whisper",
    "en",
    { encoder: "tiny.en-encoder.onnx", decoder: "tiny.en-decoder.onnx", tokens: "tiny.en-tokens.txt" }
  ],
  [
    "vits-piper-hi_IN-pratham-medium",
    { "hi_IN-pratham-medium.onnx": onnx(piper), "tokens.txt": "_ 0\n", ...espeak, MODEL_CARD: "" },
    "piper",
    "hi",
    { model: "hi_IN-pratham-medium.onnx", tokens: "tokens.txt", dataDir: "espeak-ng-data" }
  ],
  [
    "vits-mms-hin",
    {
      "model.onnx": onnx({ ...vits, comment: "mms", language: "unknown", frontend: "characters" }),
      "tokens.txt": "a 0\n"
    },
    "vits",
    "hi",
    { model: "model.onnx", tokens: "tokens.txt" }
  ],
  [
    "vits-melo-tts-zh_en",
    {
      "model.onnx": onnx({
        ...vits,
        model_type: "melo-vits",
        comment: "melo",
        frontend: "",
        language: "Chinese + English"
      }),
      ...{ "tokens.txt": "a 0\n", "lexicon.txt": "", "date.fst": "", "number.fst": "", "phone.fst": "", "rule.far": "" }
    },
    "vits",
    "zh,en",
    {
      model: "model.onnx",
      tokens: "tokens.txt",
      lexicons: "lexicon.txt",
      ruleFsts: "phone.fst,date.fst,number.fst",
      ruleFars: "rule.far"
    }
  ],
  [
    "kokoro-multi-lang-v1_0",
    {
      "model.onnx": onnx({
        ...kokoro,
        ...{ language: "multi-lang, e.g., English, Chinese", n_speakers: 2, style_dim: "510,1,256", version: 2 },
        speaker_names: "af_alloy,zm_yunxi"
      }),
      ...{ "voices.bin": "", "tokens.txt": "a 0\n", "number-zh.fst": "", ...espeak },
      ...{ "lexicon-gb-en.txt": "", "lexicon-us-en.txt": "", "lexicon-zh.txt": "" }
    },
    "kokoro",
    "en,zh",
    {
      model: "model.onnx",
      voices: "voices.bin",
      tokens: "tokens.txt",
      dataDir: "espeak-ng-data",
      lexicons: "lexicon-us-en.txt,lexicon-zh.txt"
    }
  ],
  [
    "kitten-nano-en-v0_1-fp16",
    {
      "model.fp16.onnx": onnx({ ...kokoro, model_type: "kitten-tts", n_speakers: 8, style_dim: "1,256" }),
      ...{ "voices.bin": "", "tokens.txt": "a 0\n", ...espeak }
    },
    "kitten",
    "en",
    { model: "model.fp16.onnx", voices: "voices.bin", tokens: "tokens.txt", dataDir: "espeak-ng-data" }
  ]
]

describe("the models of a folder", () => {
  it("are known without a model.json if they are archives as published for sherpa-onnx", function* () {
    const found = yield* read(...archives.map(([name, files]) => inFolder(name, files)))
    expect(found.notUnderstood).toEqual([])
    const described = found.models.map((model) => [model.name, model.family, model.languages.join(), filesOf(model)])
    expect(new Set(described)).toEqual(
      new Set(archives.map(([name, , family, languages, parts]) => [name, family, languages, parts]))
    )
    const names = found.models.map(({ name }) => name)
    expect(names).toEqual(names.toSorted())
  })

  it("have the rate, the speakers, the licence and the size of their files", function* () {
    const named = onnx({ ...vits, comment: "mimic3", n_speakers: 3, sample_rate: 22_050, license: "MIT license" })
    const files = { "model.onnx": named, "model.weights": "12345", "tokens.txt": "a 0\n", LICENSE: "" }
    const readme = "---\nlanguage: hi\nlicense: apache-2.0\n---\n# A voice\n"
    const { models: found } = yield* read(
      inFolder("a", files),
      inFolder("b", { ...models.vits, "README.md": readme }),
      inFolder("c", { ...models.nemo, "COPYING.txt": "" }, { languages: ["hi"], numThreads: 2, name: "calls" }),
      inFolder("d", models.vits, { licence: "Ours", voices: { priya: 0 } })
    )
    expect(found).toMatchObject([
      {
        name: "a",
        sampleRate: 22_050,
        voices: { "a-0": 0, "a-1": 1, "a-2": 2 },
        licence: "MIT license",
        bytes: named.length + 5 + 4
      },
      { name: "b", sampleRate: 16_000, voices: { b: 0 }, licence: "apache-2.0" },
      { name: "calls", sampleRate: 16_000, licence: "COPYING.txt", numThreads: 2 },
      { name: "d", licence: "Ours", voices: { priya: 0 } }
    ])
  })

  it("may be files that only model.json knows, also in folders within", function* () {
    const other = { "one/net.onnx": onnx(nemo), "two/net.onnx": onnx(nemo), "one/words.txt": tokens }
    const { models: found } = yield* read(
      inFolder("m", other, { languages: ["hi"], files: { model: "two/net.onnx", tokens: "one/words.txt" } })
    )
    expect(found).toMatchObject([{ family: "nemo-ctc", bytes: onnx(nemo).length + Buffer.byteLength(tokens) }])
    expect(filesOf(found[0] as ModelFolder.ModelDescription)).toEqual({ model: "net.onnx", tokens: "words.txt" })
  })

  it("cost some kilobytes to read, however large they are", function* () {
    const folder = yield* temporaryFolder
    write(folder, inFolder("m", models.vits))
    const path = `${folder}/m/model.onnx`
    const [head, metadata] = [Buffer.from([8, 8, 0x3a, 0x80, 0x80, 0x80, 0x80, 0x04]), onnx(vits, 0).subarray(13)]
    // A graph of a gibibyte, which takes no room on the disk.
    truncateSync(path, 0)
    truncateSync(path, head.length + 2 ** 30)
    const file = openSync(path, "r+")
    writeSync(file, head, 0, head.length, 0)
    writeSync(file, metadata, 0, metadata.length, head.length + 2 ** 30)
    closeSync(file)
    const before = process.memoryUsage().arrayBuffers
    const { models: found } = yield* ModelFolder.read(folder)
    expect(found).toMatchObject([{ name: "m", bytes: 2 ** 30 + head.length + metadata.length + 4 }])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
  })
})
