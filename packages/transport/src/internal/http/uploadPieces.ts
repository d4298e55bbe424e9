import { getDefaultHighWaterMark } from "node:stream"
import { piecesOf } from "./piecesOf.js"

/** Size of a socket's write buffer, in bytes. Pieces of this size show progress on a slow connection. */
export const pieceSize = Math.max(64 * 1024, getDefaultHighWaterMark(false))

/** In bytes, behind a short piece: the end of a form fits in there, so that the end of its file is copied only once. */
const room = 4096

/**
 * The chunks of an upload that wait for undici, in pieces of at most {@link pieceSize}.
 *
 * - A long chunk is cut into full pieces, without a copy.
 * - Short chunks are copied into one piece, because each piece is a system call. So is the short end of a long chunk.
 * - After the copy, the source may reuse its memory, even before undici sends the piece.
 */
export interface UploadPieces {
  /** Adds a chunk. Returns whether its source may overwrite it at once, because all of it was copied. */
  readonly add: (chunk: Uint8Array) => boolean
  /** The next piece, or `undefined` if nothing waits. */
  readonly take: () => Uint8Array | undefined
  /** Number of bytes that wait. */
  readonly waiting: () => number
}

export const makeUploadPieces = (): UploadPieces => {
  const ready: Array<Uint8Array> = []
  /** Short pieces, in the order of the upload after those that are ready. */
  let block = new Uint8Array(0)
  let filled = 0
  let waiting = 0

  const closeBlock = (): void => {
    if (filled > 0) ready.push(block.subarray(0, filled))
    filled = 0
  }
  const copy = (piece: Uint8Array): void => {
    if (filled + piece.byteLength > pieceSize) closeBlock()
    if (filled === 0) {
      block = Buffer.allocUnsafeSlow(Math.min(pieceSize, piece.byteLength + room))
    } else if (filled + piece.byteLength > block.byteLength) {
      const longer = Buffer.allocUnsafeSlow(pieceSize)
      longer.set(block.subarray(0, filled))
      block = longer
    }
    block.set(piece, filled)
    filled += piece.byteLength
  }
  return {
    add: (chunk) => {
      waiting += chunk.byteLength
      for (const piece of piecesOf(chunk, pieceSize)) {
        if (piece.byteLength < pieceSize) copy(piece)
        else {
          closeBlock()
          ready.push(piece)
        }
      }
      return chunk.byteLength < pieceSize
    },
    take: () => {
      if (ready.length === 0) closeBlock()
      const piece = ready.shift()
      waiting -= piece?.byteLength ?? 0
      return piece
    },
    waiting: () => waiting
  }
}
