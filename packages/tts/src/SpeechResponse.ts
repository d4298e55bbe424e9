/**
 * Speech as the response of an HTTP server of `@effect/platform`.
 */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { PcmStream } from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"

/**
 * Sends audio as a WAV file while it arrives: `200`, `audio/wav`, with a `Content-Length` if the length is known.
 *
 * If the audio fails, its error is logged, and the client sees an incomplete response: on Node the connection is destroyed, and
 * the `ReadableStream` of a web handler fails. The server of platform 0.97 alone would end the response as if it were whole, and
 * log nothing. If the client leaves, the audio is no longer read, and nothing is logged.
 *
 * Give the effect that opens the audio: a router of platform runs the handler of `GET` for `HEAD` too, and then this effect does not
 * run, so nothing is paid. The response to `HEAD` has no `Content-Length`. Audio that is open was sent for, whatever the method.
 *
 * Fails with the errors of the effect that opens the audio: answer them with a status. An error of audio that has begun can't change the
 * status any more.
 *
 * @example
 * ```ts
 * import { HttpRouter, HttpServerResponse } from "@effect/platform"
 * import { TextToSpeech } from "@effect-speech/tts"
 * import * as SpeechResponse from "@effect-speech/tts/SpeechResponse"
 * import { Effect } from "effect"
 *
 * const say = Effect.gen(function* () {
 *   const tts = yield* TextToSpeech
 *   return yield* SpeechResponse.wav(tts.stream({ text: "One moment, please.", lang: "en" }))
 * }).pipe(Effect.catchAll(() => HttpServerResponse.text("There is no speech now.", { status: 503 })))
 *
 * export const router = HttpRouter.empty.pipe(HttpRouter.get("/say", say))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const wav = <E, E2 = never, R = never>(
  audio: PcmStream<E> | Effect.Effect<PcmStream<E>, E2, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E2, R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (!Effect.isEffect(audio)) return Effect.succeed(respond(audio, request))
    return request.method === "HEAD"
      ? Effect.succeed(HttpServerResponse.empty({ status: 200, headers: { "content-type": "audio/wav" } }))
      : Effect.map(audio, (opened) => respond(opened, request))
  })

const respond = <E>(
  audio: PcmStream<E>,
  request: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse => {
  const file = Wav.encodeStream(audio).pipe(
    // The exit below may be that of a client that left.
    Stream.tapErrorCause(logFailure),
    Stream.ensuringWith((exit) => (Exit.isSuccess(exit) ? Effect.void : destroyConnection(request.source)))
  )
  return HttpServerResponse.stream(file, {
    contentType: "audio/wav",
    contentLength: Wav.contentLength(audio)
  })
}

const logFailure = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.isInterrupted(cause)
    ? Effect.void
    : Effect.logError(
        "The audio of a response broke off",
        Option.getOrElse(Cause.failureOption(cause), () => cause)
      )

/** The request of Node has a socket, that of a web handler has none. */
const destroyConnection = (source: unknown): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!Predicate.hasProperty(source, "socket") || !Predicate.hasProperty(source.socket, "destroy")) return
    if (typeof source.socket.destroy === "function") source.socket.destroy()
  })
