import { getDefaultHighWaterMark } from "node:stream"

/** Size of a socket's write buffer, in bytes. Pieces of this size show progress on a slow connection. */
export const pieceSize = Math.max(64 * 1024, getDefaultHighWaterMark(false))

/**
 * The chunks of an upload that wait for undici, which takes them in pieces of at most {@link pieceSize}. Long chunks are
 * cut, without a copy. Short ones are copied together into one piece.
 */
export interface UploadPieces {
  /** Adds a chunk. Returns whether its source may overwrite it at once, because all of it was copied. */
  readonly add: (chunk: Uint8Array) => boolean
  /** The next piece, or `undefined` if nothing waits. It is a part of its chunk only if it fills the socket's buffer. */
  readonly take: () => Uint8Array | undefined
  /** Number of bytes that wait. */
  readonly waiting: () => number
}

export const makeUploadPieces = (): UploadPieces => {
  const chunks: Array<Uint8Array> = []
  /** Number of bytes of the first chunk that were taken. */
  let offset = 0
  /** The last chunk, while there is room for more bytes in it. */
  let block = new Uint8Array(0)
  let filled = 0
  let waiting = 0

  const closeBlock = (): void => {
    if (filled > 0) chunks.push(block.subarray(0, filled))
    filled = 0
  }
  return {
    add: (chunk) => {
      const { byteLength } = chunk
      waiting += byteLength
      const isShort = byteLength < pieceSize
      if (!isShort || filled + byteLength > pieceSize) closeBlock()
      if (!isShort) {
        chunks.push(chunk)
      } else if (byteLength > 0) {
        if (filled === 0) block = new Uint8Array(chunk)
        else {
          if (filled + byteLength > block.byteLength) {
            const longer = new Uint8Array(pieceSize)
            longer.set(block)
            block = longer
          }
          block.set(chunk, filled)
        }
        filled += byteLength
      }
      return isShort
    },
    take: () => {
      if (chunks.length === 0) closeBlock()
      const [first] = chunks
      if (first === undefined) return undefined
      const piece = first.subarray(offset, offset + pieceSize)
      offset += piece.byteLength
      waiting -= piece.byteLength
      if (offset < first.byteLength) return piece
      chunks.shift()
      const isCut = offset > pieceSize
      offset = 0
      // Undici takes the next piece at once while the socket's buffer is not full. The short end of a chunk may then still
      // wait in that buffer when its source overwrites it. `slice` of a Buffer would share its memory.
      return isCut && piece.byteLength < pieceSize ? new Uint8Array(piece) : piece
    },
    waiting: () => waiting
  }
}
