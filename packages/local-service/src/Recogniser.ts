/**
 * What turns a recording into text in the local service. It is a service of its own, so that a real engine is
 * another Layer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { giveWay } from "./internal/giveWay.js"

/** Recordings reach a recogniser as mono samples at this rate, in Hz. */
export const sampleRate = 8000

export interface Recognised {
  readonly text: string
  /** 0 to 1. */
  readonly confidence: number
}

export interface KnownRecording<E = never, R = never> {
  readonly text: string
  /** The language of the models that know it. Default: any. */
  readonly lang?: string | undefined
  /** Mono, at {@link sampleRate}. */
  readonly samples: Stream.Stream<Float32Array, E, R>
}

/** A recording in a file, in any container that the service takes. */
export interface TaughtRecording {
  /** Of the recording. */
  readonly path: string
  readonly text: string
  /** The language of the models that know it. Default: any. */
  readonly lang?: string | undefined
}

export interface RecogniserService {
  /** The text of a recording in a language, or nothing: never a guess. Reads the recording to its end. */
  readonly recognise: <E, R>(
    lang: string,
    samples: Stream.Stream<Float32Array, E, R>
  ) => Effect.Effect<Recognised | undefined, E, R>
  /** Makes a recording known. */
  readonly learn: <E, R>(recording: KnownRecording<E, R>) => Effect.Effect<void, E, R>
  /** Forgets all of them. */
  readonly forget: Effect.Effect<void>
}

export interface KnownRecordingsOptions {
  /** How many seconds of recordings are kept before the oldest are forgotten. Default: one hour, 29 MB. */
  readonly capacitySeconds?: number | undefined
}

export class Recogniser extends Context.Tag("@effect-speech/local-service/Recogniser")<
  Recogniser,
  RecogniserService
>() {
  /**
   * Knows what it was taught and nothing else. Recordings are compared by how their waveforms run together, so that one
   * is known again after another rate, encoding or codec, and one that differs in a word is not.
   */
  static readonly layerKnownRecordings = (options: KnownRecordingsOptions = {}): Layer.Layer<Recogniser> =>
    Layer.sync(Recogniser, () => {
      const capacity = (options.capacitySeconds ?? 3600) * sampleRate
      let known: Array<Kept> = []
      let held = 0
      return {
        learn: ({ lang, samples, text }) =>
          Effect.gen(function* () {
            const { length, shape, silent } = yield* shapeOf(samples, capacity)
            // Silence is nobody's words, and would be taken for them.
            if (silent || length > capacity) return
            known.push({ text, lang, length, shape })
            held += length
            while (held > capacity) held -= known.shift()?.length ?? 0
          }),
        recognise: (lang, samples) =>
          Effect.gen(function* () {
            const longest = known.reduce((most, { length }) => Math.max(most, length), 0)
            const { length, shape } = yield* shapeOf(samples, longest + lengthTolerance)
            // The latest first: what was just said is what is most often asked for.
            for (const kept of [...known].reverse()) {
              if ((kept.lang ?? lang) !== lang || Math.abs(kept.length - length) > lengthTolerance) continue
              yield* giveWay
              const difference = differenceOf(kept.shape, shape)
              if (difference <= tolerance) return { text: kept.text, confidence: 1 - difference }
            }
            return undefined
          }),
        forget: Effect.sync(() => {
          known = []
          held = 0
        })
      }
    })
}

interface Kept {
  readonly text: string
  readonly lang: string | undefined
  /** Of the samples. */
  readonly length: number
  readonly shape: Int16Array
}

/** Below -50 dB from the first sample to the last. */
const silence = 10 ** (-50 / 20)

/** In samples, 150 ms: what encoders add before and after, where their files don't say how much that is. */
const lengthTolerance = 0.15 * sampleRate

/** Every so many samples of what lies below 1 kHz, where no codec gives up the waveform, as it does above. */
const decimation = 2

/** In samples of the shape, 100 ms: shorter than a word, and long against the pitch of a voice. */
const windowLength = (0.1 * sampleRate) / decimation

/** In samples of the shape, 5 ms. */
const windowStep = windowLength / 20

/**
 * Of 48 sentences in 24 pairs that differ in a word or a sound of it ("bat" and "pat", "can" and "can't"), a sentence
 * and itself differ at most by 0.015 after MP3 at 64 kbit/s, 0.27 after AAC at 64, 0.12 after Opus at 32 and at 16,
 * and 0.02 after Vorbis; a sentence and the other one of its pair, after any of these, at least by 0.92.
 */
const tolerance = 0.5

/** Of the mean energy: in quieter windows codecs keep little, and a difference counts for less. */
const floor = 0.03

/** A windowed sinc (Hamming) that ends at 1 kHz, over 10 ms. */
const lowPass = Float64Array.from({ length: 81 }, (_, index) => {
  const at = index - 40
  const sinc = at === 0 ? 1 : Math.sin((Math.PI * at) / 4) / ((Math.PI * at) / 4)
  return (sinc * (0.54 + 0.46 * Math.cos((Math.PI * at) / 40))) / 4
})

