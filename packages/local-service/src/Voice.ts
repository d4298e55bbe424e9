/**
 * Speaks texts for the local service. To use another engine, provide another Layer.
 */
import { cloneable } from "@effect-speech/common/Cloneable"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { makeEspeak, sampleRate } from "./internal/espeak/espeak.js"
import { spokenPieces } from "./internal/espeak/spokenPieces.js"
import type { Samples } from "./internal/recordings/samples.js"

/**
 * A sentence of a text, and where it is in the speech.
 *
 * @since 0.1.0
 * @category models
 */
export interface SpokenSentence {
  readonly text: string
  /** From the beginning of the speech. */
  readonly startSample: number
  /** After `startSample`. */
  readonly endSample: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Utterance {
  readonly text: string
  readonly lang: string
  readonly voice: string
  /** 1 is the voice's normal speed, 2 is twice as fast. */
  readonly speed: number
  /** The engine's phonemes of a word, by the word. */
  readonly pronunciations: Readonly<Record<string, string>>
  /**
   * Takes each sentence, in order, before the end of the speech. A voice that calls it makes its sentences known one by one;
   * otherwise the speech is known as a whole.
   */
  readonly onSentence?: ((sentence: SpokenSentence) => void) | undefined
}

/**
 * The engine failed to speak a text.
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceVoiceFailed extends cloneable(Data.TaggedError("LocalServiceVoiceFailed"))<{
  readonly message: string
}> {}

/**
 * @since 0.1.0
 * @category services
 */
export interface VoiceService {
  readonly languages: ReadonlyArray<string>
  readonly voices: ReadonlyArray<string>
  /** Sample rate of its speech, in Hz. */
  readonly sampleRate: number
  /**
   * Speaks a text: mono samples, -1 to 1, or a stream of them. `lang` is one of `languages` and `voice` one of `voices`. Do not
   * overwrite a block that was emitted: a short text is kept in memory.
   */
  readonly speak: (utterance: Utterance) => Samples<LocalServiceVoiceFailed>
}

/**
 * @since 0.1.0
 * @category services
 */
export class Voice extends Context.Tag("@effect-speech/local-service/Voice")<Voice, VoiceService>() {
  /**
   * espeak-ng as WebAssembly, in as many threads as the machine has cores. A thread starts with the first text that finds the
   * others busy. They speak a sentence of each text in turn, so that a short text does not wait for a long one.
   */
  static readonly layerEspeak: Layer.Layer<Voice> = Layer.scoped(
    Voice,
    Effect.map(
      makeEspeak,
      (run): VoiceService => ({
        languages: [...languages],
        voices: Object.keys(variants),
        sampleRate,
        speak: ({ lang, onSentence, pronunciations, speed, text, voice }) => {
          const targetRate = normalRate * speed
          const engineRate = Math.min(engineRates.to, Math.max(engineRates.from, Math.round(targetRate)))
          return Stream.suspend(() => {
            let length = 0
            let start = 0
            return Stream.fromIterable(spokenPieces(text, lang)).pipe(
              Stream.rechunk(1),
              Stream.mapConcatEffect(({ pause, sentence, text }) =>
                Effect.map(
                  run({
                    ssml: toSsml(text, pronunciations),
                    voice: `${lang}${variants[voice]}`,
                    wordsPerMinute: engineRate,
                    stretch: engineRate / targetRate
                  }),
                  (samples) => {
                    const silence = new Float32Array(Math.round((pause / speed) * sampleRate))
                    length += samples.length
                    if (sentence !== undefined) onSentence?.({ text: sentence, startSample: start, endSample: length })
                    length += silence.length
                    if (sentence !== undefined) start = length
                    return [samples, silence]
                  }
                )
              ),
              Stream.mapError((message) => new LocalServiceVoiceFailed({ message }))
            )
          })
        }
      })
    )
  )
}

/** The languages that the engine speaks well, by its own codes. */
const languages = ["as", "bn", "en", "gu", "hi", "kn", "ml", "mr", "ne", "or", "pa", "ta", "te", "ur"] as const

/** espeak-ng's name of the variant of each voice. */
const variants: Readonly<Record<string, string>> = { default_female: "+f2", default_male: "" }

/** espeak-ng's default, in words per minute. */
const normalRate = 175

/** The engine ignores a rate outside of this range, in words per minute. */
const engineRates = { from: 80, to: 450 }

/** The engine interprets control characters as commands. */
const withoutControls = (text: string): string => text.replace(/\p{Cc}/gu, " ")

const escapeXml = (text: string): string =>
  withoutControls(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The engine interprets `[[` as the start of phonemes. In a text it is two brackets. */
const plain = (text: string): string =>
  escapeXml(text)
    .replace(/\[(?=\[)/g, "[ ")
    .replace(/\](?=\])/g, "] ")

const toSsml = (text: string, pronunciations: Readonly<Record<string, string>>): string =>
  text.replace(/[\p{L}\p{M}\p{N}'’\-\u200c\u200d]+|[^\p{L}\p{M}\p{N}'’\-\u200c\u200d]+/gu, (run) => {
    const phonemes = Object.hasOwn(pronunciations, run) ? pronunciations[run] : undefined
    return phonemes === undefined ? plain(run) : `[[${escapeXml(phonemes.replace(/[[\]]/g, ""))}]]`
  })
