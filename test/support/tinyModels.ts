/**
 * Models of a few kilobytes for `sherpa-onnx-node`, one of each family, made by hand: a test needs no download. A voice speaks each
 * character as a tone of its own, and a recogniser writes the character of each tone that it hears. So a text that was spoken is
 * recognised exactly, also after 8 kHz.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { onnx } from "./onnx.js"
import { temporaryFolder } from "./processes.js"

/** The 41 characters that the models of a language know. Sherpa takes away a blank before a comma or a full stop. */
export const alphabets = {
  en: [..." abcdefghijklmnopqrstuvwxyz0123456789.,?'"],
  hi: [..." कखगचजटडतथदनपबभमयरलवशषसहािीुूेोंै्अआइए।,?"]
}
export type TinyLanguage = keyof typeof alphabets

/** A text whose English phonemes are its letters, so that a recogniser returns it exactly after Piper's form has spoken it. */
export const spokenAsWritten = "ten men sit in bed"

/** In Hz. Each is 1.15 of Kaldi's 80 bands above the one before. */
const tones = [350]
for (let hertz = 350; tones.length < 41; tones.push(hertz)) hertz += 1.15 * (21.1 + 0.0302 * hertz)

/** Seconds of a character. */
const slot = 0.12

const slaney = (hertz: number) =>
  hertz < 1000 ? (hertz * 3) / 200 : 15 + (27 * Math.log(hertz / 1000)) / Math.log(6.4)
const kaldi = (hertz: number) => Math.log(1 + hertz / 700) - Math.log(1 + 20 / 700)

const row = (value: (column: number) => number) => Array.from({ length: 42 }, (_, column) => value(column))

/** From `x`, 80 bands for each frame, to `scores`: one for each character, and one for silence in the column `silence`. */
const listen = (mel: typeof kaldi, highest: number, silence: 0 | 41, threshold: number) => {
  const first = silence === 0 ? 1 : 0
  const bands = row((column) => (column === silence ? -9 : (81 * mel(tones[column - first] ?? 0)) / mel(highest) - 1))
  const w = Array.from({ length: 80 }, (_, band) =>
    row((column) => Math.max(0, 1 - Math.abs((bands[column] ?? 0) - band)))
  )
  return { w, b: [row((column) => (column === silence ? threshold : 0))] }
}
const scores = "scores = Add(MatMul(x w) b)"

/** `ids` are the best of each frame, and `again` is whether no character begins there. */
const onsets = (silence: 0 | 41) => `ids = ArgMax(scores axis=2 keepdims=0)
  again = Or(Equal(ids Pad(ids [0,1,0,-1] ${silence})) Equal(ids ${silence}))`

const nemo = onnx({
  inputs: "audio_signal:float length:int64",
  outputs: "logprobs:float",
  weights: listen(slaney, 8000, 41, -5),
  lines: `x = Transpose(audio_signal perm=[0,2,1])
    ${scores}
    logprobs = LogSoftmax(scores axis=2)`,
  metadata: "model_type=EncDecCTCModelBPE vocab_size=41 normalize_type= subsampling_factor=1"
})

/** The scores are scaled down, or a hotword would never enter the beam. A frame is 40 ms: sherpa expects that. */
const zipformerEncoder = onnx({
  inputs: "x:float x_lens:int64",
  outputs: "encoder_out:float encoder_out_lens:int64",
  weights: {
    ...listen(kaldi, 7600, 0, -2),
    mute: [row((id) => (id === 0 ? 0 : -100))],
    rare: [row((id) => (id === 0 ? -10 : 0))]
  },
  lines: `${scores}
    ${onsets(0)}
    once = Add(Add(scores rare) Mul(Unsqueeze(Cast(again to=1) [2]) mute))
    pooled = MaxPool(Transpose(Mul(once 0.3f) perm=[0,2,1]) kernel_shape=[4] strides=[4] ceil_mode=1)
    encoder_out = Transpose(pooled perm=[0,2,1])
    encoder_out_lens = Div(Add(x_lens 3) 4)`,
  metadata: "model_type=zipformer2"
})
const zipformerDecoder = onnx({
  inputs: "y:int64",
  outputs: "decoder_out:float",
  weights: { zero: [row(() => 0), row(() => 0)] },
  lines: "decoder_out = MatMul(Cast(y to=1) zero)",
  metadata: "vocab_size=42 context_size=2"
})
const zipformerJoiner = onnx({
  inputs: "encoder_out:float decoder_out:float",
  outputs: "logit:float",
  lines: "logit = Add(encoder_out decoder_out)"
})

