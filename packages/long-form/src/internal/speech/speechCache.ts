/**
 * The speech of each paid piece, in a `PieceStore`. An entry is a WAV file that any player opens. After its samples it has a chunk with
 * the id of the request, and with the digest of its key and of all bytes before it.
 */
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { PieceStoreError, PieceStoreService } from "../../PieceStore.js"
import { digestLength, digestOf, read } from "../cacheEntry.js"

export interface CachedSpeech {
  readonly format: AudioFormat
  /** Raw samples, as the service sent them. */
  readonly bytes: Uint8Array
  /** Id of the request that was paid. */
  readonly requestId: string
}

const chunkId = "efsp"
const chunkHead = 8

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const put = (
  store: PieceStoreService,
  key: string,
  { bytes, format, requestId }: CachedSpeech
): Effect.Effect<void, PieceStoreError> =>
  Effect.gen(function* () {
    const audio = Wav.encode(bytes, format)
    // Chunks have an even length.
    const note = encoder.encode(requestId.padEnd(2 * Math.ceil(requestId.length / 2)))
    const file = new Uint8Array(audio.byteLength + chunkHead + note.byteLength + digestLength)
    const view = new DataView(file.buffer)
    file.set(audio)
    file.set(encoder.encode(chunkId), audio.byteLength)
    view.setUint32(audio.byteLength + 4, note.byteLength + digestLength, true)
    file.set(note, audio.byteLength + chunkHead)
    view.setUint32(4, file.byteLength - 8, true)
    const digest = yield* digestOf(key, file.subarray(0, -digestLength))
    file.set(encoder.encode(digest), file.byteLength - digestLength)
    yield* store.put(key, file)
  })

/** The speech of this key. An entry that is damaged, or that of another piece, counts as none. */
export const get = (
  store: PieceStoreService,
  key: string
): Effect.Effect<Option.Option<CachedSpeech>, PieceStoreError> =>
  Effect.map(
    read(store, key),
    Option.flatMap(({ file }) =>
      Option.map(Either.getRight(Wav.decode(file)), ({ bytes, format }) => {
        const end = bytes.byteOffset - file.byteOffset + bytes.byteLength
        const note = file.subarray(end + (end % 2) + chunkHead, -digestLength)
        return { format, bytes, requestId: decoder.decode(note).trimEnd() }
      })
    )
  )
