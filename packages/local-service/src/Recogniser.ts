/**
 * What turns a recording into text in the local service. It is a service of its own, so that a real engine is
 * another Layer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import {
  differenceOf,
  type Envelope,
  envelopeOf,
  envelopesAlike,
  lengthTolerance,
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
  /** How many seconds of recordings are kept before the oldest are forgotten. Default: one hour, 58 MB. */
  readonly capacitySeconds?: number | undefined
}

export class Recogniser extends Context.Tag("@effect-speech/local-service/Recogniser")<
  Recogniser,
  RecogniserService
>() {
  /**
   * Knows what it was taught and nothing else. Recordings are compared by how their waveforms run together, so that one
   * is known again after another rate, encoding or codec, and one that differs in a word is not. The same text spoken
   * once more is another recording.
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
            known.push({ text, lang, length, shape, envelope: envelopeOf(shape) })
            held += length
            while (held > capacity) held -= known.shift()?.length ?? 0
          }),
        recognise: (lang, samples) =>
          Effect.gen(function* () {
            const longest = known.reduce((most, { length }) => Math.max(most, length), 0)
            const { length, shape } = yield* shapeOf(samples, longest + lengthTolerance)
            const envelope = envelopeOf(shape)
            // The latest first: what was just said is what is most often asked for.
            for (const kept of [...known].reverse()) {
              if ((kept.lang ?? lang) !== lang || Math.abs(kept.length - length) > lengthTolerance) continue
              if (!envelopesAlike(kept.envelope, envelope)) continue
              yield* yieldToEventLoop
              const comparison = differenceOf(kept.shape, shape)
              let step = comparison.next()
              for (; step.done !== true; step = comparison.next()) yield* yieldToEventLoop
              const difference = step.value
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
  readonly envelope: Envelope
}