/** A token of Whisper is two characters, since sherpa takes 6 tokens a second. The pair of two silences, 1763, ends the text. */
const whisperEncoder = onnx({
  inputs: "mel:float",
  outputs: "n_layer_cross_k:float n_layer_cross_v:float",
  weights: listen(slaney, 8000, 41, 0.5),
  lines: `x = Transpose(mel perm=[0,2,1])
    ${scores}
    ${onsets(41)}
    spoken = Compress(ids Reshape(Not(again) [-1]))
    n_layer_cross_k = Concat(Cast(spoken to=1) [41,41]f axis=0)
    n_layer_cross_v = Identity(n_layer_cross_k)`,
  metadata: `model_type=whisper-tiny n_mels=80 n_text_layer=1 n_text_ctx=448 n_text_state=1 n_vocab=3272 blank_id=0 eot=1763 \
sot=1764 sot_sequence=1764,1765,1767 transcribe=1767 translate=1768 no_speech=1769 no_timestamps=1770 is_multilingual=1 \
all_language_tokens=1765,1766 all_language_codes=en,hi`
})
/** Step 0 gives the timestamp 0, and step n the characters 2n - 2 and 2n - 1. */
const whisperDecoder = onnx({
  inputs: "tokens:int64 in_k:float in_v:float cross_k:float cross_v:float offset:int64",
  outputs: "logits:float out_k:float out_v:float",
  weights: { places: [[42], [1]] },
  lines: `step = Sub(Add(offset Size(tokens)) 3)
    at = Min(Max(Add(Mul(step 2) [-2,-1]) 0) Sub(Size(cross_k) 1))
    next = Where(LessOrEqual(step 0) 1771f MatMul(Gather(cross_k at) places))
    logits = Reshape(Mul(Cast(Equal(Range(0f 3272f 1f) next) to=1) 20f) [1,1,-1])
    out_k = Identity(in_k)
    out_v = Identity(in_v)`
})

/** From tokens `x`, a speaker `sid` and the `duration` of a token in samples to the speech. The tone takes `part` of a token. */
const speak = (part: number) => `t = Range(0f Squeeze(duration) 1f)
  tone = Sin(Mul(Reshape(Gather(w x) [-1,1]) t))
  envelope = Relu(Sin(Div(Mul(t ${Math.PI / part}f) duration)))
  y = Reshape(Mul(Mul(tone envelope) Gather([0.5,0.2]f sid)) [1,1,-1])`
const radians = (hertz: ReadonlyArray<number>, sampleRate: number) =>
  hertz.map((tone) => [(2 * Math.PI * tone) / sampleRate])

/** The token 41 is silence: a sentence begins with it, and ends with it if it has a full stop. */
const vits = onnx({
  inputs: "x:int64 x_length:int64 noise_scale:float length_scale:float noise_scale_w:float sid:int64",
  outputs: "y:float",
  weights: { w: radians([...tones, 0], 16_000) },
  lines: `duration = Mul(length_scale ${slot * 16_000}f)\n${speak(0.6)}`,
  metadata: `model_type=vits comment=tiny language=English frontend=characters sample_rate=16000 n_speakers=2 add_blank=0 \
use_eos_bos=1 bos_id=41 eos_id=41`
})

