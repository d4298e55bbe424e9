/**
 * The voice of the local service. It is a service of its own, so that another engine is another Layer.
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
  /** 1 is the voice's own rate. */
  readonly speed: number
  /** From a word to the engine's phonemes for it. */
  readonly pronunciations: Readonly<Record<string, string>>
}

/** The engine could not speak a text. */
export class VoiceFailed extends Data.TaggedError("VoiceFailed")<{ readonly message: string }> {}

export interface VoiceService {
  readonly languages: ReadonlyArray<string>
  readonly voices: ReadonlyArray<string>
  /** Of what it speaks, in Hz. */
  readonly sampleRate: number
  /** Speaks a text: mono samples, as they are made. `lang` and `voice` are of the lists. */
  readonly speak: (utterance: Utterance) => Stream.Stream<Float32Array, VoiceFailed>
}

export class Voice extends Context.Tag("@effect-speech/local-service/Voice")<Voice, VoiceService>() {
  /**
   * espeak-ng as WebAssembly, in a thread of its own that starts with the first text. Texts are spoken a few sentences
   * at a time, in turn with one another, so that a long one keeps no other waiting.
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
          const wanted = wordsPerMinute * speed
          const rate = Math.min(rates.to, Math.max(rates.from, Math.round(wanted)))
          return Stream.fromIterable(splitText(text)).pipe(
            Stream.mapConcatEffect(({ pause, text }) =>
              Effect.map(
                run({
                  ssml: toSsml(text, pronunciations),
                  voice: `${lang}${variants[voice]}`,
                  wordsPerMinute: rate,
                  factor: rate / wanted
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

/** Those that the engine speaks well; its names for them are the codes themselves. */
const languages = ["as", "bn", "en", "gu", "hi", "kn", "ml", "mr", "ne", "or", "pa", "ta", "te", "ur"] as const

/** espeak-ng's names for what makes a voice another. */
const variants: Readonly<Record<string, string>> = { default_female: "+f2", default_male: "" }

const wordsPerMinute = 175

/** Outside of these the engine's rate no longer changes. */
const rates = { from: 80, to: 450 }

/** Control characters are commands to the engine. */
const withoutControls = (text: string): string => text.replace(/\p{Cc}/gu, " ")

const escapeXml = (text: string): string =>
  withoutControls(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The engine takes `[[` for the start of phonemes; in a text of somebody's it is two brackets. */
const plain = (text: string): string =>
  escapeXml(text)
    .replace(/\[(?=\[)/g, "[ ")
    .replace(/\](?=\])/g, "] ")

const toSsml = (text: string, pronunciations: Readonly<Record<string, string>>): string =>
  text.replace(/[\p{L}\p{M}\p{N}'’\-\u200c\u200d]+|[^\p{L}\p{M}\p{N}'’\-\u200c\u200d]+/gu, (run) => {
    const phonemes = Object.hasOwn(pronunciations, run) ? pronunciations[run] : undefined
    return phonemes === undefined ? plain(run) : `[[${escapeXml(phonemes.replace(/[[\]]/g, ""))}]]`
  })
