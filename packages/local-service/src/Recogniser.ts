/**
 * What turns a recording into text in the local service. It is a service of its own, so that a real engine is
 * another Layer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Recordings reach a recogniser as mono samples at this rate, in Hz. */
export const sampleRate = 8000

export interface Recognised {
  readonly text: string
  /** 0 to 1. */
  readonly confidence: number
}

export interface KnownRecording {
  readonly text: string
  readonly lang: string
  /** Mono, at {@link sampleRate}. */
  readonly samples: Float32Array
}

export interface RecogniserService {
  /** The text of a recording in a language, or nothing: never a guess. */
  readonly recognise: (lang: string, samples: Float32Array) => Effect.Effect<Recognised | undefined>
  /** Makes a recording known. */
  readonly learn: (recording: KnownRecording) => Effect.Effect<void>
}

export interface KnownRecordingsOptions {
  /** How many seconds of recordings are kept before the oldest are forgotten. Default: one hour, 58 MB. */
  readonly capacitySeconds?: number | undefined
}

export class Recogniser extends Context.Tag("@effect-speech/local-service/Recogniser")<
  Recogniser,
  RecogniserService
>() {
  /**
   * Knows what it was taught and nothing else. Recordings are compared by their samples within a tolerance, so that
   * one is known again after another rate, encoding or container, and one that differs in a word is not.
   */
  static readonly layerKnownRecordings = (options: KnownRecordingsOptions = {}): Layer.Layer<Recogniser> =>
    Layer.sync(Recogniser, () => {
      const capacity = (options.capacitySeconds ?? 3600) * sampleRate
      const known: Array<Kept> = []
      let held = 0
      return {
        learn: ({ lang, samples, text }) =>
          Effect.sync(() => {
            // Silence is nobody's words, and would be taken for them.
            if (isSilent(samples)) return
            known.push({ text, lang, samples: toInt16(samples) })
            held += samples.length
            while (held > capacity && known.length > 1) held -= known.shift()?.samples.length ?? 0
          }),
        recognise: (lang, samples) =>
          Effect.sync(() => {
            // The latest first: what was just said is what is most often asked for.
            for (let index = known.length - 1; index >= 0; index--) {
              const kept = known[index]
              if (kept === undefined || kept.lang !== lang) continue
              const difference = largestDifference(kept.samples, samples)
              if (difference <= tolerance) return { text: kept.text, confidence: 1 - difference }
            }
            return undefined
          })
      }
    })
}

interface Kept {
  readonly text: string
  readonly lang: string
  readonly samples: Int16Array
}

/** Below -50 dB from the first sample to the last. */
const isSilent = (samples: Float32Array): boolean => samples.every((sample) => Math.abs(sample) < 10 ** (-50 / 20))

const toInt16 = (samples: Float32Array): Int16Array => {
  const rounded = new Int16Array(samples.length)
  for (let index = 0; index < samples.length; index++) {
    const sample = Math.round((samples[index] as number) * 0x8000)
    rounded[index] = Math.max(-0x8000, Math.min(0x7fff, sample))
  }
  return rounded
}

/** In samples: what padding and rounding may add or take at the end. */
const lengthTolerance = sampleRate / 100

/** 25 ms, short against any word. */
const windowLength = sampleRate / 40

/** The part of a window's energy that may differ. Resampling costs under 0.01, another word over 1. */
const tolerance = 0.1

/** Added to a window's energy, so that hiss in a pause is no difference: that of noise at -50 dB. */
const floor = windowLength * (0x8000 * 10 ** (-50 / 20)) ** 2

/** The energy of the difference over the energy of the louder one, in the window where it is largest. */
const largestDifference = (known: Int16Array, samples: Float32Array): number => {
  if (Math.abs(known.length - samples.length) > lengthTolerance) return Number.POSITIVE_INFINITY
  const length = Math.max(known.length, samples.length)
  let largest = 0
  for (let start = 0; start < length && largest <= tolerance; start += windowLength) {
    let difference = 0
    let knownEnergy = 0
    let energy = 0
    for (let index = start; index < start + windowLength; index++) {
      const a = known[index] ?? 0
      const b = (samples[index] ?? 0) * 0x8000
      difference += (a - b) ** 2
      knownEnergy += a * a
      energy += b * b
    }
    largest = Math.max(largest, difference / (Math.max(knownEnergy, energy) + floor))
  }
  return largest
}