/** Phonemes of English that sound like another letter. */
const like: Record<string, string> = {
  a: "ɐʌæ",
  e: "ɛəɜɚ",
  g: "ɡ",
  i: "ɪ",
  n: "ŋ",
  o: "ɔɒɑ",
  r: "ɹɾ",
  s: "ʃ",
  t: "θð",
  u: "ʊ",
  z: "ʒ"
}
const marks = ["_", "^", "$", "ˈ", "ˌ", "ː"].map((token) => ({ token, hertz: 0 }))
const sounds = alphabets.en.flatMap((letter, index) =>
  [letter, ...(like[letter] ?? "")].map((token) => ({ token, hertz: tones[index] ?? 0 }))
)
/** A pad follows each phoneme, and is the pause after it. */
const piper = onnx({
  inputs: "x:int64 x_length:int64 scales:float",
  outputs: "y:float",
  weights: {
    w: radians(
      [...marks, ...sounds].map(({ hertz }) => hertz),
      22_050
    )
  },
  lines: `duration = Mul(Slice(scales [1] [2]) ${(slot / 2) * 22_050}f)\nsid = Mul(x_length 0)\n${speak(1)}`,
  metadata: "model_type=vits comment=piper language=English voice=en-us sample_rate=22050 n_speakers=1 has_espeak=1"
})
/** The folder that Piper's form needs, for American English, from the npm package that speaks for the local service: 0.8 MB. */
const espeakData = () => {
  const path = createRequire(import.meta.url).resolve("@echogarden/espeak-ng-emscripten")
  const data = readFileSync(join(dirname(path), "espeak-ng.data"))
  const listed = /share\/(espeak-ng-data\/(?:phon\w+|intonations|en_dict|lang\/gmw\/en-US))",start:(\d+),end:(\d+)/g
  const found = readFileSync(path, "utf8").matchAll(listed)
  return Object.fromEntries(
    Array.from(found, ([, name = "", start, end]) => [name, data.subarray(Number(start), Number(end))])
  )
}

const lines = (tokens: ReadonlyArray<string>) => tokens.map((token, id) => `${token} ${id}\n`).join("")
const pairs = (all: ReadonlyArray<string>) =>
  all.flatMap((first) => all.map((second) => Buffer.from(first + second).toString("base64")))
const manifest = (language: TinyLanguage, more = {}) =>
  JSON.stringify({ languages: [language], licence: "MIT", ...more })

/** The files of each family, for the characters of a language. */
const families = {
  "nemo-ctc": (language: TinyLanguage) => ({
    "model.int8.onnx": nemo,
    "tokens.txt": lines(["▁", ...alphabets[language].slice(1), "<blk>"]),
    "model.json": manifest(language)
  }),
  zipformer: (language: TinyLanguage) => ({
    "encoder-epoch-99-avg-1.int8.onnx": zipformerEncoder,
    "decoder-epoch-99-avg-1.onnx": zipformerDecoder,
    "joiner-epoch-99-avg-1.int8.onnx": zipformerJoiner,
    "tokens.txt": lines(["<blk>", "▁", ...alphabets[language].slice(1)]),
    "model.json": manifest(language)
  }),
  whisper: (language: TinyLanguage) => ({
    "tiny-encoder.int8.onnx": whisperEncoder,
    "tiny-decoder.int8.onnx": whisperDecoder,
    "tiny-tokens.txt": lines(pairs([...alphabets[language], ""]).slice(0, -1))
  }),
  vits: (language: TinyLanguage) => ({
    "model.onnx": vits,
    "tokens.txt": lines(alphabets[language]),
    "model.json": manifest(language, { voices: { tiny_loud: 0, tiny_soft: 1 } })
  }),
  piper: () => ({
    "en_US-tiny-low.onnx": piper,
    "tokens.txt": lines([...marks, ...sounds].map(({ token }) => token)),
    ...espeakData()
  })
}
export type TinyFamily = keyof typeof families
export const tinyFamilies = Object.keys(families) as ReadonlyArray<TinyFamily>

/** Name of the folder of a model. */
export const tinyName = (family: TinyFamily, language: TinyLanguage = "en") =>
  family === "piper" ? "vits-piper-en_US-tiny-low" : `tiny-${family}-${language}`

/**
 * Writes models into a folder, a folder for each. Whisper and Piper's form have no `model.json`: they say themselves what they are.
 *
 * @param options.families Default: all.
 * @param options.language Whose characters the models know. Piper's form knows only English. Default: `en`.
 */
export const writeTinyModels = (
  folder: string,
  options: { readonly families?: ReadonlyArray<TinyFamily>; readonly language?: TinyLanguage } = {}
): void => {
  const { families: wanted = tinyFamilies, language = "en" } = options
  for (const family of wanted) {
    for (const [name, bytes] of Object.entries(families[family](language))) {
      const path = join(folder, tinyName(family, language), name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, bytes)
    }
  }
}

let all: string | undefined
/** A folder of all models, for tests that only read it. */
export const tinyFolder = (): string => {
  if (all !== undefined) return all
  all = temporaryFolder("effect-speech-tiny-models-")
  writeTinyModels(all)
  return all
}
