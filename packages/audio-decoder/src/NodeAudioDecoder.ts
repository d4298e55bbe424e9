/**
 * The `AudioDecoder` of audio-codec for Node: it decodes MP3, M4A, FLAC, OGG and WebM in threads of Node.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import { AudioDecoder, AudioDecoderError } from "@effect-speech/audio-codec/AudioDecoder"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CompressedRecording from "./unstable/CompressedRecording.js"

/**
 * Decodes each MP3, M4A, FLAC, OGG and WebM in its own thread, which ends with the scope, to mono (the mean of the channels), float32, at
 * the recording's rate; Opus gives 48,000 Hz. A recording that arrives as a stream is kept in a temporary file until the scope ends. If all
 * recordings are WAV, use `AudioDecoder.layerWav` of audio-codec instead.
 *
 * The layer itself never fails. Decoding fails with `AudioDecoderError` of reason `Unreadable` if a recording is damaged, is cut off or holds
 * no audio, or if its decoder gets stuck: it sends nothing for 30 seconds.
 *
 * @example
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import { AudioDecoder, telephony, Wav } from "@effect-speech/audio-codec"
 * import { NodeAudioDecoder } from "@effect-speech/audio-decoder"
 * import { Effect, Layer } from "effect"
 *
 * export const convert = (from: string, to: string) =>
 *   AudioDecoder.decodeFile(from).pipe(
 *     Effect.flatMap((audio) => Wav.writeFile(telephony(audio), to)),
 *     Effect.scoped,
 *     Effect.provide(Layer.provideMerge(NodeAudioDecoder.layer, NodeFileSystem.layer))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<AudioDecoder, never, FileSystem.FileSystem> = Layer.unwrapEffect(
  Effect.map(FileSystem.FileSystem, (fs) =>
    AudioDecoder.layer({
      decode: (path, container) => {
        const unreadable = (problem: string) =>
          new AudioDecoderError({
            reason: "Unreadable",
            container,
            message: `${problem.replace(/^./, (first) => first.toUpperCase())}. Export the recording again, or send another one.`
          })
        return CompressedRecording.open(path, container).pipe(
          Effect.provideService(FileSystem.FileSystem, fs),
          Effect.mapError(unreadable),
          Effect.map(({ blocks, sampleRate }) =>
            PcmStream.mapError(Pcm.encodeStream(blocks, { sampleRate, channels: 1, encoding: "float32" }), unreadable)
          )
        )
      }
    })
  )
)
