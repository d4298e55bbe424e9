/**
 * The error of a recording that is cut off or damaged.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import * as Schema from "effect/Schema"
import { containers } from "./internal/container/containers.js"

/**
 * A recording that is not whole, as `Container.checkStructure` finds it.
 *
 * | reason      | meaning |
 * | ----------- | ------- |
 * | `Truncated` | the file ends before its structure does |
 * | `Damaged`   | the structure contradicts itself |
 *
 * @example
 * ```ts
 * import { Container, type RecordingFile } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const check = (file: RecordingFile.RecordingFile) =>
 *   Container.checkStructure(file, "ogg").pipe(
 *     Effect.tapErrorTag("ContainerError", ({ message, reason }) => Effect.logWarning(reason, message))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class ContainerError extends documented(
  Schema.TaggedError<ContainerError>("@effect-speech/audio-codec/ContainerError")("ContainerError", {
    /** The container that was checked. */
    container: Schema.Literal(...containers),
    /** What is wrong. */
    reason: Schema.Literal("Truncated", "Damaged"),
    /** What happened, and what to do. */
    message: Schema.String
  })
) {}
