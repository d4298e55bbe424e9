/**
 * How the models of each family recognise: what sherpa-onnx takes, how long a piece may be, and what a result means.
 */
import type { Hotword } from "@effect-speech/engine"
import type { RecogniserDescription } from "../folder/description.js"
import { type Encoded, makeEncoder, spellingOf } from "./hotwords.js"
import { byModel, byPauses, type SegmentsOf } from "./segments.js"

export interface HearingFamily {
  readonly name: string
  /** What `OfflineRecognizer` takes. */
  readonly config: object
  /** Duration of the longest piece that it hears, in milliseconds. */
  readonly longestPieceMillis: number
  /** The code of a language, for a model that must be told. */
  readonly languageOf: (lang: string) => string | undefined
  /** Whether each result states the language. One that does not is a failure. */
  readonly statesLanguage: boolean
  readonly takesHotwords: boolean
  readonly hotwordsOf: (hotwords: ReadonlyArray<Hotword>) => Encoded
  readonly segmentsOf: SegmentsOf
}

/**
 * In milliseconds. Models that hear more take more memory: a piece of 30 s is what those of sherpa-onnx were trained with.
 */
const longest = 30_000

/** In samples at 16 kHz: half a second. */
const shortest = 8000

/** A piece with silence after it, if it is very short: without a frame of features, Whisper ends its process, and transducers fail. */
export const longEnough = (samples: Float32Array): Float32Array => {
  if (samples.length >= shortest) return samples
  const longer = new Float32Array(shortest)
  longer.set(samples)
  return longer
}

/** sherpa-onnx gives Whisper 29.5 s and drops the rest. */
const longestOfWhisper = 28_000

/** Paths of a beam search: the default of sherpa-onnx. */
const paths = 4

/** The languages that SenseVoice can be told. */
const ofSenseVoice: ReadonlyArray<string> = ["zh", "en", "ja", "ko", "yue"]

/** The part of the configuration that names the files. */
const modelOf = (description: RecogniserDescription): object => {
  switch (description.family) {
    case "nemo-ctc":
      return { nemoCtc: { model: description.files.model } }
    case "zipformer-ctc":
      return { zipformerCtc: { model: description.files.model } }
    case "wenet-ctc":
      return { wenetCtc: { model: description.files.model } }
    case "sense-voice": {
      const [language = "", ...others] = description.languages
      const told = others.length === 0 && ofSenseVoice.includes(language) ? language : "auto"
      // With its inverse text normalization, it writes numbers in digits and punctuation.
      return { senseVoice: { model: description.files.model, language: told, useInverseTextNormalization: 1 } }
    }
    case "whisper": {
      const { decoder, encoder } = description.files
      return {
        whisper: {
          encoder,
          decoder,
          language: description.languages[0],
          task: "transcribe",
          enableSegmentTimestamps: 1
        }
      }
    }
    case "transducer":
    case "nemo-transducer": {
      const { decoder, encoder, joiner } = description.files
      // Otherwise sherpa-onnx loads the encoder once more to learn its kind.
      const modelType = description.family === "transducer" ? "transducer" : "nemo_transducer"
      return { transducer: { encoder, decoder, joiner }, modelType }
    }
  }
}

const isTransducer = (description: RecogniserDescription) =>
  description.family === "transducer" || description.family === "nemo-transducer" ? description : undefined

/**
 * @param tokens Those of `tokens.txt`. Only for transducers.
 * @param threads Unless the model has its own number.
 */
export const hearingFamily = (
  description: RecogniserDescription,
  { threads, tokens }: { readonly threads: number; readonly tokens: ReadonlySet<string> }
): HearingFamily => {
  const bpeVocab = isTransducer(description)?.files.bpeVocab
  const spelling = isTransducer(description) === undefined ? undefined : spellingOf(tokens, bpeVocab !== undefined)
  const none = (hotwords: ReadonlyArray<Hotword>): Encoded => ({ phrases: undefined, unknown: hotwords.length })
  const isWhisper = description.family === "whisper"
  return {
    name: description.name,
    config: {
      featConfig: { sampleRate: description.sampleRate, featureDim: 80 },
      modelConfig: {
        ...modelOf(description),
        tokens: description.files.tokens,
        numThreads: description.numThreads ?? threads,
        provider: "cpu",
        debug: 0,
        ...(spelling !== undefined && { modelingUnit: spelling }),
        ...(bpeVocab !== undefined && spelling !== undefined && { bpeVocab })
      },
      // Only a beam search takes hotwords, and only of transducers: another model would end its process.
      ...(spelling === undefined
        ? { decodingMethod: "greedy_search" }
        : { decodingMethod: "modified_beam_search", maxActivePaths: paths })
    },
    longestPieceMillis: isWhisper ? longestOfWhisper : longest,
    languageOf: (lang) => (isWhisper && description.languages.includes(lang) ? lang : undefined),
    statesLanguage: description.family === "whisper" && description.isMultilingual,
    takesHotwords: spelling !== undefined,
    hotwordsOf: spelling === undefined ? none : makeEncoder(spelling, tokens),
    segmentsOf: isWhisper ? byModel : byPauses
  }
}
