/**
 * What a service can tell a long recording by: the id and the filename of each piece say which recording it is of, and where it
 * starts.
 */
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import * as Uuid from "@effect-speech/common/Uuid"
import type { PiecePlace } from "./events.js"

/**
 * The id of a piece: a UUID of version 8 (RFC 9562, section 5.8). Its first 64 bits are those of `parent`, a UUID, apart from the
 * version. The others are those of the SHA-256 of `parent` and the number.
 */
export const pieceIdOf = (parent: string, number: number): string => {
  const bytes = Buffer.from(parent.replaceAll("-", ""), "hex")
  const id = createHash("sha256").update(bytes).update(String(number)).digest()
  id.set(bytes.subarray(0, 8))
  return Uuid.fromBytes(id, 8)
}

/** The filename of a piece, such as `call.piece-7-at-612400.wav`: the piece 7 of `call.mp3` starts after 612,400 ms. */
export const pieceFileNameOf = (recording: string, { number, startMillis }: PiecePlace): string =>
  `${stemOf(recording)}.piece-${number}-at-${startMillis}.wav`

const longestStem = 100
const extension = /\.(?=\d*[a-z])\w{1,5}$/i
/** Characters that a header of a form escapes, and those that end the name of a folder. */
const unfit = /["\\/\p{Cc}\p{Surrogate}]+/gu

const stemOf = (recording: string): string => {
  const stem = recording.replace(extension, "").replace(unfit, "-").trim()
  return stem === "" ? "recording" : Array.from(stem).slice(0, longestStem).join("")
}
