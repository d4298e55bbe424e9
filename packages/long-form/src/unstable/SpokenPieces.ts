/**
 * Texts as an engine speaks them: sentence by sentence, with a pause after each.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Sentences from "../Sentences.js"
import * as TextPieces from "../TextPieces.js"

/**
 * A sentence, or a part of a sentence that is too long for one call of the engine.
 *
 * @since 0.1.0
 * @category models
 */
export interface SpokenPiece {
  readonly text: string
  /** Silence after the piece, in seconds at speed 1. */
  readonly pause: number
  /** The sentence that ends with this piece. */
  readonly sentence: string | undefined
}

/** About 15 seconds of speech. */
const limits = { maximumCodePoints: 250, firstCodePoints: 250 }

/** In seconds. They are espeak-ng's own. */
const pauses: Readonly<Record<TextPieces.Boundary, number>> = {
  end: 0.3,
  paragraph: 0.3,
  line: 0.3,
  sentence: 0.3,
  clause: 0.12,
  word: 0,
  cluster: 0
}

/**
 * Splits a text into sentences. Splits a long sentence after clauses, otherwise between words or characters.
 *
 * @since 0.1.0
 * @category combinators
 */
export function* split(text: string, lang: string): Generator<SpokenPiece, void> {
  for (const sentence of Sentences.split(text, { lang })) {
    for (const piece of TextPieces.split(sentence.text, { ...limits, lang })) {
      const isLast = piece.endIndex === sentence.text.length
      yield {
        text: piece.text,
        pause: sentence.endIndex === text.length && isLast ? 0 : pauses[piece.boundary],
        sentence: isLast ? sentence.text : undefined
      }
    }
  }
}

/**
 * What {@link speak} speaks, and with which engine.
 *
 * @since 0.1.0
 * @category options
 */
export interface SpeakOptions<E, R> {
  /** A text of any length. */
  readonly text: string
  /** Language code of the text. */
  readonly lang: string
  /** 1 is the normal speed. The pauses are shorter at a higher one. */
  readonly speed: number
  /** In Hz. */
  readonly sampleRate: number
  /** Speaks a piece. */
  readonly say: (text: string) => Effect.Effect<Float32Array, E, R>
  /** Pieces that are spoken at once. Default: 1. */
  readonly concurrency?: number | undefined
  /** Takes each sentence, in order, with its place in the speech. */
  readonly onSentence?:
    | ((sentence: { readonly text: string; readonly startSample: number; readonly endSample: number }) => void)
    | undefined
}

/**
 * Speaks a text piece by piece: the samples of each, then those of its pause. No block is empty. A piece that has no samples has no pause
 * either, or a text that an engine can't speak would be a silence.
 *
 * @since 0.1.0
 * @category combinators
 */
export const speak = <E, R>(options: SpeakOptions<E, R>): Stream.Stream<Float32Array, E, R> =>
  Stream.suspend(() => {
    const { concurrency = 1, lang, onSentence, sampleRate, say, speed, text } = options
    let length = 0
    let start = 0
    return Stream.fromIterable(split(text, lang)).pipe(
      Stream.rechunk(1),
      Stream.mapEffect((piece) => Effect.map(say(piece.text), (samples) => ({ ...piece, samples })), { concurrency }),
      Stream.mapConcat(({ pause, samples, sentence }) => {
        const silence = new Float32Array(samples.length === 0 ? 0 : Math.round((pause / speed) * sampleRate))
        length += samples.length
        if (sentence !== undefined && length > start)
          onSentence?.({ text: sentence, startSample: start, endSample: length })
        length += silence.length
        if (sentence !== undefined) start = length
        return [samples, silence].filter((block) => block.length > 0)
      })
    )
  })
