/**
 * Decodes MP3, M4A, FLAC, OGG and WebM for `AudioDecoder` of audio-codec. It is here because its decoder of M4A is GPL.
 *
 * ```ts
 * const audio = yield* AudioDecoder.decodeFile("call.mp3").pipe(Effect.provide(Decoder.layer))
 * ```
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import { AudioDecoder, AudioDecoderError } from "@effect-speech/audio-codec/AudioDecoder"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { openCompressed } from "./internal/recordings/compressed.js"

/**
 * Decodes each recording in its own thread, which ends with the scope, to mono (the mean of the channels), float32, at the
 * recording's rate. A recording that is damaged or cut off is an `AudioDecoderError` of reason `Unreadable`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<AudioDecoder, never, FileSystem.FileSystem> = AudioDecoder.layer({
  decode: (path, container) => {
    const unreadable = (problem: string) =>
      new AudioDecoderError({
        reason: "Unreadable",
        container,
        message: `${problem.replace(/^./, (first) => first.toUpperCase())}. Export the recording again, or send another one.`
      })
    return Effect.map(
      Effect.mapError(openCompressed(path, container, Number.MAX_SAFE_INTEGER), unreadable),
      ({ blocks, sampleRate }) =>
        PcmStream.mapError(Pcm.encodeStream(blocks, { sampleRate, channels: 1, encoding: "float32" }), unreadable)
    )
  }
})
