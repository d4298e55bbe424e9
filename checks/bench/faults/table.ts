/** What can go wrong with an answer, and what is right. */
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
} from "../../../test/support/faultyServer.js"
import { audio, audioHeaders, idOf, isSpeechPath, transcript, transcriptOf } from "../wire.js"

export type Operation = "synthesis" | "transcription"

export interface Answer {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const json = { "content-type": "application/json" }

/** The right answer to what is asked at a path. */
export const rightAnswer = (path: string): Answer => {
  if (isSpeechPath(path)) return { path, headers: { ...audioHeaders, "x-request-id": "id" }, body: audio }
  const shape = transcriptOf[path.replace(/^\/v2\/transcript\/.*/, "/v2/transcript")]
  const value = shape?.(transcript) ?? { upload_url: `http://uploads.invalid/${idOf(transcript)}` }
  return { path, headers: json, body: Buffer.from(JSON.stringify(value)) }
}

export interface Fault {
  readonly name: string
  /** What happens instead of the right answer. */
  readonly script: "nobody listens" | ((right: Answer) => Script)
  /** Whether only a client's own limit, which may be far away, ends it. */
  readonly endless?: boolean
  /** How often, before the right answer comes. Default: always. */
  readonly times?: number
  /** Of which operation. Default: both. */
  readonly of?: Operation
  /** What is to be known to judge the outcomes. */
  readonly note?: string | { readonly [Name in Operation]?: string }
}

const halfOf = ({ body }: Answer) => body.subarray(0, body.byteLength / 2)

/** A refusal in words that each of the services could say. */
const refusal = (status: number, headers: Readonly<Record<string, string>> = {}) => {
  const words = { status: "error", error: "refused", message: "refused, as told" }
  return () => respond(status, { ...json, ...headers }, JSON.stringify(words))
}

/** The right head, and then half of the body. */
const half =
  (framing: Readonly<Record<string, string>>, next: Script) =>
  (right: Answer): Script => {
    const bytes = "transfer-encoding" in framing ? chunk(halfOf(right)) : halfOf(right)
    return write(Buffer.concat([Buffer.from(head(200, { ...right.headers, ...framing })), bytes]), next)
  }

const withLength = (next: Script) => (right: Answer) =>
  half({ "content-length": `${right.body.byteLength}` }, next)(right)

const soon = { "retry-after": "1" }
const chunked = { "transfer-encoding": "chunked" }
const html = "<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>"
const noDuration = {
  synthesis:
    "HTTP alone can't tell. The service of this repository says in a header how long its audio lasts, which is checked; the " +
    "other clients know of none."
}
const asItCame = {
  synthesis:
    "The other clients hand on what came with a 200, and leave it to their caller to look at its type, its length and its " +
    "bytes; a bare `HttpClient` was told which headers there must be."
}
const inflated =
  "`fetch` asks for gzip, and it and what is built on it inflate all of it; a bare `HttpClient` and undici hand it on as it came."
const notInContract = { synthesis: "Ours repeats it of a transcription alone: the contract of a synthesis has no 503." }
const maybeBilled =
  "The request had come whole, so that a second may be billed too: ours repeats it only where `retryAmbiguous` says so."
const patience =
  "By their documents or their sources an answer is waited for: ours ten minutes for a synthesis and an hour for a " +
  "transcription, a bare `HttpClient` over this layer an hour, `openai` ten minutes, `@elevenlabs/elevenlabs-js` four, " +
  "`@deepgram/sdk` and `@cartesia/cartesia-js` one, and five where `fetch` or undici alone decides."

/** 64 MiB in 64 KiB. */
const bomb = gzipSync(Buffer.alloc(2 ** 26, 1))

export const faults: ReadonlyArray<Fault> = [
  { name: "401", script: refusal(401) },
  { name: "402", script: refusal(402) },
  { name: "429, `Retry-After: 1`", script: refusal(429, soon) },
  { name: "500", script: refusal(500) },
  { name: "503, `Retry-After: 1`", script: refusal(503, soon), note: notInContract },
  { name: "connection refused", script: "nobody listens" },
  { name: "connection reset before an answer", script: () => reset, note: maybeBilled },
  { name: "breaks off in the middle, `Content-Length`", script: withLength(hangUp) },
  { name: "breaks off in the middle, chunked", script: half(chunked, hangUp) },
  { name: "breaks off in the middle, no length", script: half({ connection: "close" }, hangUp), note: noDuration },
  { name: "never answers", script: () => silent, endless: true, note: patience },
  { name: "stalls in the middle", script: withLength(silent), endless: true },
  { name: "200 with an HTML page", script: () => respond(200, { "content-type": "text/html" }, html), note: asItCame },
  { name: "200 with an error in JSON", script: refusal(200), note: asItCame },
  { name: "200 with nothing in it", script: ({ headers }) => respond(200, headers), note: asItCame },
  {
    name: "an odd number of bytes of 16-bit audio",
    of: "synthesis",
    script: ({ body, headers }) => respond(200, headers, body.subarray(1)),
    note: asItCame
  },
  {
    name: "64 KiB of gzip that become 64 MiB",
    of: "synthesis",
    script: ({ headers }) => respond(200, { ...headers, "content-encoding": "gzip" }, bomb),
    note: inflated
  },
  {
    name: "a transcript of another shape",
    of: "transcription",
    script: ({ headers }) => respond(200, headers, JSON.stringify({ transcript: { words: [] } }))
  },
  {
    name: "a `Content-Length` that is no number",
    script: ({ body, headers }) =>
      settle(Buffer.concat([Buffer.from(head(200, { ...headers, "content-length": "all of it" })), body]))
  }
]

/** To know that a client gets what is right. */
export const none: Fault = { name: "none", script: ({ body, headers }) => respond(200, headers, body) }

/** After which all is well. */
export const passing: ReadonlyArray<Fault> = [
  { name: "500 once, then the answer", script: refusal(500), times: 1 },
  { name: "429 once with `Retry-After: 1`, then the answer", script: refusal(429, soon), times: 1 },
  { name: "503 once with `Retry-After: 1`, then the answer", script: refusal(503, soon), times: 1, note: notInContract }
]

/** A redirect to another host, which would answer. */
export const redirect: Fault = {
  name: "307 to another host",
  script:
    ({ path }) =>
    (socket, elsewhere) =>
      settle(head(307, { location: `${elsewhere}${path}`, "content-length": "0" }))(socket, elsewhere)
}