interface Shape {
  /** Of all samples, also where they were too many. */
  readonly length: number
  readonly silent: boolean
  /** The samples below 1 kHz, which is what is compared: none where they are too many. */
  readonly shape: Int16Array
}

/** Reads samples to their end, and keeps no more than the shape of so many. */
const shapeOf = <E, R>(samples: Stream.Stream<Float32Array, E, R>, most: number): Effect.Effect<Shape, E, R> =>
  Effect.gen(function* () {
    const shaper = makeShaper()
    const parts: Array<Int16Array> = []
    let length = 0
    let loudest = 0
    yield* Stream.runForEach(samples, (block) =>
      Effect.sync(() => {
        length += block.length
        for (const sample of block) loudest = Math.max(loudest, Math.abs(sample))
        if (length <= most) parts.push(shaper.push(block))
        else parts.length = 0
      })
    )
    if (length <= most) parts.push(shaper.flush())
    const shape = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
    let offset = 0
    for (const part of parts) {
      shape.set(part, offset)
      offset += part.length
    }
    return { length, silent: loudest < silence, shape }
  })

/** Filters and decimates block by block: each output is the filter's middle on every second sample. */
const makeShaper = () => {
  const middle = (lowPass.length - 1) / 2
  // As if silence came before.
  let pending = new Float32Array(middle)
  /** Of the first sample of the next output's filter, in `pending`. */
  let start = 0
  const shapeUpTo = (end: number): Int16Array => {
    const count = Math.max(0, Math.ceil((end - lowPass.length + 1 - start) / decimation))
    const shape = new Int16Array(count)
    for (let index = 0; index < count; index++, start += decimation) {
      let sum = 0
      for (let tap = 0; tap < lowPass.length; tap++) {
        sum += (lowPass[tap] as number) * (pending[start + tap] as number)
      }
      shape[index] = Math.round(Math.max(-1, Math.min(1, sum)) * 0x7fff)
    }
    return shape
  }
  const append = (block: Float32Array) => {
    const kept = pending.subarray(start)
    pending = new Float32Array(kept.length + block.length)
    pending.set(kept)
    pending.set(block, kept.length)
    start = 0
  }
  return {
    push: (block: Float32Array): Int16Array => {
      append(block)
      return shapeUpTo(pending.length)
    },
    /** As if silence followed. */
    flush: (): Int16Array => {
      append(new Float32Array(middle))
      return shapeUpTo(pending.length)
    }
  }
}

const energyOf = (shape: Int16Array): number => shape.reduce((sum, sample) => sum + sample * sample, 0)

/** One minus the correlation of the two, in the window where that is lowest: 0 for the same, 1 and more for others. */
const differenceOf = (known: Int16Array, heard: Int16Array): number => {
  const atOnce = largestDifference(known, heard, 0)
  return atOnce <= tolerance ? atOnce : largestDifference(known, heard, bestLag(known, heard))
}

const largestDifference = (known: Int16Array, heard: Int16Array, lag: number): number => {
  const from = Math.min(0, -lag)
  const to = Math.max(known.length, heard.length - lag)
  const ground = (floor * windowLength * energyOf(known)) / known.length
  const at = (index: number) => [known[index] ?? 0, heard[index + lag] ?? 0] as const
  let product = 0
  let knownEnergy = 0
  let heardEnergy = 0
  const add = (index: number, sign: number) => {
    const [a, b] = at(index)
    product += sign * a * b
    knownEnergy += sign * a * a
    heardEnergy += sign * b * b
  }
  let largest = 0
  for (let end = from; end < to; end++) {
    add(end, 1)
    if (end - windowLength >= from) add(end - windowLength, -1)
    if ((end - from) % windowStep !== 0) continue
    const alike = (product + ground) / Math.sqrt((knownEnergy + ground) * (heardEnergy + ground))
    largest = Math.max(largest, 1 - alike)
    if (largest > tolerance) return largest
  }
  return largest
}

/** By how many samples the one lies behind the other, where they run together best. */
const bestLag = (known: Int16Array, heard: Int16Array): number => {
  const reach = lengthTolerance / decimation
  // The loudest quarter of a second tells as much as the whole, in less time.
  const length = sampleRate / decimation / 4
  const start = loudest(known, length)
  const end = Math.min(known.length, start + length)
  let best = 0
  let highest = Number.NEGATIVE_INFINITY
  for (let lag = -reach; lag <= reach; lag++) {
    let sum = 0
    for (let index = Math.max(start, -lag); index < end && index + lag < heard.length; index++) {
      sum += (known[index] as number) * (heard[index + lag] as number)
    }
    if (sum > highest) {
      highest = sum
      best = lag
    }
  }
  return best
}

/** Where the loudest stretch of a length begins. */
const loudest = (shape: Int16Array, length: number): number => {
  let energy = 0
  let highest = 0
  let start = 0
  for (let index = 0; index < shape.length; index++) {
    energy += (shape[index] as number) ** 2 - (shape[index - length] ?? 0) ** 2
    if (energy > highest) {
      highest = energy
      start = Math.max(0, index - length + 1)
    }
  }
  return start
}
