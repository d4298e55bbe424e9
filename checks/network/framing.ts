/**
 * Finds where HTTP/1.1 messages begin and end in one direction of a connection. It knows what the clients and the local service use:
 * bodies with a length and chunked bodies.
 */
import type { Point } from "./schedule.js"

/** One request or response. Offsets count from the first byte of the connection, and are `undefined` until they are known. */
interface Message {
  /** Offset of the first byte after the headers. */
  headEnd?: number
  /** Offset of the first byte after the message. */
  end?: number
  /** The first 4096 bytes. They contain the id, or the status of a response. */
  beginning: string
}

const kept = 4096

export class Framing {
  /** Number of bytes so far. */
  total = 0
  readonly messages: Array<Message> = []
  /** The incomplete headers, or the incomplete line between chunks. */
  #text = ""
  /** Number of bytes left in the body or the chunk. */
  #left = 0
  #isInTrailer = false

  push(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0) {
      let message = this.messages.at(-1)
      if (message === undefined || message.end === this.total) {
        message = { beginning: "" }
        this.messages.push(message)
        this.#isInTrailer = false
      }
      const inBody = Math.min(this.#left, rest.length)
      this.#left -= inBody
      const taken = inBody > 0 ? inBody : this.#readLine(rest, message)
      if (message.beginning.length < kept) message.beginning += rest.toString("latin1", 0, Math.min(taken, kept))
      this.total += taken
      rest = rest.subarray(taken)
    }
  }

  /** Offset of a point, as soon as it is known. The start of a message is known with the end of the one before. */
  offsetOf({ edge, message, offset }: Point): number | undefined {
    const before = message === 0 ? 0 : this.messages[message - 1]?.end
    const from = edge === "start" ? before : this.messages[message]?.[edge]
    return from === undefined ? undefined : from + offset
  }

  /** Reads a line, or the part of it that arrived. Returns its length. */
  #readLine(bytes: Buffer, message: Message): number {
    const newline = bytes.indexOf("\n")
    const taken = newline < 0 ? bytes.length : newline + 1
    this.#text += bytes.toString("latin1", 0, taken)
    if (newline < 0) return taken
    const after = this.total + taken
    if (message.headEnd === undefined) {
      if (!this.#text.endsWith("\r\n\r\n")) return taken
      message.headEnd = after
      if (!/^transfer-encoding: *chunked/im.test(this.#text)) {
        this.#left = Number(/^content-length: *(\d+)/im.exec(this.#text)?.[1] ?? 0)
        message.end = after + this.#left
      }
    } else if (this.#isInTrailer) {
      if (this.#text === "\r\n") message.end = after
    } else {
      const size = Number.parseInt(this.#text, 16)
      if (size === 0) this.#isInTrailer = true
      // CRLF follows a chunk.
      else this.#left = size + 2
    }
    this.#text = ""
    return taken
  }
}
