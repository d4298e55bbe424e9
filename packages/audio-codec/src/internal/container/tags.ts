import * as Effect from "effect/Effect"
import { bytesOf, characters, type RecordingViews } from "./recordingBytes.js"
import type { WholeRecording } from "./structure.js"

/** The bytes of a tag at the front that decide its length. */
export const tagHeader = 32

/**
 * The length of the tag that begins here, or 0. ID3v2 states its size in 7 bits of each byte, without its header of 10 bytes
 * and its footer. APEv2 states it without its header of 32 bytes.
 */
export const tagLength = (view: DataView): number => {
  if (characters(view, 0, 3) === "ID3") return id3Length(view, 0, 10)
  const isApe = view.byteLength >= tagHeader && characters(view, 0, 8) === "APETAGEX"
  return isApe ? tagHeader + (isHeader(view, 0) ? view.getUint32(12, true) : 0) : 0
}

/** The length of a tag from its header or footer, which are alike. `outer` counts those that the size does not. */
const id3Length = (view: DataView, offset: number, outer: number): number => {
  if (offset + 10 > view.byteLength) return 0
  const [major = 255, minor = 255, flags = 0, ...size] = bytesOf(view).subarray(offset + 3, offset + 10)
  if (major === 255 || minor === 255 || size.some((byte) => byte > 127)) return 0
  return size.reduce((sum, byte) => sum * 128 + byte, 0) + outer + ((flags & 0x10) === 0 ? 0 : 20 - outer)
}

/** Whether an APE header or footer is the header (bit 29), and whether its tag has a header at all (bit 31). */
const isHeader = (view: DataView, offset: number): boolean => (view.getUint8(offset + 23) & 0x20) !== 0
const hasHeader = (view: DataView, offset: number): boolean => (view.getUint8(offset + 23) & 0x80) !== 0

/** More tags than this at one end are damage. */
export const mostTags = 64

/** The longest tag that states its beginning but not its size: Lyrics3 v1. */
const longestLyrics = 11 + 5100 + 9

/** The end of a recording without the tags that follow it: ID3v1, enhanced ID3v1, ID3v2 with a footer, APE, Lyrics3. */
export const endWithoutTags = <E>({ byteLength, read }: WholeRecording<E>): Effect.Effect<number, E> =>
  Effect.gen(function* () {
    let end = byteLength
    for (let tags = 0; tags < mostTags; tags++) {
      const start = Math.max(0, end - 512)
      const tail = yield* read(start, end - start)
      if (tail.byteLength < end - start) return end
      let length = lengthBefore(tail)
      if (length === 0 && characters(tail, tail.byteLength - 9, 9) === "LYRICSEND") {
        const from = Math.max(0, end - longestLyrics)
        const lyrics = yield* read(from, end - from)
        const begin = characters(lyrics, 0, lyrics.byteLength).lastIndexOf("LYRICSBEGIN")
        length = begin < 0 ? 0 : end - from - begin
      }
      if (length === 0 || length > end) return end
      end -= length
    }
    return end
  })

/** The length of the tag that ends with the view, or 0. */
const lengthBefore = (tail: DataView): number => {
  const end = tail.byteLength
  const has = (name: string, before: number) => end >= before && characters(tail, end - before, name.length) === name
  if (has("TAG", 128)) return has("TAG+", 128 + 227) ? 128 + 227 : 128
  if (has("APETAGEX", 32)) return tail.getUint32(end - 20, true) + (hasHeader(tail, end - 32) ? 32 : 0)
  if (has("LYRICS200", 9)) {
    const digits = end < 15 ? "" : characters(tail, end - 15, 6)
    return /^\d{6}$/.test(digits) ? Number(digits) + 15 : 0
  }
  return has("3DI", 10) ? id3Length(tail, end - 10, 20) : 0
}

/** Whether a tag of any kind begins here. */
export const isTag = (view: DataView): boolean => /^(TAG|APETAGEX|LYRICS|ID3)/.test(characters(view, 0, 8))

/** In bytes. Players look no further for the audio of a file that begins with something else. */
export const longestJunk = 64 * 1024

/**
 * Whether the bytes on both sides of `offset` are zeros: then the zeros do not follow the recording, they replace its end, as in a
 * file that was not written to its end.
 */
export const isWithinZeros = <E>(
  { read }: Pick<RecordingViews<E>, "read">,
  offset: number
): Effect.Effect<boolean, E> => Effect.map(read(offset - 16, 32), (view) => bytesOf(view).every((byte) => byte === 0))

/** The number of zeros from `offset` on, at most `limit`. */
export const zerosFrom = <E>({ read }: RecordingViews<E>, offset: number, limit: number): Effect.Effect<number, E> =>
  Effect.gen(function* () {
    let zeros = 0
    while (zeros < limit) {
      const block = bytesOf(yield* read(offset + zeros, Math.min(4096, limit - zeros)))
      const other = block.findIndex((byte) => byte !== 0)
      if (other >= 0) return zeros + other
      if (block.byteLength === 0) return zeros
      zeros += block.byteLength
    }
    return zeros
  })
