import { type AudioFormat, bytesPerFrame } from "@effect-speech/audio-codec/AudioFormat"
import { CallIds } from "@effect-speech/transport/CallIds"
import type { CallReport } from "@effect-speech/transport/CallReport"
import type { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Contract from "@effect-speech/tts/TtsContract"
import { type TtsError, TtsInvalidResponse } from "@effect-speech/tts/TtsError"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PieceStore, type PieceStoreError } from "../../PieceStore.js"
import { cacheKey } from "../cacheEntry.js"
import { makePaidPieces } from "../paidPieces.js"
import { makeRunProgress } from "../runProgress.js"
import { makeStoppableCalls, withGrace } from "../stoppableCalls.js"
import { audioProblem } from "./checkAudio.js"
import type { Event } from "./events.js"
import { makeFormatRule } from "./formatRule.js"
import type { PlannedPiece } from "./plan.js"
import type { Options, Request } from "./request.js"
import * as SpeechCache from "./speechCache.js"

/** The audio of a piece as the service sent it. */
export interface PieceAudio {
  readonly piece: PlannedPiece
  /** `undefined`: the piece has nothing to speak. */
  readonly audio: SpeechCache.CachedSpeech | undefined
  readonly call?: CallReport | undefined
  readonly warnings: ReadonlyArray<TtsWarning>
}

export interface PieceFailed {
  readonly piece: PlannedPiece
  readonly error: TtsError | PieceStoreError
}

/** Of a call, with its report and warnings, or of the cache. */
interface PieceSpeech extends SpeechCache.CachedSpeech, Partial<Pick<PieceAudio, "call" | "warnings">> {}

export const requestedFormat = ({ outputFormat }: Request): AudioFormat | undefined =>
  outputFormat === undefined ? undefined : Contract.audioFormat(outputFormat)

/** Speech is seldom slower, at the speed 1. In milliseconds of a code point. */
const slowMillis = 100

/** Room for the audio of a piece. */
const expectedBytes = ({ outputFormat = Contract.defaultOutputFormat, speed = 1, text }: SynthesisRequest): number => {
  const format = Contract.audioFormat(outputFormat)
  const seconds = (Contract.codePoints(text) * slowMillis) / 1000 / speed
  return Math.ceil(seconds * format.sampleRate) * bytesPerFrame(format)
}

/** Sends pieces, or finds them in the cache. */
export const makeSpeaker = (request: Request, options: Options, emit: (event: Event) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const store = yield* PieceStore
    const { concurrency = 4, differentFormat = "resample", outage = "5 minutes" } = options
    const { requestId = yield* CallIds.next, text: _, ...fields } = request
    const rule = yield* makeFormatRule(requestedFormat(request), differentFormat)
    const progress = makeRunProgress(store)
    const calls = makeStoppableCalls(options.gracePeriod !== undefined || options.onEvent !== undefined)
    const obtain = makePaidPieces<PieceSpeech, TtsError>(store, progress)
    const turns = yield* Effect.makeSemaphore(concurrency)
    let isStopped = false

    /** What decides the audio of a piece. */
    const contentOf = ({ lang, sent, speed, voice }: PlannedPiece) => ({
      ...fields,
      text: sent,
      lang: lang ?? fields.lang,
      voice: voice ?? fields.voice,
      speed: speed ?? fields.speed
    })
    /** The cached audio, if it can be joined: an earlier version kept any. */
    const find = ({ index }: PlannedPiece, key: string) =>
      Effect.flatMap(SpeechCache.get(store, key), (found) =>
        Option.isSome(found) && audioProblem(found.value) === undefined
          ? Effect.map(rule.allows(index, found.value.format), (isAllowed) => Option.filter(found, () => isAllowed))
          : Effect.succeedNone
      )
    const speakable = (piece: PlannedPiece): Effect.Effect<PieceAudio, TtsError | PieceStoreError> =>
      Effect.gen(function* () {
        const content = contentOf(piece)
        const key = cacheKey({ version: 1, service: tts.baseUrl, ...content }, "wav")
        const facts = { number: piece.index + 1, codePoints: piece.cost }
        const { result, source } = yield* obtain({
          key,
          amount: piece.cost,
          expectedBytes: expectedBytes(content),
          emit: (_tag) => emit({ _tag, ...facts }),
          find: find(piece, key),
          send: (restore) =>
            Effect.gen(function* () {
              const id = `${requestId}.${String(facts.number).padStart(3, "0")}`
              const call = calls.run(
                (onEvent) => tts.synthesize({ ...content, requestId: id }, { outage, onEvent }),
                (event) => emit({ _tag: "Called", ...facts, event })
              )
              const speech = yield* restore(call)
              const problem = audioProblem(speech)
              if (problem !== undefined) return yield* new TtsInvalidResponse({ problem, call: speech.call })
              yield* rule.check(piece.index, speech)
              yield* SpeechCache.put(store, key, speech)
              return speech
            })
        })
        yield* rule.spoken(piece.index, result.format)
        const { call, warnings = [] } = source === "sent" ? result : {}
        return { piece, audio: result, call, warnings }
      })

    const speak = (piece: PlannedPiece): Effect.Effect<PieceAudio, PieceFailed> => {
      if (!piece.speakable) return Effect.succeed({ piece, audio: undefined, warnings: [] })
      rule.start(piece.index)
      return Effect.suspend(() => (isStopped ? Effect.interrupt : speakable(piece))).pipe(
        Effect.onError(() => rule.giveUp),
        turns.withPermits(1),
        Effect.mapError((error) => {
          progress.fail(error)
          return { piece, error }
        })
      )
    }
    /** Starts no further piece, and waits for those that were sent. */
    const settle = Effect.suspend(() => {
      isStopped = true
      return turns.take(concurrency)
    })
    return { speak, settle, atClose: withGrace(calls, options.gracePeriod), progress }
  })
