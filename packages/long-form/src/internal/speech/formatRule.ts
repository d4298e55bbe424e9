import { type AudioFormat, describe } from "@effect-speech/audio-codec/AudioFormat"
import type { Speech } from "@effect-speech/tts/Speech"
import { TtsInvalidResponse } from "@effect-speech/tts/TtsError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { isSame } from "./shapePiece.js"

/**
 * The format that a piece must have if it may not be converted: the requested one, or else that of the first piece that is spoken, for
 * which the others wait. It starts before them.
 */
export const makeFormatRule = (requested: AudioFormat | undefined, differentFormat: "resample" | "fail") =>
  Effect.gen(function* () {
    const whole = yield* Deferred.make<AudioFormat | undefined>()
    if (requested !== undefined) yield* Deferred.succeed(whole, requested)
    /** The index of the first piece that is spoken. */
    let first: number | undefined

    /** The format of the whole, if this one differs from it and may not. */
    const brokenBy = (index: number, format: AudioFormat): Effect.Effect<AudioFormat | undefined> =>
      differentFormat === "resample" || (requested === undefined && index === first)
        ? Effect.succeed(undefined)
        : Effect.map(Deferred.await(whole), (whole) =>
            whole === undefined || isSame(whole, format) ? undefined : whole
          )

    return {
      start: (index: number): void => {
        first ??= index
      },
      /** Whether the piece may have this format. */
      allows: (index: number, format: AudioFormat): Effect.Effect<boolean> =>
        Effect.map(brokenBy(index, format), (broken) => broken === undefined),
      check: (
        index: number,
        { call, format }: Pick<Speech, "call" | "format">
      ): Effect.Effect<void, TtsInvalidResponse> =>
        Effect.flatMap(brokenBy(index, format), (whole) => {
          if (whole === undefined) return Effect.void
          const problem = `its audio is ${describe(format)}, and that of the whole is ${describe(whole)}`
          const advice = `${requested === undefined ? "Set outputFormat, or let" : "Let"} differentFormat be "resample".`
          return new TtsInvalidResponse({ problem, message: `A piece has another format: ${problem}. ${advice}`, call })
        }),
      /** If it is the first piece, the others get its format. */
      spoken: (index: number, format: AudioFormat): Effect.Effect<void> =>
        index === first ? Effect.asVoid(Deferred.succeed(whole, format)) : Effect.void,
      /** A piece failed, so none has to wait. */
      giveUp: Deferred.succeed(whole, undefined)
    }
  })
