import { gzipSync } from "node:zlib"
import { describe, expect } from "@effect/vitest"
import { itEndsWithinMemory } from "effect-speech-test-support/faults"
import { flood, head, onRequest, respond } from "effect-speech-test-support/faultyServer"

const audio = {
  "x-sample-rate": "8000",
  "x-encoding": "pcm16",
  "x-audio-duration-ms": "250",
  "x-request-id": "received"
}
const json = { "x-request-id": "received", "content-type": "application/json" }

/** 100 MB in 100 kB: gzip can have many members. */
const bomb = Buffer.concat(Array<Buffer>(100).fill(gzipSync(Buffer.alloc(1_000_000, 32))))
const gzip = { "content-encoding": "gzip" }

describe("a server that answers with", () => {
  itEndsWithinMemory(64, [
    {
      name: "an error of 100 MB in 100 kB of gzip",
      script: onRequest(respond(500, { ...json, ...gzip }, bomb)),
      transcribe: { _tag: "SttServerError", serverError: undefined },
      synthesize: { _tag: "TtsServerError", serverMessage: undefined, call: { receivedId: "received" } }
    }
  ])
  itEndsWithinMemory(320, [
    {
      name: "a transcript of 100 MB in 100 kB of gzip",
      script: onRequest(respond(200, { ...json, ...gzip }, bomb)),
      // Only fetch decodes a compressed body.
      transcribe: { _tag: "SttInvalidResponse", problem: expect.stringMatching(/not (a )?JSON/) },
      except: { fetch: { transcribe: { _tag: "SttInvalidResponse", problem: expect.stringContaining("longer than") } } }
    },
    {
      name: "a transcript without an end",
      // This is slow. The test above covers fetch; `recommended` covers undici.
      over: ["recommended", "node"],
      script: onRequest(flood(head(200, json), Buffer.alloc(65_536, 32))),
      transcribe: { _tag: "SttInvalidResponse", problem: expect.stringContaining("longer than") }
    },
    {
      name: "100 MB of audio in 100 kB of gzip",
      script: onRequest(respond(200, { ...audio, ...gzip }, bomb)),
      synthesize: {
        _tag: "TtsCorruptAudio",
        problem: expect.stringContaining("250 ms were announced"),
        call: { billing: "unknown" }
      }
    }
  ])
})
