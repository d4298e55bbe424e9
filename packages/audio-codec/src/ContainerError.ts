import { cloneable } from "@effect-speech/common/Cloneable"
import * as Schema from "effect/Schema"
import { containers } from "./internal/container/containers.js"

/**
 * A recording that is not whole.
 *
 * | reason      | meaning |
 * | ----------- | ------- |
 * | `Truncated` | the file ends before its structure does |
 * | `Damaged`   | the structure contradicts itself |
 *
 * @since 0.1.0
 * @category errors
 */
export class ContainerError extends cloneable(
  Schema.TaggedError<ContainerError>("@effect-speech/audio-codec/ContainerError")("ContainerError", {
    container: Schema.Literal(...containers),
    reason: Schema.Literal("Truncated", "Damaged"),
    message: Schema.String
  })
) {}
