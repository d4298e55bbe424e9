/** The faults of a response, and the right response. */
import { gzipSync } from "node:zlib"
import {
  chunk,
  hangUp,
  head,
  reset,
  respond,
  type Script,
  settle,
  silent,
  write
} from "effect-speech-test-support/faultyServer"
import { audio, audioHeaders, isSpeechPath, transcript, transcriptOf } from "../contract.js"

export type Operation = "synthesis" | "transcription"

interface RightResponse {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const json = { "content-type": "application/json" }

/** The right response for a path. */
export const rightResponse = (path: string): RightResponse =>
  isSpeechPath(path)
    ? { path, headers: { ...audioHeaders, "x-request-id": "id" }, body: audio }
    : { path, headers: json, body: Buffer.from(JSON.stringify(transcriptOf[path]?.(transcript))) }

export interface Fault {
  readonly name: string
  /** What happens instead of the right response. */
  readonly script: (right: RightResponse) => Script
  /** How often, before the right response. Default: always. */
  readonly times?: number
  /** Default: both operations. */
  readonly of?: Operation
}

/** An error in a form that each of the services could send. */
const refusal =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  () =>
    respond(status, { ...json, ...headers }, JSON.stringify({ status: "error", error: "refused", message: "refused" }))

/** The right head, and then half of the body. */
const half =
  (framing: Readonly<Record<string, string>>, next: Script) =>
  ({ body, headers }: RightResponse): Script => {
    const bytes = body.subarray(0, body.byteLength / 2)
    const sent = "transfer-encoding" in framing ? chunk(bytes) : bytes
    return write(Buffer.concat([Buffer.from(head(200, { ...headers, ...framing })), sent]), next)
  }

const withLength = (next: Script) => (right: RightResponse) =>
  half({ "content-length": `${right.body.byteLength}` }, next)(right)

const soon = { "retry-after": "1" }
const html = "<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>"
/** 64 MiB in 64 KiB. */
const bomb = gzipSync(Buffer.alloc(2 ** 26, 1))

/** To show that a client gets the right response. */
export const none: Fault = { name: "none", script: ({ body, headers }) => respond(200, headers, body) }

/** A redirect to another host, which would respond. */
export const redirect: Fault = {
  name: "307 to another host",
  script:
    ({ path }) =>
    (socket, elsewhere) =>
      settle(head(307, { location: `${elsewhere}${path}`, "content-length": "0" }))(socket, elsewhere)
}

export const faults: ReadonlyArray<Fault> = [
  { name: "401", script: refusal(401) },
  { name: "429, `Retry-After: 1`", script: refusal(429, soon) },
  { name: "500", script: refusal(500) },
  { name: "503 once with `Retry-After: 1`, then the response", script: refusal(503, soon), times: 1 },
  { name: "connection reset before a response", script: () => reset },
  { name: "breaks off in the middle, `Content-Length`", script: withLength(hangUp) },
  { name: "breaks off in the middle, chunked", script: half({ "transfer-encoding": "chunked" }, hangUp) },
  { name: "breaks off in the middle, no length", script: half({ connection: "close" }, hangUp) },
  { name: "never responds", script: () => silent },
  { name: "stalls in the middle", script: withLength(silent) },
  { name: "200 with an HTML page", script: () => respond(200, { "content-type": "text/html" }, html) },
  { name: "200 with an error in JSON", script: refusal(200) },
  { name: "200 with nothing in it", script: ({ headers }) => respond(200, headers) },
  {
    name: "an odd number of bytes of 16-bit audio",
    of: "synthesis",
    script: ({ body, headers }) => respond(200, headers, body.subarray(1))
  },
  {
    name: "64 KiB of gzip that become 64 MiB",
    of: "synthesis",
    script: ({ headers }) => respond(200, { ...headers, "content-encoding": "gzip" }, bomb)
  },
  {
    name: "a transcript of another shape",
    of: "transcription",
    script: ({ headers }) => respond(200, headers, JSON.stringify({ transcript: { words: [] } }))
  }
]
