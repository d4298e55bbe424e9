import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import type { Answer } from "./document.js"

/** A test that waits for longer than this waits in vain, in milliseconds: no case takes a tenth of it by itself. */
const patience = 8000

const toAnswer = (
  status: number,
  headers: Readonly<Record<string, string>>,
  bytes: Buffer,
  complete: boolean
): Answer => {
  const text = bytes.toString()
  return { status, headers, bytes, complete, text, json: () => JSON.parse(text) }
}

export interface Request {
  readonly method?: string | undefined
  readonly path: string
  readonly headers?: Readonly<Record<string, string | number | Array<string>>> | undefined
  readonly body?: string | Uint8Array | undefined
  /** How long the answer is waited for. Default: as long as a test that waits in vain. */
  readonly patienceMillis?: number | undefined
}

/** Plain HTTP by `node:http`, which sends whatever it is told to, on a connection of its own. */
export const exchange = (base: string, request: Request): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { body, headers = {}, method = "POST", path, patienceMillis = patience } = request
    const sent = httpRequest(`${base}${path}`, { method, agent: false, headers: { ...headers } })
    const timer = setTimeout(() => sent.destroy(new Error(`${method} ${path} hangs`)), patienceMillis)
    sent.on("response", (response) => {
      const parts: Array<Buffer> = []
      const done = (complete: boolean) => {
        clearTimeout(timer)
        const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
        resolve(toAnswer(response.statusCode ?? 0, Object.fromEntries(flat), Buffer.concat(parts), complete))
      }
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => done(true))
      response.on("error", () => done(false))
    })
    sent.on("error", (error) => {
      clearTimeout(timer)
      reject(error)
    })
    sent.end(body)
  })

/** What came over a connection. */
export interface Heard {
  readonly answers: ReadonlyArray<Answer>
  /** Of `100 Continue` and its like. */
  readonly interim: ReadonlyArray<number>
  /** How it ended: by the service, or by us once there were enough answers. */
  readonly ended: "closed" | "reset" | "enough"
}

export interface RawOptions {
  /** How many answers are waited for; with 0, until the service closes the connection. Default: 1. */
  readonly answers?: number | undefined
  /** Ends our side of the connection once everything is sent. Default: false. */
  readonly halfClose?: boolean | undefined
  /** Whether the answers are to HEAD, and have no body. Default: false. */
  readonly head?: boolean | undefined
}

/** Bytes, or a pause in milliseconds. */
export type Piece = string | Uint8Array | number

/** Sends bytes as they are, and hears what comes. Fails where nothing does. */
export const speakRaw = (base: string, pieces: ReadonlyArray<Piece>, options: RawOptions = {}): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const { answers: wanted = 1, halfClose = false, head = false } = options
    const { hostname, port } = new URL(base)
    const socket = connect({ port: Number(port), host: hostname.replace(/^\[|\]$/g, "") })
    let bytes = Buffer.alloc(0)
    let ended = false
    const finish = (how: Heard["ended"]) => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      socket.destroy()
      try {
        resolve({ ...parse(bytes, head, true), ended: how })
      } catch (error) {
        reject(error)
      }
    }
    const timer = setTimeout(() => {
      ended = true
      socket.destroy()
      reject(new Error(`hangs; so far came ${JSON.stringify(bytes.toString("latin1").slice(0, 300))}`))
    }, patience)
    socket.on("data", (part) => {
      bytes = Buffer.concat([bytes, part])
      if (wanted > 0 && count(bytes, head) >= wanted) finish("enough")
    })
    socket.on("error", () => finish("reset"))
    socket.on("close", () => finish("closed"))
    const sendAll = async () => {
      for (const piece of pieces) {
        if (ended) return
        if (typeof piece === "number") await new Promise((next) => setTimeout(next, piece))
        else await new Promise<void>((next) => socket.write(piece, () => next()))
      }
      if (halfClose && !ended) socket.end()
    }
    socket.on("connect", () => {
      sendAll().catch(reject)
    })
  })

/** How many whole answers came, or that more of them is not worth waiting for. */
const count = (bytes: Buffer, head: boolean): number => {
  try {
    return parse(bytes, head, false).answers.length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Every whole answer in what came; with `final`, one whose body goes on to the end of the connection too. */
const parse = (bytes: Buffer, head: boolean, final: boolean): Omit<Heard, "ended"> => {
  const answers: Array<Answer> = []
  const interim: Array<number> = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n")
    if (end < 0) break
    const [line = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n")
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? Number.NaN)
    if (Number.isNaN(status)) throw new Error(`${JSON.stringify(line)} is not a status line`)
    rest = rest.subarray(end + 4)
    if (status < 200) {
      interim.push(status)
      continue
    }
    const headers: Record<string, string> = {}
    for (const each of lines) {
      const at = each.indexOf(":")
      const name = each.slice(0, at).toLowerCase()
      if (at < 1 || name in headers) throw new Error(`${JSON.stringify(each)} is not a header, or is there twice`)
      headers[name] = each.slice(at + 1).trim()
    }
    const body = bodyOf(rest, headers, head || status === 204 || status === 304)
    if (!body.complete && !final) break
    answers.push(toAnswer(status, headers, body.bytes, body.complete))
    rest = body.rest
  }
  return { answers, interim }
}

const bodyOf = (bytes: Buffer, headers: Readonly<Record<string, string>>, none: boolean) => {
  if (none) return { bytes: Buffer.alloc(0), rest: bytes, complete: true }
  if (headers["transfer-encoding"] === "chunked") throw new Error("this service knows the length of every answer")
  const length = Number(headers["content-length"])
  return { bytes: bytes.subarray(0, length), rest: bytes.subarray(length), complete: bytes.length >= length }
}

/** Sends bytes, and resets the connection. */
export const leave = (base: string, pieces: ReadonlyArray<Piece>): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(base)
    const socket = connect({ port: Number(port), host: hostname })
    socket.on("error", () => resolve()).on("close", () => resolve())
    // What comes is not read.
    socket.pause()
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (typeof piece === "number") await new Promise((next) => setTimeout(next, piece))
        else await new Promise<void>((next) => socket.write(piece, () => next()))
      }
      socket.resetAndDestroy()
    })
  })
