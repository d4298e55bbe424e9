import { gzipSync } from "node:zlib"
import { describe, expect } from "@effect/vitest"
import type { Deadlines } from "@effect-speech/transport/Deadlines"
import { type Fault, itEndsAs, type Outcome } from "effect-speech-test-support/faults"
import * as server from "effect-speech-test-support/faultyServer"

const { chunk, flood, hangUp, head, onRequest, reset, respond, settle, trickle, write } = server
type Script = server.Script

/** A quarter of a second. */
const pcm16 = Buffer.from(Int16Array.from({ length: 2000 }, (_, index) => index).buffer)
const half = pcm16.subarray(0, 2000)
const float32 = { "x-encoding": "float32" }
const nanSamples = Buffer.from(Float32Array.from({ length: 2000 }, (_, index) => (index === 1000 ? NaN : 0)).buffer)
const usual = {
  "content-type": "application/octet-stream",
  "x-sample-rate": "8000",
  "x-encoding": "pcm16",
  "x-audio-duration-ms": "250",
  "x-request-id": "received"
}
/** Two members of gzip, so that the length is even. */
const compressed = Buffer.concat([gzipSync(half), gzipSync(pcm16.subarray(2000))])
const gzip = { "content-encoding": "gzip" }

/** A complete 200. These headers replace the usual ones. */
const complete = (headers: Parameters<typeof head>[1], bytes: Uint8Array | string = pcm16) =>
  respond(200, { ...usual, ...headers }, bytes)

const headWithLength = head(200, { ...usual, "content-length": "4000" })
/** Half of the announced bytes. */
const halfOf = (next?: Script) => write(Buffer.concat([Buffer.from(headWithLength), half]), next)

const inChunks = (...parts: ReadonlyArray<Uint8Array>) =>
  Buffer.concat([Buffer.from(head(200, { ...usual, "transfer-encoding": "chunked" })), ...parts.map(chunk)])
const lastChunk = Buffer.from("0\r\n\r\n")

/** The facts of a call whose audio is read to its end. */
const billed = { receivedId: "received", billing: "billed", attempts: [{ status: 200, sent: "all" }] }
/** The audio is not read to its end, or nothing shows that it is complete. */
const mayBeBilled = { ...billed, billing: "unknown" }

const audio = (name: string, script: Script, synthesize: Outcome, deadlines: Deadlines = {}): Fault => ({
  name,
  script: onRequest(script),
  deadlines,
  synthesize: { call: billed, ...synthesize }
})

/** A fault that shows only in the body. */
const body = (...fault: Parameters<typeof audio>): Fault => ({ ...audio(...fault), streamed: "at once" })

const fails = (tag: string, problem: string, call: object): Outcome => ({
  _tag: tag,
  problem: expect.stringContaining(problem),
  call
})
const corrupt = (problem: string) => fails("TtsCorruptAudio", problem, mayBeBilled)
const unusable = (problem: string) =>
  fails("TtsInvalidResponse", problem, { ...mayBeBilled, attempts: [{ status: 200 }] })
const cut = { _tag: "TtsConnectionFailed", reason: "cut", sent: "all", call: mayBeBilled } as const
const late = (phase: string, limitMillis: number) => ({
  _tag: "TtsDeadlineExceeded",
  phase,
  limitMillis,
  call: { receivedId: "received", billing: "unknown" }
})

describe.concurrent("a server that responds to a text with audio that", () => {
  itEndsAs([
    audio("has an odd number of bytes", complete({}, pcm16.subarray(1)), corrupt("not a multiple")),
    body("is empty and chunked", settle(Buffer.concat([inChunks(), lastChunk])), corrupt("empty")),
    audio("has another rate than announced", complete({ "x-sample-rate": "16000" }), corrupt("125.0 ms")),
    body("contains NaN", complete(float32, nanSamples), corrupt("NaN")),
    body(
      "ends with its connection and states no duration",
      write(Buffer.concat([Buffer.from(head(200, { ...usual, "x-audio-duration-ms": undefined })), half]), hangUp),
      { requestId: "received", call: mayBeBilled }
    ),
    body(
      "ends too early, with its connection",
      write(Buffer.concat([Buffer.from(head(200, usual)), half]), hangUp),
      corrupt("250 ms were announced")
    ),
    {
      ...body(
        "is compressed",
        complete(gzip, compressed),
        corrupt("250 ms were announced; the response is compressed, which was not asked for")
      ),
      // Only fetch asks for compression, and decodes it.
      except: { fetch: { synthesize: { durationMillis: 250, requestId: "received" } } }
    },
    // Fetch decodes it and the others do not. Without a duration, the bytes could be either.
    body(
      "is compressed, and has no duration",
      complete({ ...gzip, "x-audio-duration-ms": undefined }, compressed),
      unusable("compressed")
    ),
    {
      ...audio("does not end, and is not read", flood(head(200, usual), pcm16), {
        requestId: "received",
        byteLength: undefined,
        call: mayBeBilled
      }),
      streamed: "never"
    },
    body("does not end", flood(head(200, usual), pcm16), corrupt("250 ms were announced"), { total: "4 seconds" })
  ])
})

describe.concurrent("a server that responds to a text with a 200 that", () => {
  itEndsAs([
    audio("has two rates", complete({ "x-sample-rate": ["8000", "16000"] }), unusable("x-sample-rate")),
    audio("has two encodings", complete({ "x-encoding": ["pcm16", "float32"] }), unusable("x-encoding")),
    body("is cut", halfOf(hangUp), cut),
    body("is cut before its first byte", write(headWithLength, hangUp), cut),
    body("is cut by a reset", halfOf(reset), cut),
    { ...audio("is cut before it is read", halfOf(hangUp), cut), streamed: "late" },
    body("is cut between chunks", write(inChunks(half), hangUp), cut),
    body("is cut within a chunk", write(inChunks(half).subarray(0, -1000), hangUp), cut),
    body("has a chunk without a size", write(Buffer.concat([inChunks(half), Buffer.from("nonsense\r\n")])), cut),
    body("stops", halfOf(), late("download", 400), { downloadIdle: "400 millis" }),
    body("arrives too slowly", trickle(headWithLength, Uint8Array.of(0, 0)), late("total", 1000), { total: "1 second" })
  ])
})
