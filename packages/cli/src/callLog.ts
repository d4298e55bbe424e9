/**
 * The log of calls at level debug: the address of each, and its attempts with their status and time.
 */
import { millis as monotonicMillis } from "@effect-speech/common/MonotonicClock"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import type { CallEvent, CallOptions } from "@effect-speech/transport/CallEvent"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import { count, plural } from "./message.js"

const isLogged = Effect.map(FiberRef.get(FiberRef.currentMinimumLogLevel), LogLevel.lessThanEqual(LogLevel.Debug))

/** Numbers the calls of a client: the lines of two calls at once may alternate. */
const makeLog = (kind: string, address = "an unknown address") => {
  let calls = 0
  return (given: CallOptions | undefined) =>
    Effect.map(monotonicMillis, (now) => {
      calls += 1
      const name = `${kind} ${calls}`
      let attempts = 1
      let attemptAt = now
      const log = (text: string) => Effect.logDebug(`${name}: ${text}`)
      const describe = (event: CallEvent, at: number): string | undefined => {
        switch (event._tag) {
          case "Queued":
            return `waits for ${plural(event.ahead, "call")}`
          case "Uploading":
            return undefined
          case "Waiting":
            return `attempt ${event.attempt} waits for the response`
          case "Answered":
            return `attempt ${event.attempt}: status ${event.status} after ${count(Math.round(at - attemptAt))} ms`
          case "Retrying":
            attempts = event.attempt
            attemptAt = at + event.delayMillis
            return `attempt ${event.attempt} begins in ${count(Math.round(event.delayMillis))} ms`
        }
      }
      const onEvent = (event: CallEvent) =>
        Effect.flatMap(monotonicMillis, (at) => {
          const text = describe(event, at)
          const logging = text === undefined ? Effect.void : log(text)
          return given?.onEvent === undefined ? logging : Effect.zipRight(logging, given.onEvent(event))
        })
      return {
        options: { ...given, onEvent },
        begin: log(`POST to ${address}`),
        failed: ({ _tag }: { readonly _tag: string }) => log(`failed after ${plural(attempts, "attempt")}: ${_tag}`)
      }
    })
}

const during =
  (follow: ReturnType<typeof makeLog>) =>
  <A, E extends { readonly _tag: string }, R>(
    given: CallOptions | undefined,
    call: (options: CallOptions) => Effect.Effect<A, E, R>
  ) =>
    Effect.flatMap(follow(given), ({ begin, failed, options }) =>
      Effect.zipRight(begin, Effect.tapError(call(options), failed))
    )

/** A client whose calls are logged. */
export const loggedSpeechToText = <E, R>(client: Layer.Layer<SpeechToText, E, R>): Layer.Layer<SpeechToText, E, R> =>
  Layer.effect(
    SpeechToText,
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      if (!(yield* isLogged)) return stt
      const follow = during(makeLog("Transcription", stt.baseUrl))
      return {
        ...stt,
        transcribe: (request, given) => follow(given, (options) => stt.transcribe(request, options))
      }
    })
  ).pipe(Layer.provide(client))

/** A client whose calls are logged. */
export const loggedTextToSpeech = <E, R>(client: Layer.Layer<TextToSpeech, E, R>): Layer.Layer<TextToSpeech, E, R> =>
  Layer.effect(
    TextToSpeech,
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      if (!(yield* isLogged)) return tts
      const follow = during(makeLog("Synthesis", tts.baseUrl))
      return {
        ...tts,
        synthesize: (request, given) => follow(given, (options) => tts.synthesize(request, options)),
        stream: (request, given) => follow(given, (options) => tts.stream(request, options))
      }
    })
  ).pipe(Layer.provide(client))
