/** Opens MP3, M4A, FLAC, OGG and WebM for other packages of this project, with a limit of samples and without a service. */
import type * as FileSystem from "@effect/platform/FileSystem"
import { type Container, displayName } from "@effect-speech/audio-codec/Container"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { openDecoder } from "../internal/decoder.js"
import { probe } from "../internal/probe.js"

/**
 * The samples of a compressed recording: the mean of its channels.
 *
 * @since 0.1.0
 * @category models
 */
export interface CompressedRecording {
  /** In Hz. */
  readonly sampleRate: number
  /** Can run once, inside the scope. A second run dies. */
  readonly blocks: Stream.Stream<Float32Array, string>
}

/**
 * Checks the structure of a compressed recording and decodes it as far as its sample rate. The thread that decodes it ends with the
 * scope.
 *
 * Fails with a sentence, without a capital and a full stop, if the file can't be read, is cut off or damaged, or has more samples than
 * allowed.
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const open = (
  path: string,
  container: Container,
  /** The largest number of samples, of all channels. A file of a megabyte can be billions. */
  maximumSamples = Number.MAX_SAFE_INTEGER
): Effect.Effect<CompressedRecording, string, FileSystem.FileSystem | Scope.Scope> => {
  const problemOf = (problem: string) => `the ${displayName(container)} file can't be read: ${problem}`
  return Effect.gen(function* () {
    const pull = yield* openDecoder({ ...(yield* probe(path, container)), maximumSamples })
    const next: Effect.Effect<{ readonly samples: Float32Array; readonly sampleRate: number }, string> = Effect.flatMap(
      pull,
      (pulled) =>
        pulled === "end" ? Effect.fail("it holds no audio") : pulled === undefined ? next : Effect.succeed(pulled)
    )
    const { sampleRate, samples } = yield* next
    const rest = Stream.repeatEffectOption(
      Effect.flatMap(Effect.mapError(pull, Option.some), (pulled) =>
        pulled === "end" ? Effect.fail(Option.none()) : Effect.succeed(pulled?.samples ?? new Float32Array(0))
      )
    )
    let read = false
    const blocks = Stream.suspend(() => {
      // The thread has sent all but the first block, so a second run would look like a short recording.
      if (read) return Stream.dieMessage("The stream of a recording's samples can run only once.")
      read = true
      return Stream.concat(Stream.make(samples), rest)
    })
    return { sampleRate, blocks: Stream.mapError(blocks, problemOf) }
  }).pipe(Effect.mapError(problemOf))
}
