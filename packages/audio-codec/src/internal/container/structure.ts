import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { ContainerError } from "../../ContainerError.js"
import type { Container } from "./containers.js"
import type { RecordingViews } from "./recordingBytes.js"

/**
 * A top-level box of an M4A file (ISO/IEC 14496-12), by offsets in the file.
 *
 * @since 0.1.0
 * @category models
 */
export class Box extends Data.Class<{
  /** Its type, four characters, such as `moov`. */
  readonly type: string
  /** The offset of the first byte of its header. */
  readonly startByte: number
  /** The offset after its last byte. */
  readonly endByte: number
}> {}

/** A recording whose size is known. */
export interface WholeRecording<out E> extends RecordingViews<E> {
  readonly byteLength: number
}

export type CheckStructure = <E>(recording: WholeRecording<E>) => Effect.Effect<void, ContainerError | E>

/**
 * The name of a container for people: `WebM`, and the others in capitals.
 *
 * @example
 * ```ts
 * import { Container } from "@effect-speech/audio-codec"
 *
 * console.log(Container.containers.map(Container.displayName).join(", ")) // WAV, MP3, M4A, FLAC, OGG, WebM
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const displayName = (container: Container): string => (container === "webm" ? "WebM" : container.toUpperCase())

const failure =
  (reason: ContainerError["reason"], problem: string) =>
  (container: Container): Effect.Effect<never, ContainerError> =>
    Effect.fail(new ContainerError({ container, reason, message: `This ${displayName(container)} file ${problem}.` }))

export const truncated = failure("Truncated", "ends early; copy it again from its source")
export const damaged = failure("Damaged", "is damaged; export it again")
