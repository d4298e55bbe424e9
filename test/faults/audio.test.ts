import { gzipSync } from "node:zlib"
import { describe, expect } from "@effect/vitest"
import type { Deadlines } from "@effect-speech/transport/Deadlines"
import { type Fault, itEndsAs, type Outcome, sentId } from "../support/faults.js"
import {
  chunk,
  flood,
  hangUp,
  head,
  onRequest,
  reset,
  respond,
  type Script,
  settle,
  trickle,
  write
} from "../support/faultyServer.js"

/** A quarter of a second. */
const pcm16 = Buffer.from(Int16Array.from({ length: 2000 }, (_, index) => index).buffer)
const notANumber = Buffer.from(
  Float32Array.from({ length: 2000 }, (_, index) => (index === 1000 ? Number.NaN : 0)).buffer
)
const usual = {
  "content-type": "application/octet-stream",
  "x-sample-rate": "8000",
  "x-encoding": "pcm16",
  "x-audio-duration-ms": "250",
  "x-request-id": "received"
}

/** Two members of gzip, so that the length is even. */
const compressed = Buffer.concat([gzipSync(pcm16.subarray(0, 2000)), gzipSync(pcm16.subarray(2000))])
const gzip = { ...usual, "content-encoding": "gzip" }
const chunked = { ...usual, "transfer-encoding": "chunked" }
const length = { ...usual, "content-length": "4000" }
const half = pcm16.subarray(0, 2000)

const audio = (name: string, script: Script, synthesize: Outcome, deadlines: Deadlines = {}): Fault => ({
  name,
  script: onRequest(script),
  deadlines,
  synthesize: {
    call: { receivedId: "received", billing: "billed", attempts: [{ status: 200, sent: "all" }] },
    ...synthesize
  }
})

/** A fault that shows only in the body. */
const body = (...fault: Parameters<typeof audio>): Fault => ({ ...audio(...fault), streamed: "at once" })

const corrupt = (problem: string) => ({ _tag: "TtsCorruptAudio", problem: expect.stringContaining(problem) }) as const

/** A fault that is found before the end. The rest is not read, so it may not be billed. */
const foundEarly = (problem: string) =>
  ({
    ...corrupt(problem),
    call: { receivedId: "received", billing: "unknown", attempts: [{ status: 200, sent: "all" }] }
  }) as const

const unusable = (problem: string) =>
  ({
    _tag: "TtsInvalidResponse",
    problem: expect.stringContaining(problem),
    call: { receivedId: "received", billing: "unknown", attempts: [{ status: 200 }] }
  }) as const

const cut = {
  _tag: "TtsConnectionFailed",
  reason: "cut",
  sent: "all",
  call: { receivedId: "received", billing: "unknown", attempts: [{ status: 200 }] }
} as const

const inChunks = (...parts: ReadonlyArray<Uint8Array | string>) =>
  Buffer.concat([Buffer.from(head(200, chunked)), ...parts.map(chunk)])
const end = Buffer.from("0\r\n\r\n")

describe.concurrent("a server that answers a text with audio that", () => {
  itEndsAs([
    audio("has an odd number of bytes", respond(200, usual, pcm16.subarray(1)), foundEarly("not a multiple")),
    body(
      "has an odd number of bytes, in chunks",
      settle(Buffer.concat([inChunks(pcm16.subarray(1)), end])),
      corrupt("not a multiple")
    ),
    audio(
      "ends in the middle of a float",
      respond(200, { ...usual, "x-encoding": "float32" }, pcm16.subarray(2)),
      foundEarly("not a multiple")
    ),
    audio("is empty", respond(200, usual), foundEarly("empty")),
    body("is empty and chunked", settle(Buffer.concat([inChunks(), end])), corrupt("empty")),
    audio("is empty and announces 0 ms", respond(200, { ...usual, "x-audio-duration-ms": "0" }), foundEarly("empty")),
    audio(
      "is 2 ms shorter than announced",
      respond(200, { ...usual, "x-audio-duration-ms": "252" }, pcm16),
      foundEarly("252 ms were announced")
    ),
    audio(
      "is 2 ms longer than announced",
      respond(200, { ...usual, "x-audio-duration-ms": "248" }, pcm16),
      foundEarly("248 ms were announced")
    ),
    audio(
      "is 1 ms shorter than announced, by rounding",
      respond(200, { ...usual, "x-audio-duration-ms": "251.1" }, pcm16),
      { durationMillis: 251.1 }
    ),
    audio(
      "has another rate than announced",
      respond(200, { ...usual, "x-sample-rate": "16000" }, pcm16),
      foundEarly("125.0 ms")
    ),
    audio(
      "has another encoding than announced",
      respond(200, { ...usual, "x-encoding": "float32" }, pcm16),
      foundEarly("125.0 ms")
    ),
    body("contains NaN", respond(200, { ...usual, "x-encoding": "float32" }, notANumber), foundEarly("not numbers")),
    body(
      "ends too early, with its connection",
      write(Buffer.concat([Buffer.from(head(200, usual)), half]), hangUp),
      corrupt("250 ms were announced")
    ),
    {
      ...body("is compressed", respond(200, gzip, compressed), corrupt("250 ms were announced")),
      // Only fetch asks for compression, and decodes it.
      except: { fetch: { synthesize: { durationMillis: 250, requestId: "received" } } }
    },
    body("announces no duration", respond(200, { ...usual, "x-audio-duration-ms": undefined }, pcm16), {
      requestId: "received"
    }),
    audio("announces a duration that is no number", respond(200, { ...usual, "x-audio-duration-ms": "soon" }, pcm16), {
      requestId: "received"
    }),
    audio("has no request id", respond(200, { ...usual, "x-request-id": undefined }, pcm16), {
      requestId: sentId,
      durationMillis: 250,
      call: { sentId, receivedId: undefined }
    })
  ])
})

