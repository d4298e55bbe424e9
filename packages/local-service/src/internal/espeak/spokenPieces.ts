import * as Sentences from "@effect-speech/long-form/Sentences"
import * as TextPieces from "@effect-speech/long-form/TextPieces"

/** A sentence, or a part of a sentence that is too long for one call of the engine. */
export interface SpokenPiece {
  readonly text: string
  /** Silence after the piece, in seconds at speed 1. */
  readonly pause: number
  /** The sentence that ends with this piece. */
  readonly sentence: string | undefined
}

/** About 15 seconds of speech. */
const limits = { maximumCodePoints: 250, firstCodePoints: 250 }

/** In seconds, espeak-ng's own. */
const pauses: Readonly<Record<TextPieces.Boundary, number>> = {
  end: 0.3,
  paragraph: 0.3,
  line: 0.3,
  sentence: 0.3,
  clause: 0.12,
  word: 0,
  cluster: 0
}

/** Splits a text into sentences. Splits a long sentence after clauses, otherwise between words or characters. */
export function* spokenPieces(text: string, lang: string): Generator<SpokenPiece, void> {
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
