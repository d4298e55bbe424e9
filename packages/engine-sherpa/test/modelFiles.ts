/**
 * Folders of models whose files hold all but the models.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import { ModelFolder } from "@effect-speech/engine-sherpa"
import * as Effect from "effect/Effect"

export type Metadata = Readonly<Record<string, string | number>>

const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]

/** A field of protobuf that holds bytes. */
export const field = (number: number, content: Uint8Array | string): Uint8Array => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes])
}

/** An ONNX file with this metadata. Its graph is zeros. */
export const onnx = (metadata: Metadata = {}, graphBytes = 10): Uint8Array =>
  Buffer.concat([
    Buffer.from([8, 8]),
    field(2, "by hand"),
    field(7, new Uint8Array(graphBytes)),
    field(8, Buffer.from([16, 13])),
    ...Object.entries(metadata).map(([key, value]) =>
      field(14, Buffer.concat([field(1, key), field(2, String(value))]))
    )
  ])

export type Files = Readonly<Record<string, string | Uint8Array>>

/** Writes files with the folders that they are in. */
export const write = (folder: string, files: Files): void => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

export const tokens = "<blk> 0\n▁a 1\n"

export const nemo = { model_type: "EncDecCTCModelBPE", vocab_size: 2, subsampling_factor: 8, normalize_type: "" }

export const whisper = {
  ...{ model_type: "whisper-tiny", n_mels: 80, n_text_layer: 4, n_text_ctx: 448, n_text_state: 384, n_vocab: 51865 },
  ...{
    sot: 50258,
    eot: 50257,
    blank_id: 220,
    translate: 50358,
    transcribe: 50359,
    no_timestamps: 50363,
    no_speech: 50362
  },
  ...{
    sot_sequence: "50258,50259,50359",
    is_multilingual: 1,
    all_language_codes: "en,zh,hi,ta,bn",
    all_language_tokens: "1,2,3,4,5"
  }
}

export const vits = {
  ...{ model_type: "vits", comment: "tiny", language: "Hindi", frontend: "characters" },
  ...{ n_speakers: 1, sample_rate: 16_000 }
}

/** As icefall publishes it: each network twice. */
export const transducer = {
  "encoder-epoch-99-avg-1.int8.onnx": onnx({ model_type: "zipformer2" }),
  "encoder-epoch-99-avg-1.onnx": onnx({ model_type: "zipformer2" }),
  "decoder-epoch-99-avg-1.int8.onnx": onnx({ vocab_size: 2, context_size: 2 }),
  "decoder-epoch-99-avg-1.onnx": onnx({ vocab_size: 2, context_size: 2 }),
  "joiner-epoch-99-avg-1.int8.onnx": onnx(),
  "joiner-epoch-99-avg-1.onnx": onnx(),
  "bpe.vocab": "",
  "tokens.txt": tokens
}

export const espeak = Object.fromEntries(
  ["phontab", "phonindex", "phondata", "intonations"].map((name) => [`espeak-ng-data/${name}`, ""])
)
export const piper = { ...vits, comment: "piper", frontend: "", voice: "hi", sample_rate: 22_050 }
export const kokoro = { model_type: "kokoro", language: "English", voice: "en-us", has_espeak: 1, sample_rate: 24_000 }

/** A whole model in its own folder. */
export const models = {
  nemo: { "model.int8.onnx": onnx(nemo), "tokens.txt": tokens },
  whisper: { "tiny-encoder.onnx": onnx(whisper), "tiny-decoder.onnx": onnx(), "tiny-tokens.txt": "YQ== 0\n" },
  vits: { "model.onnx": onnx(vits), "tokens.txt": "a 0\n" }
} satisfies Record<string, Files>

/** The files of a model, in a folder of this name. `model.json` is written from `manifest`. */
export const inFolder = (name: string, files: Files, manifest?: unknown): Files => ({
  ...Object.fromEntries(Object.entries(files).map(([path, content]) => [`${name}/${path}`, content])),
  ...(manifest !== undefined && {
    [`${name}/model.json`]: typeof manifest === "string" ? manifest : JSON.stringify(manifest)
  })
})

export const temporaryFolder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

/** Reads a folder of these files. */
export const read = (...files: ReadonlyArray<Files>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    for (const each of files) write(folder, each)
    return yield* ModelFolder.read(folder)
  })
