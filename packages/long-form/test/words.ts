/**
 * Recordings of words that a test can recognise: word `k` is a tone of its own loudness. What a service would know of them is
 * computed from the samples, so times are measured and not assumed.
 */
import { type AudioFormat, Pcm, Wav } from "@effect-speech/audio-codec"
import { AudioSource, type TranscriptionRequest } from "@effect-speech/stt"
import * as Either from "effect/Either"

/** A word. Times are in milliseconds. */
export interface Word {
  readonly word: number
  readonly start: number
  readonly end: number
}

/** There are 39 words. */
const loudness = (word: number) => ((word % 39) + 1) * 800

/** The times of words of these lengths, with these pauses after them. */
export const wordsOf = (lengths: ReadonlyArray<readonly [length: number, pause: number]>): ReadonlyArray<Word> => {
  let start = 0
  return lengths.map(([length, pause], word) => {
    const spoken = { word, start, end: start + length }
    start += length + pause
    return spoken
  })
}

/** Equal words with equal pauses. */
export const evenWords = (count: number, length = 300, pause = 200): ReadonlyArray<Word> =>
  wordsOf(Array.from({ length: count }, () => [length, pause] as const))

const mono8k: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }

/** A WAV file of words, each channel the same. It ends `tail` ms after the last one. */
export const speak = (
  words: ReadonlyArray<Word>,
  { format = mono8k, tail = 200 }: { readonly format?: AudioFormat.AudioFormat; readonly tail?: number } = {}
): Uint8Array => {
  const { channels, encoding, sampleRate } = format
  const frames = Math.round((((words.at(-1)?.end ?? 0) + tail) * sampleRate) / 1000)
  const samples = new Float32Array(frames * channels)
  for (const { end, start, word } of words) {
    const first = Math.round((start * sampleRate) / 1000)
    const last = Math.round((end * sampleRate) / 1000)
    for (let frame = first; frame < last; frame++) {
      const value = (loudness(word) / 32_768) * Math.sin((2 * Math.PI * 400 * (frame - first)) / sampleRate)
      samples.fill(value, frame * channels, (frame + 1) * channels)
    }
  }
  return Wav.encode(Pcm.encode(samples, encoding).bytes, format)
}

/** The text that a service has to find. */
export const textOf = (words: ReadonlyArray<Word>): string => words.map(({ word }) => `w${word % 39}`).join(" ")

/** Finds the words of a WAV file at 8 kHz. Between two words there are at least 50 ms. */
export const recognise = (file: Uint8Array): ReadonlyArray<Word> => {
  const { bytes } = Either.getOrThrow(Wav.decode(file))
  const samples = Pcm.decode(bytes, "pcm16")
  const found: Array<Word> = []
  let [first, last, peak] = [-1, -1, 0]
  const end = () => {
    const word = Math.round((peak * 32_768) / 800) - 1
    if (first >= 0) found.push({ word, start: first / 8, end: (last + 1) / 8 })
    first = -1
    peak = 0
  }
  for (const [index, sample] of samples.entries()) {
    if (Math.abs(sample) < 200 / 32_768) {
      if (index - last > 400) end()
      continue
    }
    if (first < 0) first = index
    last = index
    peak = Math.max(peak, Math.abs(sample))
  }
  end()
  return found
}

/** The bytes of a piece. */
export const bytesOf = ({ audio }: TranscriptionRequest<unknown>): Uint8Array => {
  if (audio._tag !== "Bytes") throw new Error("A piece is sent as bytes.")
  return audio.bytes
}

/** What the local service responds for a piece. */
export const transcriptOf = (request: TranscriptionRequest<unknown>) => {
  const words = recognise(bytesOf(request))
  return {
    text: textOf(words),
    auxInfo: {
      confidence: 0.5,
      segments_meta: words.map(({ end, start, word }) => ({
        start: start / 1000,
        end: end / 1000,
        text: `w${word}`,
        confidence: 0.25
      }))
    }
  }
}

export const model = "hi-general-v2-8khz"
export const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"

export const requestOf = (file: Uint8Array) => ({ audio: AudioSource.fromBytes(file), model, transactionId })
