/** Models that are damaged, each in its own way. */
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { type TinyFamily, tinyName, writeTinyModels } from "effect-speech-test-support/tinyModels"

/**
 * What the service makes of a damaged model:
 *
 * - `not offered`: the service rejects its files at the start, so no request can name it
 * - `refused`: it can't be loaded
 * - `fails`: it can be loaded, but fails on each request
 * - `works`: the damage does no harm
 */
export type Fate = "not offered" | "refused" | "fails" | "works"

export interface Damage {
  readonly what: string
  readonly family: TinyFamily
  readonly fate: Fate
  /** Damages the model in a folder. */
  readonly damage: (folder: string) => void
}

/** The file with the metadata of the model. */
const mainFiles: Readonly<Record<TinyFamily, string>> = {
  "nemo-ctc": "model.int8.onnx",
  zipformer: "encoder-epoch-99-avg-1.int8.onnx",
  whisper: "tiny-encoder.int8.onnx",
  vits: "model.onnx",
  piper: "en_US-tiny-low.onnx"
}
const tokenFile = (family: TinyFamily) => (family === "whisper" ? "tiny-tokens.txt" : "tokens.txt")

const rewrite = (path: string, change: (bytes: Buffer) => string | Uint8Array) =>
  writeFileSync(path, change(readFileSync(path)))
const rewriteText = (path: string, change: (text: string) => string) =>
  rewrite(path, (bytes) => change(bytes.toString()))

