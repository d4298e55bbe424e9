/**
 * All uses of a client, each to its end.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Recording, SpeechClient } from "@effect-speech/promise"

export interface UseOptions {
  readonly signal?: AbortSignal
  /** For files. */
  readonly folder: string
  /** The name of the file that the use writes, if it writes one. */
  readonly name: string
}

export type Use = (speech: SpeechClient, options: UseOptions) => Promise<unknown>

const drain = async (chunks: AsyncIterable<Uint8Array>) => {
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.byteLength
  return bytes
}
const drained = (response: Response) => drain(response.body as unknown as AsyncIterable<Uint8Array>)

const model = "hi-general-v2-8khz"
const text = "A first sentence. A second sentence. A third sentence. A fourth sentence."
const pieces = { firstCodePoints: 20, maximumCodePoints: 20, concurrency: 2 } as const

/** Half a megabyte in chunks. */
async function* recorded(): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < 8; index++) yield new Uint8Array(65_536).fill(index + 1)
}

const transcribes = (recording: () => Recording): Use => {
  return (speech, { signal }) => speech.transcribe(recording(), { model, signal })
}

/** `wav` is the path of a WAV file of some seconds. */
export const makeUses = (wav: string): Readonly<Record<string, Use>> => ({
  "await speak": async (speech, { signal }) => speech.speak(text, { signal }),
  "for await": (speech, { signal }) => drain(speech.speak(text, { signal })),
  "stream()": (speech, { signal }) =>
    drain(speech.speak(text, { signal }).stream() as unknown as AsyncIterable<Uint8Array>),
  "wav()": (speech, { signal }) => drain(speech.speak(text, { signal }).wav() as unknown as AsyncIterable<Uint8Array>),
  "toFile()": (speech, { folder, name, signal }) => speech.speak(text, { signal }).toFile(join(folder, name)),
  "response()": async (speech, { signal }) => drained(await speech.speak(text, { signal }).response()),
  "transcribe of bytes": transcribes(() => new Uint8Array(500_000).fill(1)),
  "transcribe of a file": transcribes(() => wav),
  "transcribe of a stream": transcribes(recorded),
  "await speakLong": async (speech, { signal }) => speech.speakLong(text, { ...pieces, signal }),
  "speakLong toFile()": (speech, { folder, name, signal }) =>
    speech.speakLong(text, { ...pieces, signal }).toFile(join(folder, name)),
  transcribeLong: (speech, { signal }) =>
    speech.transcribeLong(readFileSync(wav), { model, maximum: "1 second", concurrency: 2, signal })
})
