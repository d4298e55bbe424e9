import type { AudioFormat } from "@effect-speech/audio-codec"

export const telephony: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
export const float: AudioFormat.AudioFormat = { sampleRate: 24_000, channels: 1, encoding: "float32" }
export const pcm8: AudioFormat.AudioFormat = { ...telephony, encoding: "pcm8" }
export const alaw: AudioFormat.AudioFormat = { ...telephony, encoding: "alaw" }
export const mulaw: AudioFormat.AudioFormat = { ...telephony, encoding: "mulaw" }

export const uint32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer)
/** Text, as Latin-1, and bytes. */
export const joined = (...parts: ReadonlyArray<string | Uint8Array>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)))
export const isEqual = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0
