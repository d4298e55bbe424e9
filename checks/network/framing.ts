/**
 * Finds where HTTP/1.1 messages begin and end in one direction of a connection. It knows what the clients and the local service use:
 * bodies with a length and chunked bodies.
 */

/** One request or response. Offsets count from the first byte of the connection. */
export interface Message {
  readonly start: number
  /** Offset of the first byte after the headers. `undefined` until it is known. */
  headEnd?: number
  /** Offset of the first byte after the message. `undefined` until it is known. */
  end?: number
  /** The first 4096 bytes. They contain the id, or the status of a response. */
  beginning: string
}

export interface Point {
  /** Number of the message on the connection, from 0. */
  readonly message: number
  readonly edge: "start" | "headEnd" | "end"
  /** Distance from the edge, in bytes. Negative: before it. */
  readonly offset: number
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

  push(bytes: Uint8Array): void {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    while (rest.length > 0) {
      let message = this.messages.at(-1)
      if (message === undefined || message.end === this.total) {
        message = { start: this.total, beginning: "" }
        this.messages.push(message)
        this.#isInTrailer = false
      }
      const taken = this.#left > 0 ? this.#skip(rest) : this.#readLine(rest, message)
      if (message.beginning.length < kept) message.beginning += rest.toString("latin1", 0, Math.min(taken, kept))
      this.total += taken
      rest = rest.subarray(taken)
    }
  }

  /** Offset of a point, as soon as it is known. */
  offsetOf({ edge, message, offset }: Point): number | undefined {
    const from = edge === "start" ? this.#startOf(message) : this.messages[message]?.[edge]
    return from === undefined ? undefined : from + offset
  }

  /** Known before the message begins. */
  #startOf(message: number): number | undefined {
    return message === 0 ? 0 : this.messages[message - 1]?.end
  }

  #skip(bytes: Buffer): number {
    const taken = Math.min(this.#left, bytes.length)
    this.#left -= taken
    return taken
  }

  /** Reads a line, or the part of it that arrived. */
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
