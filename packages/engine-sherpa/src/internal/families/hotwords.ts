/**
 * Hotwords in the form of sherpa-onnx: phrases with a slash between, each with its score, such as `h e l l o :1.5/w o r l d :2`.
 */
import type { Hotword } from "@effect-speech/engine"

/**
 * What the words of a phrase are split into:
 *
 * - `bpe`: sherpa-onnx does it, by `bpe.vocab`
 * - `cjkchar+bpe`: the same, and a Chinese character is a token
 * - `cjkchar`: each character is a token, and we write them with blanks between. The name is sherpa-onnx's, which means all of Unicode.
 */
export type Spelling = "bpe" | "cjkchar+bpe" | "cjkchar"

/** The sign that begins a word. */
const wordStart = "▁"

/** Names such as `<blk>`, and bytes such as `<0xE0>`. */
const isSpecial = (token: string): boolean => /^<.+>$/.test(token)

/** Whether the tokens stand for bytes: sherpa-onnx needs another spelling for these, which was never tried. */
const areBytes = (tokens: ReadonlyArray<string>): boolean => {
  const points = tokens.flatMap((token) => Array.from(token.replace(wordStart, ""), (each) => each.codePointAt(0) ?? 0))
  return points.every((point) => point < 0x1c0) && points.some((point) => point >= 0x180)
}

/** How a transducer takes hotwords. `undefined`: it takes none, since its words can't be split into its tokens. */
export const spellingOf = (tokens: ReadonlySet<string>, hasBpeVocab: boolean): Spelling | undefined => {
  const written = [...tokens].filter((token) => !isSpecial(token))
  if (areBytes(written)) return undefined
  if (hasBpeVocab) return written.some((token) => /^\p{Script=Han}$/u.test(token)) ? "cjkchar+bpe" : "bpe"
  return written.every((token) => [...token].length === 1) ? "cjkchar" : undefined
}

/** The words of a phrase. What sherpa-onnx reads as a sign of its own, such as a slash, a colon or `#`, is never in one. */
const wordsOf = (phrase: string): ReadonlyArray<string> =>
  phrase
    .normalize("NFC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll("’", "'")
    .split(/[^\p{L}\p{M}\p{N}']+/u)
    .filter((word) => word !== "")

export interface Encoded {
  /** What sherpa-onnx takes. `undefined`: no phrase. */
  readonly phrases: string | undefined
  /** How many phrases are left out, since the model does not write one of their characters, or by {@link limits}. */
  readonly unknown: number
}

/**
 * Others are left out. sherpa-onnx prepares the phrases again for each piece of a recording, and all requests of the model wait for
 * it: 0.2 s with this many, but 20 s with a single phrase of 40,000 characters.
 */
const limits = { phrases: 1000, charactersOfPhrase: 100 }

/** More changes nothing, and a number that is no float of C++ would end the process. */
const mostScore = 1000

/** Makes the encoder of a model's hotwords. The letters get the case that the tokens have. */
export const makeEncoder = (
  spelling: Spelling,
  tokens: ReadonlySet<string>
): ((hotwords: ReadonlyArray<Hotword>) => Encoded) => {
  const characters = new Set([...tokens].filter((token) => !isSpecial(token)).flatMap((token) => [...token]))
  const isKnown = (words: ReadonlyArray<string>) =>
    words.every((word) => [...word].every((each) => characters.has(each)))
  const between = tokens.has(wordStart) ? ` ${wordStart} ` : " "
  const encode = ({ phrase, score }: Hotword): string | undefined => {
    if (phrase.length > limits.charactersOfPhrase) return undefined
    const cases = [phrase, phrase.toLowerCase(), phrase.toUpperCase()].map(wordsOf)
    const words = cases.find(isKnown)
    if (words === undefined || words.length === 0 || Number.isNaN(score)) return undefined
    const written = spelling === "cjkchar" ? words.map((word) => [...word].join(" ")).join(between) : words.join(" ")
    return `${written} :${Math.min(mostScore, Math.max(-mostScore, score)).toFixed(3)}`
  }
  return (hotwords) => {
    const encoded = hotwords
      .slice(0, limits.phrases)
      .map(encode)
      .filter((phrase) => phrase !== undefined)
    const phrases = encoded.length === 0 ? undefined : encoded.join("/")
    return { phrases, unknown: hotwords.length - encoded.length }
  }
}
