/**
 * Turns recordings into text for the local service. To use a real engine, provide another Layer.
 */
import { maximumRate, minimumRaisedRate } from "@effect-speech/audio-codec/Resampler"
import { cooperatively } from "@effect-speech/common/Cooperative"
import { concat } from "@effect-speech/common/TypedArrays"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isNext, type Match, makeAligner } from "./internal/knownRecordings/alignment.js"
import { makeLearner } from "./internal/knownRecordings/learning.js"
import { sampleRate } from "./internal/knownRecordings/waveforms.js"
import { encode16, forEachBlock, maximumWhole, resample, type Samples } from "./internal/recordings/samples.js"

export type { Samples } from "./internal/recordings/samples.js"

/**
 * A text with its time in a recording.
 *
 * @since 0.1.0
 * @category models
 */
export interface TimedText {
  readonly text: string
  /** From the beginning of the recording. */
  readonly startMillis: number
  /** After `startMillis`. */
  readonly endMillis: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RecognisedSegment extends TimedText {
  /** 0 to 1. */
  readonly confidence: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Recognised {
  readonly text: string
  /** 0 to 1. */
  readonly confidence: number
  /** The sentences, in order. Default: one with the whole text, for the whole recording. */
  readonly segments?: ReadonlyArray<RecognisedSegment> | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface KnownRecording<E = never, R = never> {
  readonly text: string
  /** Language of the models that recognise it. Default: all. */
  readonly lang?: string | undefined
  /** Mono samples, -1 to 1. */
  readonly samples: Samples<E, R>
  /** In Hz: an integer from 1,000 to 4,294,967,295. Default: `Recogniser.sampleRate`. */
  readonly sampleRate?: number | undefined
  /** The sentences in it, in order. Each is recognised by itself. Default: one, the whole recording. */
  readonly segments?: ReadonlyArray<TimedText> | undefined
}

/**
 * A recording in a file, in any supported container.
 *
 * @since 0.1.0
 * @category models
 */
export interface TaughtRecording {
  /** Path of the audio file. */
  readonly path: string
  readonly text: string
  /** Language of the models that recognise it. Default: all. */
  readonly lang?: string | undefined
  /** The sentences in it, in order. Each is recognised by itself. Default: one, the whole recording. */
  readonly segments?: ReadonlyArray<TimedText> | undefined
}

/**
 * @since 0.1.0
 * @category services
 */
export interface RecogniserService {
  /**
   * Reads the whole recording. Returns the text of the known sentences in it, or `undefined` if it has none in this language.
   * Never guesses.
   */
  readonly recognise: <E = never, R = never>(
    lang: string,
    samples: Samples<E, R>
  ) => Effect.Effect<Recognised | undefined, E, R>
  /** Stores a recording, so that each later `recognise` finds it. */
  readonly learn: <E = never, R = never>(recording: KnownRecording<E, R>) => Effect.Effect<void, E, R>
  /** Forgets all recordings. */
  readonly forget: Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category options
 */
export interface KnownRecordingsOptions {
  /** How much of recordings to keep. Beyond that the oldest are forgotten. Default: 2 hours. An hour takes 64 MB. */
  readonly capacity?: Duration.DurationInput | undefined
}

/**
 * @since 0.1.0
 * @category services
 */
export class Recogniser extends Context.Tag("@effect-speech/local-service/Recogniser")<
  Recogniser,
  RecogniserService
>() {
  /** The sample rate at which `layerKnownRecordings` compares recordings, in Hz. */
  static readonly sampleRate: number = sampleRate

  /**
   * Recognises only what it has learned, sentence by sentence, anywhere in a recording: in a join, in a cut, between silence or
   * other speech. It compares waveforms, so it recognises a sentence after another sample rate, encoding or codec, but not one
   * that differs in a word. A sentence that is cut in two is not recognised. The same text spoken again is another recording.
   */
  static readonly layerKnownRecordings = (options: KnownRecordingsOptions = {}): Layer.Layer<Recogniser> =>
    Layer.scoped(
      Recogniser,
      Effect.gen(function* () {
        const capacity = Duration.toSeconds(options.capacity ?? "2 hours") * sampleRate
        const { add, forget, known, learnAll } = yield* makeLearner(capacity)
        return {
          learn: ({ lang, sampleRate: from = sampleRate, samples, segments, text }) =>
            Effect.suspend(() => {
              if (!Number.isInteger(from) || from < minimumRaisedRate || from > maximumRate) {
                const range = `an integer from ${minimumRaisedRate} to ${maximumRate}`
                return Effect.die(new RangeError(`sampleRate must be ${range}, not ${from}.`))
              }
              // A short recording is resampled when it is learned. Until then it takes more memory.
              const isShort = samples instanceof Float32Array && samples.length <= maximumWhole
              const rate = isShort ? from : sampleRate
              return Effect.flatMap(
                read(resample(samples, { from, to: rate }), (capacity * rate) / sampleRate),
                (read) => {
                  if (read === undefined) return Effect.void
                  const length = Math.ceil((read.length * sampleRate) / rate)
                  const timed = segments?.map((each) => ({
                    text: each.text,
                    start: (each.startMillis * sampleRate) / 1000,
                    end: (each.endMillis * sampleRate) / 1000,
                    exact: true
                  }))
                  const whole = { text, start: 0, end: length, exact: false }
                  return add({ text, lang, samples: read, sampleRate: rate, length, sentences: timed ?? [whole] })
                }
              )
            }),
          recognise: (lang, samples) =>
            Effect.gen(function* () {
              yield* learnAll
              const aligner = makeAligner(known, lang)
              const push = (block: Float32Array) => cooperatively(aligner.push(block))
              yield* forEachBlock(samples, push)
              return recognisedOf(yield* cooperatively(aligner.flush()))
            }),
          forget
        }
      })
    )
}

/** Reads samples, with 16 bits: half the memory, and the noise is far below that of a codec. `undefined`: more than `most`. */
const read = <E, R>(samples: Samples<E, R>, most: number): Effect.Effect<Int16Array | undefined, E, R> =>
  Effect.suspend(() => {
    const parts: Array<Int16Array> = []
    let length = 0
    const add = (block: Float32Array) => {
      length += block.length
      if (length <= most) parts.push(encode16(block))
      else parts.length = 0
    }
    return Effect.map(
      forEachBlock(samples, (block) => Effect.sync(() => add(block))),
      () => (length > most ? undefined : concat(parts, Int16Array))
    )
  })

const recognisedOf = (matches: ReadonlyArray<Match>): Recognised | undefined => {
  if (matches.length === 0) return undefined
  const segments = matches.map(({ difference, sentence, start }) => ({
    startMillis: millisOf(Math.max(0, start + sentence.start)),
    endMillis: millisOf(start + sentence.end),
    text: sentence.text,
    confidence: 1 - difference
  }))
  let weights = 0
  let sum = 0
  for (const { confidence, endMillis, startMillis } of segments) {
    weights += endMillis - startMillis
    sum += (endMillis - startMillis) * confidence
  }
  return { text: textOf(matches), confidence: Math.min(1, sum / weights), segments }
}

const millisOf = (samples: number): number => Math.round((samples * 1000) / sampleRate)

/** The texts of sentences that follow each other in one recording have what was between them, others have a space. */
const textOf = (matches: ReadonlyArray<Match>): string => {
  const gaps = matches.slice(1).map((match, index) => {
    const before = matches[index] as Match
    return isNext(before, match) ? before.sentence.recording.gaps?.[before.sentence.position] : undefined
  })
  const { recording } = (matches[0] as Match).sentence
  const isWhole = matches.length === recording.sentences.length && gaps.every((gap) => gap !== undefined)
  return isWhole
    ? recording.text
    : matches.map(({ sentence }, index) => (index === 0 ? "" : (gaps[index - 1] ?? " ")) + sentence.text).join("")
}
