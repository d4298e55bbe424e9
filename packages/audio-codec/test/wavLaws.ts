import { Wav } from "@effect-speech/audio-codec"
import * as FastCheck from "effect/FastCheck"
import { audio, cutAt, cuts, damagedFile, shapedFile } from "./wavArbitrary.js"
import { describe, difference, dribbled, outcomeOf } from "./wavOutcome.js"

/** Laws for all files: a few runs in the tests, many in `pnpm verify fuzz`. */
export const wavLaws: Record<string, FastCheck.IProperty<[...Array<unknown>]>> = {
  "an encoded file is decoded, whatever its chunks": decodes(
    audio.map((audio) => ({ audio, file: Wav.encode(audio.bytes, audio.format) }))
  ),

  "a file of another program is decoded, in any valid shape and whatever its chunks": decodes(shapedFile),

  "damaged bytes give audio or an error, whatever their chunks, and never more bytes than the input": law(
    FastCheck.property(damagedFile, cuts, (file, sizes) => {
      const whole = outcomeOf([file])
      throwIf(difference(whole, outcomeOf(cutAt(file, sizes))))
      throwIf(difference(whole, outcomeOf(dribbled(file))))
      if ("samples" in whole && whole.samples.byteLength > file.byteLength) throw new Error(describe(whole))
    })
  )
}

function law<A extends [...Array<unknown>]>(property: FastCheck.IProperty<A>) {
  return property as unknown as FastCheck.IProperty<[...Array<unknown>]>
}

function decodes(files: FastCheck.Arbitrary<{ readonly audio: Wav.WavAudio; readonly file: Uint8Array }>) {
  return law(
    FastCheck.property(files, cuts, ({ audio: { bytes, format }, file }, sizes) => {
      const expected = { format, samples: Buffer.from(bytes) }
      throwIf(difference(outcomeOf(cutAt(file, sizes)), expected))
      throwIf(difference(outcomeOf([file]), expected))
    })
  )
}

function throwIf(words: string | undefined): void {
  if (words !== undefined) throw new Error(words)
}
