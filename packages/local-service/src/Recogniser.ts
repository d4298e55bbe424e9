/**
 * Turns recordings into text for the local service. To use a real engine, provide another Layer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import {
  differenceOf,
  type Envelope,
  envelopeOf,
  findLag,
  lengthTolerance,
  loudnessOf,
  sampleRate,
  shapeOf,
  tolerance
} from "./internal/recogniser/waveforms.js"
import { yieldToEventLoop } from "./internal/yieldToEventLoop.js"

export { sampleRate } from "./internal/recogniser/waveforms.js"

export interface Recognised {
  readonly text: string
  /** 0 to 1. */
  readonly confidence: number
}

export interface KnownRecording<E = never, R = never> {
  readonly text: string
  /** Language of the models that recognise it. Default: all. */
  readonly lang?: string | undefined
  /** Mono samples, -1 to 1, at {@link sampleRate}. */
  readonly samples: Stream.Stream<Float32Array, E, R>
}

/** A recording in a file, in any supported container. */
export interface TaughtRecording {
  /** Path of the audio file. */
  readonly path: string
  readonly text: string
  /** Language of the models that recognise it. Default: all. */
  readonly lang?: string | undefined
}

export interface RecogniserService {
  /** Reads the whole recording. Returns its text, or `undefined` if it is not known in this language. Never guesses. */
  readonly recognise: <E, R>(
    lang: string,
    samples: Stream.Stream<Float32Array, E, R>
  ) => Effect.Effect<Recognised | undefined, E, R>
  /** Stores a recording, so that `recognise` finds it. */
  readonly learn: <E, R>(recording: KnownRecording<E, R>) => Effect.Effect<void, E, R>
  /** Forgets all recordings. */
  readonly forget: Effect.Effect<void>
}

export interface KnownRecordingsOptions {
  /** Seconds of recordings to keep. Beyond that the oldest are forgotten. Default: 3,600, which take 58 MB. */
  readonly capacitySeconds?: number | undefined
}

export class Recogniser extends Context.Tag("@effect-speech/local-service/Recogniser")<
  Recogniser,
  RecogniserService
>() {
  /**
   * Recognises only the recordings that it has learned. It correlates waveforms, so it recognises a recording after
   * another sample rate, encoding or codec, and with half a second of silence or low noise at each end, but not one that
   * differs in a word. The same text spoken again is another recording.
   */
  static readonly layerKnownRecordings = (options: KnownRecordingsOptions = {}): Layer.Layer<Recogniser> =>
    Layer.sync(Recogniser, () => {
      const capacity = (options.capacitySeconds ?? 3600) * sampleRate
      let known: Array<StoredRecording> = []
      let storedSamples = 0
      return {
        learn: ({ lang, samples, text }) =>
          Effect.gen(function* () {
            const { length, shape, silent } = yield* shapeOf(samples, capacity)
            // Otherwise any silent recording would get this text.
            if (silent || length > capacity) return
            known.push({ text, lang, length, shape, envelope: envelopeOf(shape) })
            storedSamples += length
            while (storedSamples > capacity) storedSamples -= known.shift()?.length ?? 0
          }),
        recognise: (lang, samples) =>
          Effect.gen(function* () {
            const longest = known.reduce((most, { length }) => Math.max(most, length), 0)
            const { length, shape } = yield* shapeOf(samples, longest + lengthTolerance)
            const loudness = loudnessOf(shape)
            // The latest first, because most requests are for recent speech.
            for (const [index, stored] of [...known].reverse().entries()) {
              if (index % 100 === 99) yield* yieldToEventLoop
              if ((stored.lang ?? lang) !== lang || Math.abs(stored.length - length) > lengthTolerance) continue
              const lag = findLag(stored.envelope, loudness)
              if (lag === undefined) continue
              yield* yieldToEventLoop
              const comparison = differenceOf(stored.shape, shape, lag)
              let step = comparison.next()
              for (; step.done !== true; step = comparison.next()) yield* yieldToEventLoop
              const difference = step.value
              if (difference <= tolerance) return { text: stored.text, confidence: 1 - difference }
            }
            return undefined
          }),
        forget: Effect.sync(() => {
          known = []
          storedSamples = 0
        })
      }
    })
}

interface StoredRecording {
  readonly text: string
  readonly lang: string | undefined
  /** Number of samples. */
  readonly length: number
  readonly shape: Int16Array
  readonly envelope: Envelope
}