/** An ONNX file whose metadata has another value: of two entries, the last counts. */
const withEntry = (key: string, value: string) => (onnx: Buffer) => {
  const part = (tag: number, text: string) => Buffer.concat([Buffer.from([tag, text.length]), Buffer.from(text)])
  const entry = Buffer.concat([part(0x0a, key), part(0x12, value)])
  return Buffer.concat([onnx, Buffer.from([0x72, entry.length]), entry])
}
/** An ONNX file whose metadata lacks an entry. */
const withoutEntry = (key: string) => (onnx: Buffer) => {
  const renamed = Buffer.from(onnx)
  for (let at = renamed.indexOf(key); at !== -1; at = renamed.indexOf(key)) renamed.fill("x", at, at + key.length)
  return renamed
}

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"ab".repeat(32)}\nsize 123456789\n`

/** Damages the main file. */
const main = (
  family: TinyFamily,
  what: string,
  fate: Fate,
  change: (bytes: Buffer) => string | Uint8Array,
  file = mainFiles[family]
): Damage => ({ family, what, fate, damage: (folder) => rewrite(join(folder, file), change) })

const tokens = (family: TinyFamily, what: string, fate: Fate, change: (text: string) => string): Damage => ({
  family,
  what,
  fate,
  damage: (folder) => rewriteText(join(folder, tokenFile(family)), change)
})

const manifest = (what: string, text: string, family: TinyFamily = "nemo-ctc"): Damage => ({
  family,
  what: `model.json ${what}`,
  fate: "not offered",
  damage: (folder) => writeFileSync(join(folder, "model.json"), text)
})

const without = (family: TinyFamily, file: string): Damage => ({
  family,
  what: `no ${file}`,
  fate: "not offered",
  damage: (folder) => rmSync(join(folder, file), { recursive: true })
})

const graphs: ReadonlyArray<Damage> = [
  main("nemo-ctc", "no metadata at all", "not offered", (onnx) => onnx.subarray(0, onnx.indexOf("model_type") - 4)),
  main("nemo-ctc", "no vocab_size", "not offered", withoutEntry("vocab_size")),
  main("nemo-ctc", "subsampling_factor 0", "not offered", withEntry("subsampling_factor", "0")),
  main("nemo-ctc", "a vocab_size that tokens.txt does not have", "works", withEntry("vocab_size", "7")),
  main("nemo-ctc", "a truncated graph", "not offered", (onnx) => onnx.subarray(0, onnx.length / 2)),
  main("nemo-ctc", "damaged bytes in the graph", "refused", (onnx) => Buffer.from(onnx).fill(0xff, 24, 60)),
  main("nemo-ctc", "a pointer of Git LFS", "not offered", () => pointer),
  main("nemo-ctc", "an empty file", "not offered", () => ""),
  main("nemo-ctc", "another file than ONNX", "not offered", () => Buffer.alloc(5000, "GIF89a")),
  main("vits", "sample_rate 0", "not offered", withEntry("sample_rate", "0")),
  main("vits", "sample_rate -1", "not offered", withEntry("sample_rate", "-1")),
  main("vits", "a sample_rate in words", "not offered", withEntry("sample_rate", "fast")),
  main("vits", "no n_speakers", "not offered", withoutEntry("n_speakers")),
  main("whisper", "no n_text_ctx", "not offered", withoutEntry("n_text_ctx")),
  main("whisper", "n_mels 0", "not offered", withEntry("n_mels", "0")),
  main("zipformer", "a truncated encoder", "not offered", (onnx) => onnx.subarray(0, onnx.length / 2)),
  main("zipformer", "no context_size", "not offered", withoutEntry("context_size"), "decoder-epoch-99-avg-1.onnx"),
  main("zipformer", "context_size 0", "not offered", withEntry("context_size", "0"), "decoder-epoch-99-avg-1.onnx"),
  main("zipformer", "an empty joiner", "not offered", () => "", "joiner-epoch-99-avg-1.int8.onnx"),
  main("piper", "a voice that espeak-ng has not", "fails", withEntry("voice", "xx-nowhere"))
]

const files: ReadonlyArray<Damage> = [
  tokens("nemo-ctc", "tokens.txt without <blk>", "not offered", (text) => text.replace("<blk>", "q2")),
  tokens("nemo-ctc", "tokens.txt with three words in a line", "not offered", (text) => text.replace("a 1", "a b 1")),
  tokens("nemo-ctc", "a token with an id out of range", "works", (text) => text.replace("a 1\n", "a 999999\n")),
  tokens("nemo-ctc", "an empty tokens.txt", "not offered", () => ""),
  tokens("vits", "a token with an id out of range", "fails", (text) => text.replace("e 5\n", "e 4000\n")),
  tokens("vits", "tokens.txt without numbers", "not offered", (text) => text.replaceAll(/ \d+/g, "")),
  tokens("whisper", "tokens that are not base64", "refused", (text) => text.replaceAll(/^\S+/gm, "?!")),
  without("nemo-ctc", "tokens.txt"),
  without("whisper", "tiny-decoder.int8.onnx"),
  without("piper", "espeak-ng-data"),
  {
    family: "piper",
    what: "an espeak-ng-data without phonemes",
    fate: "not offered",
    damage: (folder) => rmSync(join(folder, "espeak-ng-data/phontab"))
  },
  {
    family: "whisper",
    what: "an encoder in place of the decoder",
    fate: "refused",
    damage: (folder) => copyFileSync(join(folder, mainFiles.whisper), join(folder, "tiny-decoder.int8.onnx"))
  },
  {
    family: "nemo-ctc",
    what: "a dead link",
    fate: "not offered",
    damage: (folder) => {
      rmSync(join(folder, mainFiles["nemo-ctc"]))
      symlinkSync(join(folder, "elsewhere.onnx"), join(folder, mainFiles["nemo-ctc"]))
    }
  },
  {
    family: "vits",
    what: "a folder in place of the file",
    fate: "not offered",
    damage: (folder) => {
      rmSync(join(folder, mainFiles.vits))
      mkdirSync(join(folder, mainFiles.vits))
    }
  },
  {
    family: "nemo-ctc",
    what: "a file of 4 GB without a byte in it",
    fate: "not offered",
    damage: (folder) => {
      writeFileSync(join(folder, mainFiles["nemo-ctc"]), "")
      truncateSync(join(folder, mainFiles["nemo-ctc"]), 4 * 2 ** 30)
    }
  }
]

const manifests: ReadonlyArray<Damage> = [
  manifest("that is not JSON", "{languages: [en]}"),
  manifest("with a list", "[]"),
  manifest("with an unknown field", '{"languages": ["en"], "language": "en"}'),
  manifest("with a name of two words", '{"languages": ["en"], "name": "two words"}'),
  manifest("without a language", '{"languages": []}'),
  manifest("with a language in words", '{"languages": ["English"]}'),
  manifest("with numThreads 0", '{"languages": ["en"], "numThreads": 0}'),
  manifest("with a file outside the folder", '{"languages": ["en"], "files": {"model": "../good/model.int8.onnx"}}'),
  manifest("with a file that is not there", '{"languages": ["en"], "files": {"model": "other.onnx"}}'),
  manifest("of 100 kB", `{"languages": ["en"]${" ".repeat(100_000)}}`),
  manifest("with a language that Whisper has not", '{"languages": ["xx"]}', "whisper"),
  manifest("with a voice that the model has not", '{"languages": ["en"], "voices": {"nobody": 2}}', "vits"),
  manifest("with a voice below 0", '{"languages": ["en"], "voices": {"nobody": -1}}', "vits")
]

export const damages: ReadonlyArray<Damage> = [...graphs, ...files, ...manifests]

export const speaks = ({ family }: Pick<Damage, "family">): boolean => family === "vits" || family === "piper"

/** Writes a damaged model into a folder of models. A voice has the name of its folder. */
export const writeDamaged = (models: string, { damage, family }: Damage, name: string): void => {
  const scratch = join(models, ".scratch")
  writeTinyModels(scratch, { families: [family] })
  const folder = join(models, name)
  renameSync(join(scratch, tinyName(family)), folder)
  rmSync(scratch, { recursive: true })
  const voices = speaks({ family }) ? { voices: { [name]: 0 } } : {}
  writeFileSync(join(folder, "model.json"), JSON.stringify({ languages: ["en"], ...voices }))
  damage(folder)
}
