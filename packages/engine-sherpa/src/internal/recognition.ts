/**
 * Recognises the recording of a request with a model.
 */
import type { Recognised, RecognisedSegment, RecognitionRequest } from "@effect-speech/engine"
import { RecogniserFailed } from "@effect-speech/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type HearingFamily, longEnough } from "./families/recognisers.js"
import { joinTexts } from "./families/segments.js"
import { cut, type Piece, sampleRate } from "./pieces.js"
import { failedOn, sentenceOf } from "./sentences.js"
import type { Failure } from "./supervision/machine.js"
import type { Place, Supervised } from "./supervision/supervise.js"

/** Pieces of a request that are in the process or wait for it: while one is heard, the next one is cut and sent. */
const ahead = 2

/**
 * Recognises a recording of any length: piece after piece, so that memory does not grow with it. Returns `undefined` if nothing
 * was recognised. An interruption withdraws the pieces that wait. The one that is heard is heard to its end.
 */
export const recognise = <E, R>(
  supervised: Supervised,
  model: HearingFamily,
  { hotwords, lang, samples }: Pick<RecognitionRequest<E, R>, "lang" | "samples" | "hotwords">
): Effect.Effect<Recognised | undefined, RecogniserFailed | E, R> =>
  Effect.gen(function* () {
    const place = yield* Effect.mapError(supervised.enter, toError(model))
    const language = model.languageOf(lang)
    const { phrases, unknown } = model.hotwordsOf(hotwords)
    if (unknown > 0)
      yield* Effect.logWarning(
        `The model ${model.name} does not use ${unknown} of ${hotwords.length} hotwords: it can't write them, or they are too long or too many.`
      )
    const told = { ...(phrases !== undefined && { hotwords: phrases }), ...(language !== undefined && { language }) }
    const ofRequest = (recognised: Recognised | undefined): Recognised | undefined =>
      recognised && unknown > 0 ? { ...recognised, hotwordsIgnored: unknown } : recognised
    const hearPiece = (piece: Piece) => hear(place, model, piece, told)
    const pieces = yield* cut(samples, model.longestPieceMillis)
    if (pieces instanceof Float32Array) {
      return pieces.length === 0
        ? undefined
        : ofRequest(wholeOf([yield* hearPiece({ samples: pieces, startSample: 0 })]))
    }
    yield* supervised.enterLong
    const heard = yield* pieces.pipe(Stream.mapEffect(hearPiece, { concurrency: ahead }), Stream.runCollect)
    return ofRequest(wholeOf([...heard]))
  }).pipe(Effect.scoped)

const toError = (model: HearingFamily) => (failure: Failure) =>
  new RecogniserFailed({
    reason: failure.reason,
    message: sentenceOf(model.name, failure),
    retryAfterMillis: failure.retryAfterMillis
  })

/** What was recognised in a piece. Its segments have their times in the recording. */
interface RecognisedPiece {
  /** As the model writes it. */
  readonly text: string
  readonly segments: ReadonlyArray<RecognisedSegment>
}

const hear = (
  place: Place,
  model: HearingFamily,
  { samples, startSample }: Piece,
  told: { readonly hotwords?: string; readonly language?: string }
): Effect.Effect<RecognisedPiece, RecogniserFailed> =>
  Effect.gen(function* () {
    const outcome = yield* Effect.mapError(
      place.run({ _tag: "Recognise", samples: longEnough(samples), ...told }),
      toError(model)
    )
    if (outcome._tag !== "Recognised") {
      return yield* new RecogniserFailed({ reason: "Failed", message: failedOn(model.name, "recording", outcome) })
    }
    const startMillis = toMillis(startSample)
    const durationMillis = toMillis(samples.length)
    const segments = model.segmentsOf(outcome.result, durationMillis).map((segment) => ({
      ...segment,
      startMillis: startMillis + segment.startMillis,
      endMillis: startMillis + segment.endMillis
    }))
    return { text: outcome.result.text.trim(), segments }
  })

const toMillis = (samples: number): number => Math.round((samples * 1000) / sampleRate)

/** The confidence of the whole is the mean of the segments, each by its duration. */
const wholeOf = (pieces: ReadonlyArray<RecognisedPiece>): Recognised | undefined => {
  const segments = pieces.flatMap((piece) => piece.segments)
  if (segments.length === 0) return undefined
  const text = joinTexts(pieces.flatMap((piece) => (piece.text === "" ? [] : piece.text)))
  let weights = 0
  let sum = 0
  for (const { confidence, endMillis, startMillis } of segments) {
    if (confidence === undefined) return { text, segments }
    const weight = Math.max(1, endMillis - startMillis)
    weights += weight
    sum += weight * confidence
  }
  return { text, confidence: sum / weights, segments }
}
