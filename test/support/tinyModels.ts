/**
 * Models of a few kilobytes for `sherpa-onnx-node`, one of each family, made by hand: a test needs no download. A voice speaks each
 * character as a tone of its own, and a recogniser writes the character of each tone that it hears. So a text that was spoken is
 * recognised exactly, also after 8 kHz.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { espeakData } from "./espeakData.js"
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
const kaldi = (hertz: number) => Math.log((700 + hertz) / 720)
const row = (value: (column: number) => number) => Array.from({ length: 42 }, (_, column) => value(column))

/** From `x`, 80 bands for each frame, to `scores`: one for each character, and one for silence in the column `silence`. */
const scores = "scores = Add(MatMul(x w) b)"
const listen = (mel: typeof kaldi, highest: number, silence: 0 | 41, threshold: number) => {
  const band = (hertz = 0) => (81 * mel(hertz)) / mel(highest) - 1
  const bands = row((column) => (column === silence ? -9 : band(tones[silence === 0 ? column - 1 : column])))
  const w = Array.from({ length: 80 }, (_, band) => bands.map((centre) => Math.max(0, 1 - Math.abs(centre - band))))
  return { w, b: [row((column) => (column === silence ? threshold : 0))] }
}
/** `ids` are the best of each frame, and `again` is whether no character begins there. */
const onsets = (silence: 0 | 41) => `ids = ArgMax(scores axis=2 keepdims=0)
  again = Or(Equal(ids Pad(ids [0,1,0,-1] ${silence})) Equal(ids ${silence}))`

/** The same numbers, after so many steps of work. */
const slowly = (call: string, steps: number) => `${"Tan(Atan(".repeat(steps)}${call}${"))".repeat(steps)}`

const nemo = (work: number) => `in audio_signal:float length:int64
  out logprobs:float
  x = ${slowly("Transpose(audio_signal perm=[0,2,1])", work)}
  ${scores}
  logprobs = LogSoftmax(scores axis=2)
  meta model_type=EncDecCTCModelBPE vocab_size=41 normalize_type= subsampling_factor=1`

/** The scores are scaled down, or a hotword would never enter the beam. A frame is 40 ms: sherpa expects that. */
const zipformerEncoder = `in x:float x_lens:int64
  out encoder_out:float encoder_out_lens:int64
  ${scores}
  ${onsets(0)}
  once = Add(Add(scores rare) Mul(Unsqueeze(Cast(again to=1) [2]) mute))
  pooled = MaxPool(Transpose(Mul(once 0.3f) perm=[0,2,1]) kernel_shape=[4] strides=[4] ceil_mode=1)
  encoder_out = Transpose(pooled perm=[0,2,1])
  encoder_out_lens = Div(Add(x_lens 3) 4)
  meta model_type=zipformer2`
const muting = { mute: [row((id) => (id === 0 ? 0 : -100))], rare: [row((id) => (id === 0 ? -10 : 0))] }
const zipformerDecoder = `in y:int64
  out decoder_out:float
  decoder_out = MatMul(Cast(y to=1) zero)
  meta vocab_size=42 context_size=2`
const zipformerJoiner = `in encoder_out:float decoder_out:float
  out logit:float
  logit = Add(encoder_out decoder_out)`

/** A token of Whisper is two characters, since sherpa takes 6 tokens a second. The pair of two silences, 1763, ends the text. */
const whisperEncoder = `in mel:float
  out n_layer_cross_k:float n_layer_cross_v:float
  x = Transpose(mel perm=[0,2,1])
  ${scores}
  ${onsets(41)}
  spoken = Compress(ids Reshape(Not(again) [-1]))
  n_layer_cross_k = Concat(Cast(spoken to=1) [41,41]f axis=0)
  n_layer_cross_v = Identity(n_layer_cross_k)
  meta model_type=whisper-tiny n_mels=80 n_text_layer=1 n_text_ctx=448 n_text_state=1 n_vocab=3272 blank_id=0 eot=1763
  meta sot=1764 sot_sequence=1764,1765,1767 transcribe=1767 translate=1768 no_speech=1769 no_timestamps=1770
  meta is_multilingual=1 all_language_tokens=1765,1766 all_language_codes=en,hi`
/** Step 0 gives the timestamp 0, and step n the characters 2n - 2 and 2n - 1. */
const whisperDecoder = `in tokens:int64 in_k:float in_v:float cross_k:float cross_v:float offset:int64
  out logits:float out_k:float out_v:float
  step = Sub(Add(offset Size(tokens)) 3)
  at = Min(Max(Add(Mul(step 2) [-2,-1]) 0) Sub(Size(cross_k) 1))
  next = Where(LessOrEqual(step 0) 1771f MatMul(Gather(cross_k at) places))
  logits = Reshape(Mul(Cast(Equal(Range(0f 3272f 1f) next) to=1) 20f) [1,1,-1])
  out_k = Identity(in_k)
  out_v = Identity(in_v)`

/** From tokens `x`, a speaker `sid` and the `duration` of a token in samples to the speech. The tone takes `part` of a token. */
const speak = (part: number, work = 0) => `t = Range(0f Squeeze(duration) 1f)
  tone = ${slowly("Sin(Mul(Reshape(Gather(w x) [-1,1]) t))", work)}
  envelope = Relu(Sin(Div(Mul(t ${Math.PI / part}f) duration)))
  y = Reshape(Mul(Mul(tone envelope) Gather([0.5,0.2]f sid)) [1,1,-1])`
