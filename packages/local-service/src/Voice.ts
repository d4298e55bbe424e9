/**
 * The voice of the local service. It is a service of its own, so that another engine is another Layer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeEspeak, sampleRate } from "./internal/espeak.js"
import { timeStretch } from "./internal/timeStretch.js"

export interface Utterance {
  readonly text: string
  readonly lang: string
  readonly voice: string
  /** 1 is the voice's own rate. */
  readonly speed: number
  /** From a word to the engine's phonemes for it. */
  readonly pronunciations: Readonly<Record<string, string>>
}

/** Mono samples. */
export interface Sound {
  readonly sampleRate: number
  readonly samples: Float32Array
}

export interface VoiceService {
  readonly languages: ReadonlyArray<string>
  readonly voices: ReadonlyArray<string>
  /** Speaks a text. `lang` and `voice` are of the lists. */
  readonly speak: (utterance: Utterance) => Effect.Effect<Sound>
}

/** espeak-ng's names for the languages, and for what makes a voice female. */
const engineLanguages: Readonly<Record<string, string>> = {
  as: "as",
  bn: "bn",
  en: "en",
  gu: "gu",
  hi: "hi",
  kn: "kn",
  ml: "ml",
  mr: "mr",
  ne: "ne",
  or: "or",
  pa: "pa",
  ta: "ta",
  te: "te",
  ur: "ur"
}
const engineVariants: Readonly<Record<string, string>> = { default_female: "+f2", default_male: "" }

const wordsPerMinute = 175

/** Outside of these the engine's rate no longer changes. */
const engineRates = { from: 80, to: 450 }

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The engine takes `[[` for the start of phonemes; in a text of somebody's it is two brackets. */
const plain = (text: string): string => escapeXml(text).replaceAll("[[", "[ [").replaceAll("]]", "] ]")

const toSsml = (text: string, pronunciations: Readonly<Record<string, string>>): string =>
  text.replace(/[\p{L}\p{M}\p{N}'’-]+|[^\p{L}\p{M}\p{N}'’-]+/gu, (run) => {
    const phonemes = Object.hasOwn(pronunciations, run) ? pronunciations[run] : undefined
    return phonemes === undefined ? plain(run) : `[[${escapeXml(phonemes.replace(/[[\]]/g, ""))}]]`
  })

export class Voice extends Context.Tag("@effect-speech/local-service/Voice")<Voice, VoiceService>() {
  /** espeak-ng as WebAssembly, in a thread of its own that starts with the first text. */
  static readonly layerEspeak: Layer.Layer<Voice> = Layer.scoped(
    Voice,
    Effect.map(
      makeEspeak,
      (run): VoiceService => ({
        languages: Object.keys(engineLanguages),
        voices: Object.keys(engineVariants),
        speak: ({ lang, pronunciations, speed, text, voice }) => {
          const wanted = wordsPerMinute * speed
          const rate = Math.min(engineRates.to, Math.max(engineRates.from, Math.round(wanted)))
          return run({
            ssml: toSsml(text, pronunciations),
            voice: `${engineLanguages[lang]}${engineVariants[voice]}`,
            wordsPerMinute: rate
          }).pipe(
            Effect.map((samples) => ({
              sampleRate,
              samples: timeStretch(
                Float32Array.from(samples, (sample) => sample / 0x8000),
                { sampleRate, factor: rate / wanted }
              )
            }))
          )
        }
      })
    )
  )
}