describe.concurrent("a server that answers a text with a 200 that", () => {
  itEndsAs([
    audio(
      "has two rates",
      respond(200, { ...usual, "x-sample-rate": ["8000", "16000"] }, pcm16),
      unusable("x-sample-rate")
    ),
    audio(
      "has its rate twice",
      respond(200, { ...usual, "x-sample-rate": ["8000", "8000"] }, pcm16),
      unusable("x-sample-rate")
    ),
    audio("has no rate", respond(200, { ...usual, "x-sample-rate": undefined }, pcm16), unusable("x-sample-rate")),
    audio("has an empty rate", respond(200, { ...usual, "x-sample-rate": "" }, pcm16), unusable("x-sample-rate")),
    audio("has a rate of 0", respond(200, { ...usual, "x-sample-rate": "0" }, pcm16), unusable("x-sample-rate")),
    audio("has no encoding", respond(200, { ...usual, "x-encoding": undefined }, pcm16), unusable("x-encoding")),
    audio(
      "has two encodings",
      respond(200, { ...usual, "x-encoding": ["pcm16", "float32"] }, pcm16),
      unusable("x-encoding")
    ),
    audio(
      "is JSON",
      respond(200, { ...usual, "content-type": "application/json" }, '{"error":"oops"}'),
      unusable("application/json")
    ),
    audio(
      "is JSON without a content type",
      respond(200, { "x-request-id": "received" }, '{"error":"oops"}'),
      unusable("x-sample-rate")
    ),
    audio(
      "is HTML",
      respond(200, { ...usual, "content-type": "text/html; charset=utf-8" }, "<html></html>"),
      unusable("text/html")
    ),
    body("is cut", write(Buffer.concat([Buffer.from(head(200, length)), half]), hangUp), cut),
    body("is cut before its first byte", write(head(200, length), hangUp), cut),
    body("is cut by a reset", write(Buffer.concat([Buffer.from(head(200, length)), half]), reset), cut),
    {
      ...audio("is cut before it is read", write(Buffer.concat([Buffer.from(head(200, length)), half]), hangUp), cut),
      streamed: "late"
    },
    body("is cut between chunks", write(inChunks(half), hangUp), cut),
    body("is cut within a chunk", write(inChunks(half).subarray(0, -1000), hangUp), cut),
    body("has a chunk without a size", write(Buffer.concat([inChunks(half), Buffer.from("nonsense\r\n")])), cut),
    body(
      "stops",
      write(Buffer.concat([Buffer.from(head(200, length)), half])),
      {
        _tag: "TtsDeadlineExceeded",
        phase: "download",
        limitMillis: 400,
        call: { receivedId: "received", billing: "unknown" }
      },
      { downloadIdle: "400 millis" }
    ),
    body(
      "arrives too slowly",
      trickle(head(200, length), Uint8Array.of(0, 0)),
      {
        _tag: "TtsDeadlineExceeded",
        phase: "total",
        limitMillis: 1000,
        call: { receivedId: "received", billing: "unknown" }
      },
      { total: "1 second" }
    )
  ])
})

describe.concurrent("a server that answers a text with audio that goes on", () => {
  itEndsAs([
    {
      ...audio("while nobody reads it", flood(head(200, usual), pcm16), {
        requestId: "received",
        byteLength: undefined,
        call: { receivedId: "received", billing: "unknown", attempts: [{ status: 200, sent: "all" }] }
      }),
      streamed: "never"
    }
  ])
})

describe.concurrent("a server that answers a text with audio that, as it should not,", () => {
  itEndsAs([
    body("goes on for ever", flood(head(200, usual), pcm16), foundEarly("250 ms were announced"), {
      total: "4 seconds"
    }),
    // Fetch inflates it and the others don't, so without a duration nothing tells what it is.
    body(
      "is compressed, and has no duration",
      respond(200, { ...gzip, "x-audio-duration-ms": undefined }, compressed),
      unusable("compressed")
    )
  ])
})
