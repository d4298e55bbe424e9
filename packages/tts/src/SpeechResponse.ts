/**
 * Speech as the response of an HTTP server of `@effect/platform`.
 *
 * ```ts
 * const say = Effect.gen(function* () {
 *   const tts = yield* TextToSpeech
 *   return yield* SpeechResponse.wav(yield* tts.stream({ text: "नमस्ते", lang: "hi" }))
 * })
 * ```
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
 */
export const wav = <E>(
  audio: PcmStream<E>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const file = Wav.encodeStream(audio).pipe(
      // The exit below may be that of a client that left.
      Stream.tapErrorCause(logFailure),
      Stream.ensuringWith((exit) => (Exit.isSuccess(exit) ? Effect.void : destroyConnection(request.source)))
    )
    return HttpServerResponse.stream(file, {
      contentType: "audio/wav",
      contentLength: Wav.contentLength(audio)
    })
  })

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
