import type { Socket } from "node:net"

/** In bytes. A longer head is not held back: undici refuses it. */
const longestHead = 16 * 1024

const isInformational = /^HTTP\/1\.\d 1(?!01)\d\d/

/** Length of the shortest text that shows a status: `HTTP/1.1 100`. */
const statusEnd = 12

/**
 * Offset of the first byte behind the informational responses at the beginning. `isKnown` is false if it takes more bytes to tell
 * whether another one follows.
 */
const behindInformational = (bytes: Buffer): { readonly offset: number; readonly isKnown: boolean } => {
  for (let offset = 0; ; ) {
    if (bytes.length - offset < statusEnd) return { offset, isKnown: false }
    if (!isInformational.test(bytes.toString("latin1", offset, offset + statusEnd))) return { offset, isKnown: true }
    const end = bytes.indexOf("\r\n\r\n", offset)
    if (end < 0) return { offset, isKnown: bytes.length - offset > longestHead }
    offset = end + 4
  }
}

/**
 * Makes undici ignore informational responses, as RFC 9110, section 15.2 asks of a client. Undici itself closes the connection at
 * a `100 Continue` that it did not request, and the response to a paid request is lost. It has no option for that.
 *
 * Undici writes the head of a request as a string, and reads what arrives by `read`. Bytes are removed only between the head of
 * a request and that of its response, so never from a body. 101 stays, since it ends HTTP on the connection.
 */
export const skipInformational = (socket: Socket): void => {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...given: ReadonlyArray<unknown>) => boolean
  let isHeadExpected = false
  let held = Buffer.alloc(0)

  socket.write = (...given: ReadonlyArray<unknown>) => {
    // The frames of a chunked body are strings too. They begin with a line break.
    if (typeof given[0] === "string" && !given[0].startsWith("\r\n")) {
      isHeadExpected = true
      held = Buffer.alloc(0)
    }
    return write(...given)
  }
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size)
    if (!isHeadExpected || !(chunk instanceof Buffer)) return chunk
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const { isKnown, offset } = behindInformational(bytes)
    const rest = bytes.subarray(offset)
    if (isKnown) {
      isHeadExpected = false
      return rest
    }
    held = rest
    return null
  }
}
