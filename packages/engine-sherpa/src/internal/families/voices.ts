/**
 * How the voices of each family speak: what sherpa-onnx takes, and what of a text.
 */
import type { VoiceDescription } from "../folder/description.js"

export interface SpeakingFamily {
  readonly name: string
  /** What `OfflineTts` takes. */
  readonly config: object
  /** Of its speech, in Hz. */
  readonly sampleRate: number
  /** What the model is given of a text. `undefined`: there is nothing in it that it can speak. */
  readonly speakableOf: (text: string) => string | undefined
}

const modelOf = (description: VoiceDescription): object => {
  const { dataDir, lexicons, model, tokens } = description.files
  const files = { model, tokens, dataDir: dataDir ?? "", lexicon: lexicons.join(",") }
  switch (description.family) {
    case "vits":
    case "piper":
      return { vits: files }
    case "kokoro":
      // Without a lexicon, the models of many languages end the process unless they are told one.
      return {
        kokoro: {
          ...files,
          voices: description.files.voices,
          lang: lexicons.length > 0 ? "" : espeakVoice(description)
        }
      }
    case "kitten":
      return { kitten: { ...files, voices: description.files.voices } }
  }
}

/** espeak-ng knows English by its country. */
const espeakVoice = ({ languages: [language = "en"] }: VoiceDescription): string =>
  language === "en" ? "en-us" : language

/** What C++ would cut a text at, or read as noise. */
const unspeakable = /[\p{Cc}\p{Cs}\s]+/gu

/** Without a letter or a digit, a model has no sound for a text, and sherpa-onnx fails. */
const hasWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** A voice without phonemes and without a lexicon speaks characters. */
const speaksCharacters = ({ family, files }: VoiceDescription): boolean =>
  family === "vits" && files.dataDir === undefined && files.lexicons.length === 0

/**
 * @param tokens Those of `tokens.txt`. Only for voices that speak characters.
 * @param threads Unless the model has its own number.
 */
export const speakingFamily = (
  description: VoiceDescription,
  { threads, tokens }: { readonly threads: number; readonly tokens: ReadonlySet<string> }
): SpeakingFamily => {
  const byCharacters = speaksCharacters(description)
  return {
    name: description.name,
    config: {
      model: { ...modelOf(description), numThreads: description.numThreads ?? threads, provider: "cpu", debug: 0 },
      ruleFsts: description.files.ruleFsts.join(","),
      ruleFars: description.files.ruleFars.join(","),
      maxNumSentences: 1,
      // Otherwise sherpa-onnx shortens each pause of more than 0.2 s to a fifth.
      silenceScale: 1
    },
    sampleRate: description.sampleRate,
    speakableOf: (text) => {
      const plain = text.replaceAll(unspeakable, " ").trim()
      if (!hasWord(plain)) return undefined
      // A last blank, or a word runs into the next piece, and sherpa-onnx drops a text of one character.
      if (!byCharacters) return `${plain} `
      // sherpa-onnx knows only the lower case of ASCII.
      const lower = plain.toLowerCase()
      return [...lower].some((each) => each !== " " && tokens.has(each)) ? `${lower} ` : undefined
    }
  }
}
