/** What sounds like speech to a cutter. */
import { Pcm } from "@effect-speech/audio-codec"
import * as FastCheck from "effect/FastCheck"
import { concatSamples } from "../src/internal/bytes.js"

export const rate = 8000
/** A tone whose loudness trembles as that of syllables does. */
export const speech = (millis: number, frequency = 600, at = rate) =>
  Float32Array.from({ length: (millis * at) / 1000 }, (_, index) => {
    const time = index / at
    return 0.3 * (1 + 0.99 * Math.sin(2 * Math.PI * 7 * time)) * Math.sin(2 * Math.PI * frequency * time)
  })
export const pause = (millis: number, at = rate) => new Float32Array((millis * at) / 1000)

/** Speech and pauses of random lengths, over noise of a random level. */
export const recording = FastCheck.record({
  parts: FastCheck.array(FastCheck.record({ said: FastCheck.nat(900), quiet: FastCheck.nat(400) }), { maxLength: 10 }),
  level: FastCheck.constantFrom(0, 0.001, 0.03),
  seed: FastCheck.integer({ min: 1, max: 1000 })
}).map(({ level, parts, seed }) => {
  const noise = Pcm.triangularDither(seed)
  return concatSamples(parts.flatMap(({ quiet, said }) => [speech(said), pause(quiet)])).map(
    (it) => it + level * noise()
  )
})
