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
import { audio, audioHeaders, idOf, isSpeechPath, transcript, transcriptOf } from "../contract.js"

export type Operation = "synthesis" | "transcription"

interface RightResponse {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const json = { "content-type": "application/json" }

/** The right response for a path. */
export const rightResponse = (path: string): RightResponse => {
  if (isSpeechPath(path)) return { path, headers: { ...audioHeaders, "x-request-id": "id" }, body: audio }
  const shape = transcriptOf[path.replace(/^\/v2\/transcript\/.*/, "/v2/transcript")]
  const value = shape?.(transcript) ?? { upload_url: `http://uploads.invalid/${idOf(transcript)}` }
  return { path, headers: json, body: Buffer.from(JSON.stringify(value)) }
}

export interface Fault {
  readonly name: string
  /** What happens instead of the right response. */
  readonly script: "refused" | ((right: RightResponse) => Script)
  /** How often, before the right response. Default: always. */
  readonly times?: number
  /** Default: both operations. */
  readonly of?: Operation
  /** What a reader must know to judge the outcomes. */
  readonly note?: string | { readonly [Name in Operation]?: string }
}

const halfOf = ({ body }: RightResponse) => body.subarray(0, body.byteLength / 2)

/** An error in a form that each of the services could send. */
const refusal = (status: number, headers: Readonly<Record<string, string>> = {}) => {
  const words = { status: "error", error: "refused", message: "refused" }
  return () => respond(status, { ...json, ...headers }, JSON.stringify(words))
}

/** The right head, and then half of the body. */
const half =
  (framing: Readonly<Record<string, string>>, next: Script) =>
  (right: RightResponse): Script => {
    const bytes = "transfer-encoding" in framing ? chunk(halfOf(right)) : halfOf(right)
    return write(Buffer.concat([Buffer.from(head(200, { ...right.headers, ...framing })), bytes]), next)
  }

const withLength = (next: Script) => (right: RightResponse) =>
  half({ "content-length": `${right.body.byteLength}` }, next)(right)

const soon = { "retry-after": "1" }
const chunked = { "transfer-encoding": "chunked" }
const html = "<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>"
const noDuration = {
  synthesis:
    "HTTP does not show this. The speech service states the duration of its audio in a header, which ours checks. The " +
    "other services have no such header."
}
const asItCame = {
  synthesis:
    "The other clients return what came with a 200. Their caller must check its type, length and bytes. The bare " +
    "`HttpClient` here checks the headers."
}
const inflated =
  "`fetch` and the clients on it accept gzip, and decompress each response. A bare `HttpClient` and undici return the gzip."
const maybeBilled =
  "The server had the whole request, so a second one may be billed too: ours retries only with `retryAmbiguous`."
const timeouts =
  "Timeouts for a response, by their documents or sources: ours ten minutes for a synthesis and an hour for a " +
  "transcription, a bare `HttpClient` over this layer an hour, `openai` ten minutes, `@elevenlabs/elevenlabs-js` four, " +
  "`@deepgram/sdk` and `@cartesia/cartesia-js` one, and five if `fetch` or undici decides."

/** 64 MiB in 64 KiB. */
const bomb = gzipSync(Buffer.alloc(2 ** 26, 1))

export const faults: ReadonlyArray<Fault> = [
  { name: "401", script: refusal(401) },
  { name: "402", script: refusal(402) },
  { name: "429, `Retry-After: 1`", script: refusal(429, soon) },
  { name: "500", script: refusal(500) },
  { name: "503, `Retry-After: 1`", script: refusal(503, soon) },
  { name: "connection refused", script: "refused" },
  { name: "connection reset before a response", script: () => reset, note: maybeBilled },
  { name: "breaks off in the middle, `Content-Length`", script: withLength(hangUp) },
  { name: "breaks off in the middle, chunked", script: half(chunked, hangUp) },
  { name: "breaks off in the middle, no length", script: half({ connection: "close" }, hangUp), note: noDuration },
  { name: "never responds", script: () => silent, note: timeouts },
  { name: "stalls in the middle", script: withLength(silent) },
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

/** To show that a client gets the right response. */
export const none: Fault = { name: "none", script: ({ body, headers }) => respond(200, headers, body) }

/** Faults that pass. */
export const passing: ReadonlyArray<Fault> = [
  { name: "500 once, then the response", script: refusal(500), times: 1 },
  { name: "429 once with `Retry-After: 1`, then the response", script: refusal(429, soon), times: 1 },
  { name: "503 once with `Retry-After: 1`, then the response", script: refusal(503, soon), times: 1 }
]

/** A redirect to another host, which would respond. */
export const redirect: Fault = {
  name: "307 to another host",
  script:
    ({ path }) =>
    (socket, elsewhere) =>
      settle(head(307, { location: `${elsewhere}${path}`, "content-length": "0" }))(socket, elsewhere)
}
