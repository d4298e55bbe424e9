/**
 * Turns recordings into text for the local service. To use a real engine, provide another Layer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { isNext, type Match, makeAligner } from "./internal/recogniser/alignment.js"
import { makeKnownSpeech } from "./internal/recogniser/knownSpeech.js"
import { type Steps, sampleRate, shapeOf } from "./internal/recogniser/waveforms.js"
import { yieldToEventLoop } from "./internal/yieldToEventLoop.js"

export { sampleRate } from "./internal/recogniser/waveforms.js"

/** A text with its time in a recording. */
export interface TimedText {
  readonly text: string
  /** In seconds from the beginning of the recording. */
  readonly start: number
  /** In seconds, after `start`. */
  readonly end: number
}

export interface RecognisedSegment extends TimedText {
  /** 0 to 1. */
  readonly confidence: number
}

export interface Recognised {
  readonly text: string
  /** 0 to 1. */
  readonly confidence: number
  /** The sentences, in order. Default: one with the whole text, for the whole recording. */
  readonly segments?: ReadonlyArray<RecognisedSegment> | undefined
}

export interface KnownRecording<E = never, R = never> {
  readonly text: string
  /** Language of the models that recognise it. Default: all. */
  readonly lang?: string | undefined
  /** Mono samples, -1 to 1, at {@link sampleRate}. */
  readonly samples: Stream.Stream<Float32Array, E, R>
  /** The sentences in it, in order. Each is recognised by itself. Default: one, the whole recording. */
  readonly segments?: ReadonlyArray<TimedText> | undefined
}

/** A recording in a file, in any supported container. */
export interface TaughtRecording {
  /** Path of the audio file. */
  readonly path: string
  readonly text: string
  /** Language of the models that recognise it. Default: all. */
  readonly lang?: string | undefined
  /** The sentences in it, in order. Each is recognised by itself. Default: one, the whole recording. */
  readonly segments?: ReadonlyArray<TimedText> | undefined
}

export interface RecogniserService {
  /**
   * Reads the whole recording. Returns the text of the known sentences in it, or `undefined` if it has none in this language.
   * Never guesses.
   */
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
  /** Seconds of recordings to keep. Beyond that the oldest are forgotten. Default: 7,200. An hour takes 64 MB. */
  readonly capacitySeconds?: number | undefined
}

export class Recogniser extends Context.Tag("@effect-speech/local-service/Recogniser")<
  Recogniser,
  RecogniserService
>() {
  /**
   * Recognises only what it has learned, sentence by sentence, anywhere in a recording: in a join, in a cut, between silence or
   * other speech. It compares waveforms, so it recognises a sentence after another sample rate, encoding or codec, but not one
   * that differs in a word. A sentence that is cut in two is not recognised. The same text spoken again is another recording.
   */
  static readonly layerKnownRecordings = (options: KnownRecordingsOptions = {}): Layer.Layer<Recogniser> =>
    Layer.sync(Recogniser, () => {
      const capacity = (options.capacitySeconds ?? 7200) * sampleRate
      const known = makeKnownSpeech()
      return {
        learn: ({ lang, samples, segments, text }) =>
          Effect.gen(function* () {
            const { length, shape, silent } = yield* shapeOf(samples, capacity)
            // Otherwise any silent recording would get this text.
            if (silent || length > capacity) return
            const timed = segments?.map((each) => ({
              text: each.text,
              start: each.start * sampleRate,
              end: each.end * sampleRate,
              exact: true
            }))
            yield* inSteps(known.add(text, lang, shape, timed ?? [{ text, start: 0, end: length, exact: false }]))
            known.limit(capacity)
          }),
        recognise: (lang, samples) =>
          Effect.gen(function* () {
            const aligner = makeAligner(known, lang)
            yield* Stream.runForEach(samples, (block) =>
              Effect.gen(function* () {
                for (let start = 0; start < block.length; start += stepLength) {
                  if (start > 0) yield* yieldToEventLoop
                  yield* inSteps(aligner.push(block.subarray(start, start + stepLength)))
                }
              })
            )
            return recognisedOf(yield* inSteps(aligner.flush()))
          }),
        forget: Effect.sync(known.forget)
      }
    })
}

/** In samples: two seconds. Other requests wait while so much is processed. */
const stepLength = 2 * sampleRate

/** Runs a long computation. Other requests run between its steps. */
const inSteps = <A>(steps: Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const first = steps.next()
    if (first.done === true) return Effect.succeed(first.value)
    return Effect.gen(function* () {
      let step = first as IteratorResult<void, A>
      for (; step.done !== true; step = steps.next()) yield* yieldToEventLoop
      return step.value
    })
  })

const recognisedOf = (matches: ReadonlyArray<Match>): Recognised | undefined => {
  if (matches.length === 0) return undefined
  const segments = matches.map(({ difference, sentence, start }) => ({
    start: secondsOf(Math.max(0, start + sentence.start)),
    end: secondsOf(start + sentence.end),
    text: sentence.text,
    confidence: 1 - difference
  }))
  let weights = 0
  let sum = 0
  for (const { confidence, end, start } of segments) {
    weights += end - start
    sum += (end - start) * confidence
  }
  return { text: textOf(matches), confidence: Math.min(1, sum / weights), segments }
}

/** To the millisecond. */
const secondsOf = (samples: number): number => Math.round((samples * 1000) / sampleRate) / 1000

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
