import * as Effect from "effect/Effect"
import { viewOf } from "../bytes.js"
import type { Container } from "./containers.js"
import { findFrames, frameAt } from "./mp3.js"
import { bytesOf, characters, fromBytes, type RecordingViews, viewsOf } from "./recordingBytes.js"
import { longestJunk, mostTags, tagHeader, tagLength, zerosFrom } from "./tags.js"

/** Where the container of a recording begins: behind tags, and zeros, that were put before it. */
interface Located {
  readonly container: Container | undefined
  readonly start: number
}

export const locate = <E>(recording: RecordingViews<E>): Effect.Effect<Located, E> =>
  Effect.gen(function* () {
    const { byteLength, read } = recording
    let start = 0
    let hasId3 = false
    let zeros = longestJunk
    let head = yield* read(start, tagHeader)
    for (let tags = 0; tags < mostTags; tags++) {
      let length = tagLength(head)
      hasId3 ||= characters(head, 0, 3) === "ID3"
      if (length === 0 && isPadding(head)) {
        const before = yield* zerosFrom(recording, start, zeros)
        const own = Math.min(before, mostZeros)
        length = before - ownZeros(yield* read(start + before - own, own + tagHeader), own)
        zeros -= length
      }
      if (length === 0) break
      start += length
      head = yield* read(start, tagHeader)
    }
    const container = signatureOf(head)
    if (container !== undefined) return { container, start }
    if (isOther(head)) return { container: undefined, start }
    if ((frameAt(head, 0)?.layer ?? 1) !== 1) return { container: "mp3", start }
    const window = yield* read(start, longestJunk)
    const frames = findFrames(window, { isEnd: byteLength === undefined || start + window.byteLength >= byteLength })
    const isMp3 = frames !== undefined && (frames.count >= 4 || (frames.reachEnd && frames.count >= 2))
    return { container: isMp3 || hasId3 ? "mp3" : undefined, start }
  })

/** The container that begins here, if it has a signature. */
const signatureOf = (view: DataView): Container | undefined => {
  const first = characters(view, 0, 4)
  if (["RIFF", "RIFX", "RF64", "BW64"].includes(first)) return characters(view, 8, 4) === "WAVE" ? "wav" : undefined
  if (first === "fLaC") return "flac"
  if (first === "OggS") return "ogg"
  if (first === "\x1a\x45\xdf\xa3") return "webm"
  // QuickTime files have no `ftyp`, and some writers put the samples or free space first.
  const isBox = view.byteLength >= 8 && (view.getUint32(0) < 2 || view.getUint32(0) >= 8)
  return characters(view, 4, 4) === "ftyp" || (isBox && firstBoxes.has(characters(view, 4, 4))) ? "m4a" : undefined
}

const firstBoxes = new Set(["moov", "mdat", "wide", "free", "skip", "pnot"])

/** In bytes: the size of a box of M4A begins with up to so many zeros, and MPEG video with two. */
const mostZeros = 4

/** How many of the first `most` bytes, which are zeros, belong to the file that begins behind the others. */
const ownZeros = (view: DataView, most: number): number => {
  for (let zeros = most; zeros > 0; zeros--) {
    const beginning = viewOf(bytesOf(view).subarray(most - zeros))
    if (signatureOf(beginning) !== undefined || isOther(beginning)) return zeros
  }
  return 0
}

const isPadding = (view: DataView): boolean =>
  view.byteLength > 0 && view.getUint8(0) === 0 && signatureOf(view) === undefined && !isOther(view)

/**
 * The beginnings of other files, in which frames of MPEG audio may be found: AAC, AC-3, Musepack, Monkey's Audio, WavPack,
 * TrueAudio, OptimFROG, AMR, AIFF, CAF, DSD, other RIFF files, ASF, Flash.
 */
const others = [
  ...["\xff\xf0", "\xff\xf1", "\xff\xf8", "\xff\xf9", "ADIF", "\x0b\x77", "MPCK", "MP+", "MAC ", "wvpk", "TTA", "OFR "],
  ...["#!AMR", "FORM", "caff", "DSD ", "RIFF", "RIFX", "RF64", "BW64", "\x30\x26\xb2\x75", "FLV", "FWS", "CWS"]
]

/** The first bytes of a stream of MPEG video: a start code. */
const isVideo = (first: string): boolean => first.startsWith("\0\0\x01") && first.charCodeAt(3) >= 0xb0

const isOther = (view: DataView): boolean => {
  const first = characters(view, 0, 8)
  return isVideo(first) || others.some((other) => first.startsWith(other))
}

/** The container of a recording, from its beginning; `undefined` for any other file. */
export const containerOf = (beginning: Uint8Array): Container | undefined =>
  Effect.runSync(Effect.map(locate(viewsOf(fromBytes(beginning, undefined))), ({ container }) => container))

/**
 * The number of bytes of a recording that `sniff` needs to look behind the tags before it, as far as they are given. Call it again with more
 * bytes until it grows no more.
 *
 * @example
 * ```ts
 * import { Container } from "@effect-speech/audio-codec"
 *
 * console.log(Container.neededToSniff(new Uint8Array(0))) // 32
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const neededToSniff = (beginning: Uint8Array): number => {
  let start = 0
  let length = 0
  do {
    length = tagLength(viewOf(beginning.subarray(start, start + tagHeader)))
    start += length
  } while (length > 0)
  return start + tagHeader
}
