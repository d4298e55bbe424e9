/**
 * Speaks the text of a request with a model.
 */
import { type Utterance, VoiceFailed } from "@effect-speech/engine"
import * as SpokenPieces from "@effect-speech/long-form/unstable/SpokenPieces"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { SpeakingFamily } from "./families/voices.js"
import { failedOn, sentenceOf } from "./sentences.js"
import type { Failure } from "./supervision/machine.js"
import type { Place, Supervised } from "./supervision/supervise.js"

/** Pieces of a request that are in the process or wait for it: while one is spoken, the next one is sent. */
const ahead = 2

/**
 * Speaks a text sentence by sentence, with the pauses between them. An interruption withdraws the sentences that wait. The one that
 * is spoken is spoken to its end.
 */
export const speak = (
  supervised: Supervised,
  model: SpeakingFamily,
  speaker: number,
  { lang, onSentence, speed, text }: Utterance
): Stream.Stream<Float32Array, VoiceFailed> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const place = yield* Effect.mapError(supervised.enter, toError(model))
      return SpokenPieces.speak({
        ...{ text, lang, speed, sampleRate: model.sampleRate, onSentence, concurrency: ahead },
        say: (piece) => say(place, model, piece, speaker, speed)
      })
    })
  )

const toError = (model: SpeakingFamily) => (failure: Failure) =>
  new VoiceFailed({
    reason: failure.reason,
    message: sentenceOf(model.name, failure),
    retryAfterMillis: failure.retryAfterMillis
  })

const nothing = new Float32Array(0)

const say = (
  place: Place,
  model: SpeakingFamily,
  text: string,
  speaker: number,
  speed: number
): Effect.Effect<Float32Array, VoiceFailed> =>
  Effect.gen(function* () {
    const speakable = model.speakableOf(text)
    if (speakable === undefined) return nothing
    const outcome = yield* Effect.mapError(
      place.run({ _tag: "Speak", text: speakable, speaker, speed }),
      toError(model)
    )
    if (outcome._tag === "Spoken" && outcome.sampleRate === model.sampleRate) return outcome.samples
    return yield* new VoiceFailed({ reason: "Failed", message: failedOn(model.name, "text", outcome) })
  })
