import { type Container, displayName } from "@effect-speech/audio-codec/Container"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { openDecoder } from "./decoder.js"
import { probe } from "./probe.js"

/** The samples of a compressed recording: the mean of its channels. */
export interface Decoded {
  /** In Hz. */
  readonly sampleRate: number
  /** Can run once, inside the scope. */
  readonly blocks: Stream.Stream<Float32Array, string>
}

/** Checks the structure of a compressed recording and decodes it as far as its sample rate. The error is a sentence. */
export const openCompressed = (
  path: string,
  container: Container,
  maximumSamples: number
): Effect.Effect<Decoded, string, Scope.Scope> => {
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
    return { sampleRate, blocks: Stream.mapError(Stream.concat(Stream.make(samples), rest), problemOf) }
  }).pipe(Effect.mapError(problemOf))
}
