/** HTTP by the byte: requests that no client would send, and responses as they come. */
import { connect, type Socket } from "node:net"
import { send } from "effect-speech-test-support/plainHttp"
import type { Answer } from "./document.js"

/** In milliseconds, above the time limit of a test on a busy machine. */
const timeout = 60_000

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
  readonly timeoutMillis?: number | undefined
}

/** Sends a request on a connection of its own. Rejects if the response does not come whole. */
export const exchange = async (base: string, request: Request): Promise<Answer> => {
  const { body, headers = {}, method = "POST", path, timeoutMillis = timeout } = request
  const signal = AbortSignal.timeout(timeoutMillis)
  const options = {
    method,
    headers: { ...headers },
    body: body === undefined ? [] : [body],
    agent: false,
    signal
  } as const
  const response = await send(`${base}${path}`, options)
  const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  return toAnswer(response.status, Object.fromEntries(flat), response.bytes, true)
}

/** What the service sent over a connection. */
export interface Received {
  readonly answers: ReadonlyArray<Answer>
  /** The statuses before the last one, such as `100 Continue`. */
  readonly interim: ReadonlyArray<number>
  /** `enough` if we ended it, after enough responses. */
  readonly ended: "closed" | "reset" | "enough"
}

export interface RawOptions {
  /** How many responses to wait for. With 0, until the service closes the connection. Default: 1. */
  readonly answers?: number | undefined
  /** Ends our side of the connection after the last byte. Default: false. */
  readonly halfClose?: boolean | undefined
  /** The responses are to HEAD, and have no body. Default: false. */
  readonly head?: boolean | undefined
}

/** Bytes, or a pause in milliseconds. */
export type Piece = string | Uint8Array | number

const writePieces = async (socket: Socket, pieces: ReadonlyArray<Piece>, isEnded = () => false): Promise<void> => {
  for (const piece of pieces) {
    if (isEnded()) return
    if (typeof piece === "number") await new Promise((next) => setTimeout(next, piece))
    else await new Promise<void>((next) => socket.write(piece, () => next()))
  }
}

/** Sends bytes as they are, and reads the responses. Rejects if none comes. */
export const exchangeRaw = (base: string, pieces: ReadonlyArray<Piece>, options: RawOptions = {}): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { answers: wanted = 1, halfClose = false, head = false } = options
    const { hostname, port } = new URL(base)
    const socket = connect({ port: Number(port), host: hostname.replace(/^\[|\]$/g, "") })
    let bytes = Buffer.alloc(0)
    let ended = false
    const finish = (how: Received["ended"]) => {
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
      reject(new Error(`hangs after ${JSON.stringify(bytes.toString("latin1").slice(0, 300))}`))
    }, timeout)
    socket.on("data", (part) => {
      bytes = Buffer.concat([bytes, part])
      if (wanted > 0 && count(bytes, head) >= wanted) finish("enough")
    })
    socket.on("error", () => finish("reset"))
    socket.on("close", () => finish("closed"))
    const sendAll = async () => {
      await writePieces(socket, pieces, () => ended)
      if (halfClose && !ended) socket.end()
    }
    socket.on("connect", () => {
      sendAll().catch(reject)
    })
  })

/** How many whole responses came. Infinite if one is malformed: then there is no more to wait for. */
const count = (bytes: Buffer, head: boolean): number => {
  try {
    return parse(bytes, head, false).answers.length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Every whole response. With `final`, also the last one if its body broke off. */
const parse = (bytes: Buffer, head: boolean, final: boolean): Omit<Received, "ended"> => {
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
  if (headers["transfer-encoding"] === "chunked") throw new Error("this service states the length of every response")
  const length = Number(headers["content-length"])
  return { bytes: bytes.subarray(0, length), rest: bytes.subarray(length), complete: bytes.length >= length }
}

/** Sends bytes, and resets the connection without reading. */
export const leave = (base: string, pieces: ReadonlyArray<Piece>): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(base)
    const socket = connect({ port: Number(port), host: hostname })
    socket.on("error", () => resolve()).on("close", () => resolve())
    socket.pause()
    socket.on("connect", async () => {
      await writePieces(socket, pieces)
      socket.resetAndDestroy()
    })
  })
