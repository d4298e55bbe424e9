import { Wav } from "@effect-speech/audio-codec"
import * as Either from "effect/Either"

/** The result of decoding a WAV file in chunks: a format and samples, or an error. */
export type WavOutcome =
  | { readonly format: unknown; readonly samples: Buffer }
  | { readonly error: { readonly reason: string; readonly offset: number; readonly message: string } }

export const outcomeOf = (pieces: Iterable<Uint8Array>): WavOutcome => {
  const decoder = Wav.makeDecoder()
  const samples: Array<Uint8Array> = []
  const failed = ({ message, offset, reason }: Wav.WavError): WavOutcome => ({ error: { reason, offset, message } })
  for (const piece of pieces) {
    const frames = decoder.push(piece)
    if (Either.isLeft(frames)) return failed(frames.left)
    samples.push(...frames.right)
  }
  const end = decoder.end()
  return Either.isLeft(end) ? failed(end.left) : { format: end.right, samples: Buffer.concat(samples) }
}

/** The difference of two outcomes as text, or `undefined`. */
export const difference = (one: WavOutcome, other: WavOutcome): string | undefined => {
  if ("error" in one || "error" in other) {
    return JSON.stringify(one) === JSON.stringify(other) ? undefined : `${describe(one)} against ${describe(other)}`
  }
  const same = JSON.stringify(one.format) === JSON.stringify(other.format) && one.samples.equals(other.samples)
  return same ? undefined : `${describe(one)} against ${describe(other)}`
}

export const describe = (outcome: WavOutcome): string =>
  "error" in outcome
    ? `${outcome.error.reason}: ${outcome.error.message}`
    : `${outcome.samples.byteLength} bytes of ${JSON.stringify(outcome.format)}`

export const dribbled = function* (bytes: Uint8Array): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.byteLength; offset++) yield bytes.subarray(offset, offset + 1)
}
