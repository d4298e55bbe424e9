import * as FileSystem from "@effect/platform/FileSystem"
import * as Channels from "@effect-speech/audio-codec/Channels"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { sampleRate } from "../Recogniser.js"
import { giveWay } from "./giveWay.js"

const wavAlone = "The local service reads WAV alone."

export interface DecodeLimits {
  /** Of the decoded recording, in seconds. */
  readonly maximumSeconds: number
}

/** In Hz. */
const rates = { from: 4000, to: 192_000 }

/** A WAV file as a recogniser takes it: mono, 8 kHz. The error is a sentence for the answer. */
export const readRecording = (
  path: string,
  limits: DecodeLimits
): Effect.Effect<Float32Array, string, FileSystem.FileSystem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const audio = yield* Wav.decodeStream(Stream.orDie(fs.stream(path)))
      const { channels, sampleRate: from } = audio.format
      if (from < rates.from || from > rates.to) {
        return yield* Effect.fail(`a sample rate of ${from} Hz is not taken, only ${rates.from} to ${rates.to} Hz`)
      }
      let decoded = 0
      return yield* Pcm.decodeStream(audio).pipe(
        Stream.map((block) => Channels.mixdown(block, channels)),
        Stream.tap(() => giveWay),
        Stream.tap((block) => {
          decoded += block.length
          return decoded > limits.maximumSeconds * from
            ? Effect.fail(`the recording is longer than ${limits.maximumSeconds} seconds`)
            : Effect.void
        }),
        Resampler.resampleStream({ from, to: sampleRate }),
        Pcm.collectSamples
      )
    })
  ).pipe(Effect.mapError((error) => (typeof error === "string" ? error : `${error.message} ${wavAlone}`)))
