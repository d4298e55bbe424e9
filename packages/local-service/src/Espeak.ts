/**
 * The voice espeak-ng, as WebAssembly.
 */
import { Voice, VoiceFailed, type VoiceService } from "@effect-speech/engine/Voice"
import * as SpokenPieces from "@effect-speech/long-form/unstable/SpokenPieces"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeEspeak, sampleRate } from "./internal/espeak/espeak.js"

/**
 * The built-in voice: espeak-ng, as WebAssembly. Give it to `LocalService.layerWithoutDependencies` if only the recogniser is your own.
 *
 * It speaks in up to as many threads as the machine has cores. A thread starts with the first text that finds the others busy. They speak a
 * sentence of each text in turn, so that a short text does not wait for a long one.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { Espeak, KnownRecordings, LocalService } from "@effect-speech/local-service"
 * import { Layer } from "effect"
 *
 * export const ServiceLive = LocalService.layerWithoutDependencies({ port: 8100 }).pipe(
 *   Layer.provide([Espeak.layer, KnownRecordings.layer(), NodeFileSystem.layer])
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Voice> = Layer.scoped(
  Voice,
  Effect.map(
    makeEspeak,
    (run): VoiceService => ({
      voices: Object.keys(variants).map((name) => ({ name, languages, sampleRate, model: "espeak-ng", details })),
      speak: ({ lang, onSentence, pronunciations, speed, text, voice }) => {
        const targetRate = normalRate * speed
        const engineRate = Math.min(engineRates.to, Math.max(engineRates.from, Math.round(targetRate)))
        return SpokenPieces.speak({
          text,
          lang,
          speed,
          sampleRate,
          onSentence,
          say: (piece) =>
            Effect.mapError(
              run({
                ssml: toSsml(piece, pronunciations),
                voice: `${lang}${variants[voice]}`,
                wordsPerMinute: engineRate,
                stretch: engineRate / targetRate
              }),
              (message) => new VoiceFailed({ reason: "Failed", message })
            )
        })
      }
    })
  )
)

const details = { family: "espeak-ng", licence: "GPL-3.0-or-later" }

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
