/**
 * The error of decoding a recording.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import * as Schema from "effect/Schema"
import { containers } from "./internal/container/containers.js"

/**
 * A recording that can't be decoded.
 *
 * | reason       | meaning |
 * | ------------ | ------- |
 * | `Unknown`    | the bytes are of none of the six containers |
 * | `NoDecoder`  | the recording is not WAV, and no decoder was provided |
 * | `Unreadable` | the decoder can't read the recording: it is cut off, damaged, or has another codec |
 *
 * @example
 * ```ts
 * import { AudioDecoder } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const decode = (path: string) =>
 *   AudioDecoder.decodeFile(path).pipe(
 *     Effect.tapErrorTag("AudioDecoderError", ({ container, reason }) => Effect.logWarning(reason, container))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class AudioDecoderError extends documented(
  Schema.TaggedError<AudioDecoderError>("@effect-speech/audio-codec/AudioDecoderError")("AudioDecoderError", {
    /** What is wrong. */
    reason: Schema.Literal("Unknown", "NoDecoder", "Unreadable"),
    /** `undefined` if it is none of the six. */
    container: Schema.UndefinedOr(Schema.Literal(...containers)),
    /** What happened, and what to do. */
    message: Schema.String
  })
) {}
