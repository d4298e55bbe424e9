/**
 * Where the messages of HTTP/1.1 begin and end in one direction of a connection, as its bytes go by. It knows as much as the
 * clients and the local service say to each other: bodies with a length, and bodies in chunks.
 */

/** Offsets count from the first byte of the connection. */
export interface Message {
  readonly start: number
  /** Of the first byte after the head, once that is known; as is `end`, of the first byte after all of it. */
  headEnd?: number
  end?: number
  /** Its first bytes, which hold its id, and its status where it is an answer. */
  beginning: string
}

export interface Point {
  /** Of the message, counted from 0. */
  readonly message: number
  readonly edge: "start" | "headEnd" | "end"
  /** In bytes from there; below 0 for bytes before it. */
  readonly offset: number
}

const kept = 4096

export class Framing {
  /** How many bytes have gone by. */
  total = 0
  readonly messages: Array<Message> = []
  /** Of a head, or of a line between chunks, until it has come whole. */
  #text = ""
  /** Of a body, or of a chunk. */
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

  /** Of a point, as soon as it is known. */
  where({ edge, message, offset }: Point): number | undefined {
    const from = edge === "start" ? this.#startOf(message) : this.messages[message]?.[edge]
    return from === undefined ? undefined : from + offset
  }

  /** Known before it begins. */
  #startOf(message: number): number | undefined {
    return message === 0 ? 0 : this.messages[message - 1]?.end
  }

  #skip(bytes: Buffer): number {
    const taken = Math.min(this.#left, bytes.length)
    this.#left -= taken
    return taken
  }

  /** A line, or what there is of it. */
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
      // A chunk has the end of a line after it.
      else this.#left = size + 2
    }
    this.#text = ""
    return taken
  }
}
