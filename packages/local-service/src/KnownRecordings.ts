/**
 * The recogniser of known recordings: it recognises only what it was taught or what the service has spoken, and never guesses.
 */
import { maximumRate, minimumRaisedRate } from "@effect-speech/audio-codec/Resampler"
import { cooperatively } from "@effect-speech/common/Cooperative"
import { concat } from "@effect-speech/common/TypedArrays"
import { type KnownRecording, type Recognised, Recogniser } from "@effect-speech/engine/Recogniser"
import type { Samples } from "@effect-speech/engine/Samples"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isNext, type Match, makeAligner } from "./internal/knownRecordings/alignment.js"
import { makeLearner, type PendingRecording } from "./internal/knownRecordings/learning.js"
import { sampleRate as waveformRate } from "./internal/knownRecordings/waveforms.js"
import { encode16, forEachBlock, maximumWhole, resample } from "./internal/recordings/samples.js"

/**
 * Options of the built-in recogniser. `LocalService.layer` takes them too.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 *
 * // It remembers a day of speech, in 1.5 GB.
 * export const ServiceLive = LocalService.layer({ capacity: "24 hours" })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface KnownRecordingsOptions {
  /**
   * How much of recordings to keep. Beyond that the oldest are forgotten. A recording that is longer than that is not learned. Default:
   * 2 hours. An hour takes 64 MB.
   */
  readonly capacity?: Duration.DurationInput | undefined
}

/**
 * The sample rate at which it compares recordings, in Hz.
 *
 * @since 0.1.0
 * @category constants
 */
export const sampleRate: number = waveformRate

const notice =
  "this local service knows only sentences that it was taught or has spoken itself, for a model of their language, at their speed and not cut in two; teach it this recording"

/**
 * The built-in recogniser. It recognises only what it has learned, sentence by sentence, anywhere in a recording: in a join, in a cut, between
 * silence or other speech. Give it to `LocalService.layerWithoutDependencies` if only the voice is your own.
 *
 * It compares waveforms, so it recognises a sentence after another sample rate, encoding or codec, but not one that differs in a word. A
 * sentence that is cut in two is not recognised. The same text spoken again is another recording.
 *
 * It takes any model of the service, and ignores hotwords. If you teach it a recording whose `sampleRate` is not an integer from 1,000 to
 * 4,294,967,295, that is a defect, a `RangeError`.
 *
 * @example
 * ```ts
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { KnownRecordings, LocalService, Voice } from "@effect-speech/local-service"
 * import { Layer } from "effect"
 *
 * const SilentVoice = Layer.succeed(Voice, {
 *   voices: [{ name: "default_female", languages: ["hi"], sampleRate: 16_000 }],
 *   speak: () => new Float32Array(16_000)
 * })
 *
 * export const ServiceLive = LocalService.layerWithoutDependencies().pipe(
 *   Layer.provide([SilentVoice, KnownRecordings.layer({ capacity: "10 minutes" }), NodeFileSystem.layer])
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: KnownRecordingsOptions = {}): Layer.Layer<Recogniser> =>
  Layer.scoped(
    Recogniser,
    Effect.gen(function* () {
      const capacity = Duration.toSeconds(options.capacity ?? "2 hours") * sampleRate
      const { add, forget, known, learnAll } = yield* makeLearner(capacity)
      return {
        sampleRate,
        recognise: ({ lang, samples }) =>
          Effect.gen(function* () {
            yield* learnAll
            const aligner = makeAligner(known, lang)
            const push = (block: Float32Array) => cooperatively(aligner.push(block))
            yield* forEachBlock(samples, push)
            return recognisedOf(yield* cooperatively(aligner.flush()))
          }),
        knownRecordings: {
          learn: (recording) =>
            Effect.flatMap(readRecording(recording, capacity), (read) =>
              read === undefined ? Effect.void : add(read)
            ),
          forget,
          notice
        }
      }
    })
  )

/** Reads a recording to learn. `undefined` if it is longer than `capacity`, in samples at `sampleRate`. */
const readRecording = <E, R>(
  { lang, sampleRate: from = sampleRate, samples, segments, text }: KnownRecording<E, R>,
  capacity: number
): Effect.Effect<PendingRecording | undefined, E, R> =>
  Effect.suspend(() => {
    if (!Number.isInteger(from) || from < minimumRaisedRate || from > maximumRate) {
      const range = `an integer from ${minimumRaisedRate} to ${maximumRate}`
      return Effect.die(new RangeError(`sampleRate must be ${range}, not ${from}.`))
    }
    // A short recording is resampled when it is learned. Until then it takes more memory.
    const isShort = samples instanceof Float32Array && samples.length <= maximumWhole
    const rate = isShort ? from : sampleRate
    return Effect.map(read(resample(samples, { from, to: rate }), (capacity * rate) / sampleRate), (read) => {
      if (read === undefined) return undefined
      const length = Math.ceil((read.length * sampleRate) / rate)
      const timed = segments?.map((each) => ({
        text: each.text,
        start: (each.startMillis * sampleRate) / 1000,
        end: (each.endMillis * sampleRate) / 1000,
        exact: true
      }))
      const whole = { text, start: 0, end: length, exact: false }
      return { text, lang, samples: read, sampleRate: rate, length, sentences: timed ?? [whole] }
    })
  })

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