const radians = (hertz: ReadonlyArray<number>, rate: number) => ({
  w: hertz.map((tone) => [(2 * Math.PI * tone) / rate])
})

/** The token 41 is silence: a sentence begins with it, and ends with it if it has a full stop. */
const vits = (work: number) => `
  in x:int64 x_length:int64 noise_scale:float length_scale:float noise_scale_w:float sid:int64
  out y:float
  duration = Mul(length_scale ${slot * 16_000}f)
  ${speak(0.6, work)}
  meta model_type=vits comment=tiny language=English frontend=characters sample_rate=16000 n_speakers=2 add_blank=0
  meta use_eos_bos=1 bos_id=41 eos_id=41`

/** A pad follows each phoneme, and is the pause after it. */
const piper = `in x:int64 x_length:int64 scales:float
  out y:float
  duration = Mul(Slice(scales [1] [2]) ${(slot / 2) * 22_050}f)
  sid = Mul(x_length 0)
  ${speak(1)}
  meta model_type=vits comment=piper language=English voice=en-us sample_rate=22050 n_speakers=1 has_espeak=1`
/** Phonemes of English that sound like another letter, after it, and all tokens with their tones. */
const like = ["aɐʌæ", "eɛəɜɚ", "gɡ", "iɪ", "nŋ", "oɔɒɑ", "rɹɾ", "sʃ", "tθð", "uʊ", "zʒ"]
const alike = (letter: string) => [...(like.find((each) => each.startsWith(letter)) ?? letter)]
const sounds = alphabets.en.flatMap((letter, index) =>
  alike(letter).map((each) => ({ each, hertz: tones[index] ?? 0 }))
)
const phonemes = [...[..."_^$ˈˌː"].map((each) => ({ each, hertz: 0 })), ...sounds]
const frequencies = phonemes.map(({ hertz }) => hertz)

const lines = (tokens: ReadonlyArray<string>) => tokens.map((token, id) => `${token} ${id}\n`).join("")
const pairs = (all: ReadonlyArray<string>) =>
  all.flatMap((first) => all.map((second) => Buffer.from(first + second).toString("base64")))
const manifest = (lang: TinyLanguage, more = {}) => JSON.stringify({ languages: [lang], licence: "MIT", ...more })

/** The files of each family. Whisper and Piper's form say their language themselves. */
const families = {
  "nemo-ctc": (language: TinyLanguage, work: number) => ({
    "model.int8.onnx": onnx(nemo(work), listen(slaney, 8000, 41, -5)),
    "tokens.txt": lines(["▁", ...alphabets[language].slice(1), "<blk>"]),
    "model.json": manifest(language)
  }),
  zipformer: (language: TinyLanguage) => ({
    "encoder-epoch-99-avg-1.int8.onnx": onnx(zipformerEncoder, { ...listen(kaldi, 7600, 0, -2), ...muting }),
    "decoder-epoch-99-avg-1.onnx": onnx(zipformerDecoder, { zero: [row(() => 0), row(() => 0)] }),
    "joiner-epoch-99-avg-1.int8.onnx": onnx(zipformerJoiner),
    "tokens.txt": lines(["<blk>", "▁", ...alphabets[language].slice(1)]),
    "model.json": manifest(language)
  }),
  whisper: (language: TinyLanguage) => ({
    "tiny-encoder.int8.onnx": onnx(whisperEncoder, listen(slaney, 8000, 41, 0.5)),
    "tiny-decoder.int8.onnx": onnx(whisperDecoder, { places: [[42], [1]] }),
    "tiny-tokens.txt": lines(pairs([...alphabets[language], ""]).slice(0, -1))
  }),
  vits: (language: TinyLanguage, work: number) => ({
    "model.onnx": onnx(vits(work), radians([...tones, 0], 16_000)),
    "tokens.txt": lines(alphabets[language]),
    "model.json": manifest(language, { voices: { tiny_loud: 0, tiny_soft: 1 } })
  }),
  piper: () => ({
    "en_US-tiny-low.onnx": onnx(piper, radians(frequencies, 22_050)),
    "tokens.txt": lines(phonemes.map(({ each }) => each)),
    ...espeakData()
  })
}
export type TinyFamily = keyof typeof families
export const tinyFamilies = Object.keys(families) as ReadonlyArray<TinyFamily>

/** Name of the folder of a model. */
export const tinyName = (family: TinyFamily, language: TinyLanguage = "en") =>
  family === "piper" ? "vits-piper-en_US-tiny-low" : `tiny-${family}-${language}`

export interface TinyOptions {
  /** Default: all. */
  readonly families?: ReadonlyArray<TinyFamily>
  /** Whose characters the models know. Piper's form knows only English. Default: `en`. */
  readonly language?: TinyLanguage
  /** Steps of work that `nemo-ctc` and `vits` do besides, so that they take as long as larger models. Default: 0. */
  readonly work?: number
}

/** Writes models into a folder, a folder for each. */
export const writeTinyModels = (folder: string, options: TinyOptions = {}): void => {
  for (const family of options.families ?? tinyFamilies) {
    for (const [name, bytes] of Object.entries(families[family](options.language ?? "en", options.work ?? 0))) {
      const path = join(folder, tinyName(family, options.language), name)
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
