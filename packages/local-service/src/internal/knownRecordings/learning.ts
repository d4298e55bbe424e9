import { cooperatively, type Steps, yieldToEventLoop } from "@effect-speech/common/Cooperative"
import * as Effect from "effect/Effect"
import { monotonicMillis, realClock } from "../realTime.js"
import { resample16 } from "../recordings/samples.js"
import { type KnownSpeech, makeKnownSpeech, type SampledText } from "./knownSpeech.js"
import { isSilent, sampleRate, shapeOf } from "./waveforms.js"

/** A recording that waits to be learned. */
export interface PendingRecording {
  readonly text: string
  readonly lang: string | undefined
  /** At 16 bits. */
  readonly samples: Int16Array
  /** Of `samples`, in Hz. */
  readonly sampleRate: number
  /** The number of samples at the recogniser's rate. */
  readonly length: number
  readonly sentences: ReadonlyArray<SampledText>
}

/**
 * In samples: 25 minutes. No more may wait, because a transcription waits until all is learned: about two seconds. It takes
 * 66 MB at 22,050 Hz.
 */
const mostWaiting = 1500 * sampleRate

/** In milliseconds without a new recording. A busy service has other work. */
const pauseMillis = 100

/**
 * Learns recordings one after another: in a pause, or at once if a transcription needs them or too many wait. Keeps
 * `capacity` samples, those that wait included.
 */
export const makeLearner = (capacity: number) =>
  Effect.gen(function* () {
    const known = makeKnownSpeech()
    let waiting: Array<PendingRecording> = []
    let waitingLength = 0
    /** The numbers of all recordings so far. */
    let added = 0
    let learned = 0
    /** When the latest was added. */
    let latest = 0
    const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
    const isWaiting = Effect.unsafeMakeLatch()

    const limit = () => known.limit(capacity - waitingLength)

    /** If it is interrupted, the recording still waits. */
    const learnNext = Effect.suspend(() => {
      const [next] = waiting
      if (next === undefined) return Effect.sync(() => isWaiting.unsafeClose())
      return Effect.map(cooperatively(learn(known, next)), () => {
        waiting.shift()
        waitingLength -= next.length
        learned++
        limit()
      })
    }).pipe(oneAtATime)

    const isPause = () => waiting.length > 0 && monotonicMillis() - latest > pauseMillis
    yield* isWaiting.await.pipe(
      Effect.zipRight(Effect.sleep(pauseMillis)),
      Effect.zipRight(
        Effect.whileLoop({
          while: isPause,
          body: () => Effect.zipRight(yieldToEventLoop, learnNext),
          step: () => undefined
        })
      ),
      Effect.forever,
      Effect.withClock(realClock),
      Effect.forkScoped
    )

    return {
      known,
      /** Stores a recording, to learn it later. */
      add: (pending: PendingRecording): Effect.Effect<void> =>
        Effect.suspend(() => {
          waiting.push(pending)
          waitingLength += pending.length
          added++
          latest = monotonicMillis()
          limit()
          isWaiting.unsafeOpen()
          return Effect.whileLoop({
            while: () => waitingLength > Math.min(mostWaiting, capacity),
            body: () => learnNext,
            step: () => undefined
          })
        }),
      /** Learns all recordings that were added so far. */
      learnAll: Effect.suspend(() => {
        const last = added
        return Effect.whileLoop({ while: () => learned < last, body: () => learnNext, step: () => undefined })
      }),
      forget: oneAtATime(
        Effect.sync(() => {
          waiting = []
          waitingLength = 0
          learned = added
          known.forget()
        })
      )
    }
  })

function* learn(
  known: KnownSpeech,
  { lang, sampleRate: from, samples, sentences, text }: PendingRecording
): Steps<void> {
  // Otherwise any silent recording would get this text.
  if (isSilent(samples)) return
  const shape = yield* shapeOf(from === sampleRate ? samples : resample16(samples, { from, to: sampleRate }))
  yield* known.add(text, lang, shape, sentences)
}
