/**
 * Speaks texts for the local service. To use another engine, provide another Layer.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { makeEspeak, sampleRate } from "./internal/voice/espeak.js"
import { splitText } from "./internal/voice/splitText.js"

export interface Utterance {
  readonly text: string
  readonly lang: string
  readonly voice: string
  /** 1 is the voice's normal speed, 2 is twice as fast. */
  readonly speed: number
  /** The engine's phonemes of a word, by the word. */
  readonly pronunciations: Readonly<Record<string, string>>
}

/** The engine failed to speak a text. */
export class VoiceFailed extends Data.TaggedError("VoiceFailed")<{ readonly message: string }> {}

export interface VoiceService {
  readonly languages: ReadonlyArray<string>
  readonly voices: ReadonlyArray<string>
  /** Sample rate of its speech, in Hz. */
  readonly sampleRate: number
  /**
   * Speaks a text as a stream of mono samples, -1 to 1. `lang` is one of `languages` and `voice` one of `voices`. Do not
   * overwrite a block that was emitted: a short text is kept in memory.
   */
  readonly speak: (utterance: Utterance) => Stream.Stream<Float32Array, VoiceFailed>
}

export class Voice extends Context.Tag("@effect-speech/local-service/Voice")<Voice, VoiceService>() {
  /**
   * espeak-ng as WebAssembly, in a thread that starts with the first text. It speaks a few sentences of each text in
   * turn, so that a short text does not wait for a long one.
   */
  static readonly layerEspeak: Layer.Layer<Voice> = Layer.scoped(
    Voice,
    Effect.map(
      makeEspeak,
      (run): VoiceService => ({
        languages: [...languages],
        voices: Object.keys(variants),
        sampleRate,
        speak: ({ lang, pronunciations, speed, text, voice }) => {
          const targetRate = normalRate * speed
          const engineRate = Math.min(engineRates.to, Math.max(engineRates.from, Math.round(targetRate)))
          return Stream.fromIterable(splitText(text)).pipe(
            Stream.mapConcatEffect(({ pause, text }) =>
              Effect.map(
                run({
                  ssml: toSsml(text, pronunciations),
                  voice: `${lang}${variants[voice]}`,
                  wordsPerMinute: engineRate,
                  stretch: engineRate / targetRate
                }),
                (samples) => [samples, new Float32Array(Math.round((pause / speed) * sampleRate))]
              )
            ),
            Stream.mapError((message) => new VoiceFailed({ message }))
          )
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
