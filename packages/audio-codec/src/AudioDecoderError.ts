import { cloneable } from "@effect-speech/common/Cloneable"
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
 * @since 0.1.0
 * @category errors
 */
export class AudioDecoderError extends cloneable(
  Schema.TaggedError<AudioDecoderError>("@effect-speech/audio-codec/AudioDecoderError")("AudioDecoderError", {
    reason: Schema.Literal("Unknown", "NoDecoder", "Unreadable"),
    /** `undefined` if it is none of the six. */
    container: Schema.UndefinedOr(Schema.Literal(...containers)),
    message: Schema.String
  })
) {}
