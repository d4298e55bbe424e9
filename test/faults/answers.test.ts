import { describe } from "@effect/vitest"
import type { Deadlines } from "@effect-speech/transport/Deadlines"
import { type Fault, itEndsAs, type Outcome } from "effect-speech-test-support/faults"
import * as server from "effect-speech-test-support/faultyServer"

const { chunk, flood, hangUp, head, onRequest, reset, respond, trickle, write } = server
type Script = server.Script

const id = { "x-request-id": "received" }
const json = { ...id, "content-type": "application/json" }
const chunked = { ...json, "transfer-encoding": "chunked" }
const kilobytes64 = Buffer.alloc(65_536, 32)
const longJson = head(500, { ...json, "content-length": "1000" })
const idle = { downloadIdle: "400 millis" } as const

/** A 500 is reported by its status, whatever its body is. */
const unreadable500 = (name: string, script: Script, deadlines: Deadlines = {}): Fault => ({
  name,
  script: onRequest(script),
  deadlines,
  transcribe: {
    _tag: "SttServerError",
    serverError: undefined,
    call: { billing: "unknown", attempts: [{ status: 500 }] }
  },
  synthesize: {
    _tag: "TtsServerError",
    serverMessage: undefined,
    call: { receivedId: "received", billing: "notBilled", attempts: [{ status: 500 }] }
  }
})

describe.concurrent("a server that fails, with a body that", () => {
  itEndsAs([
    unreadable500("is empty", respond(500, id)),
    unreadable500("is JSON of another form", respond(500, json, '{"error":{"error":1},"message":[]}')),
    unreadable500("is JSON 30,000 deep", respond(500, json, "[".repeat(30_000))),
    unreadable500("is not UTF-8", respond(500, json, Buffer.from("7b226572726f72ff", "hex"))),
    unreadable500("has 10 MB", flood(head(500, { ...json, "content-length": "10485760" }), kilobytes64, 160)),
    unreadable500("does not end", flood(head(500, json), kilobytes64)),
    unreadable500("does not end, in chunks", flood(head(500, chunked), chunk(kilobytes64))),
    unreadable500("arrives byte by byte, without an end", trickle(head(500, json), " "), { total: "2 seconds" }),
    unreadable500("stops in the middle", write(`${longJson}{"error":"a`), idle),
    unreadable500("is cut", write(`${longJson}{"error":"a`, hangUp)),
    unreadable500("is cut by a reset", write(`${longJson}{"error":"a`, reset)),
    unreadable500("is cut within a chunk", write(head(500, chunked) + chunk('{"error'), hangUp)),
    unreadable500("has a chunk without a size", write(`${head(500, chunked)}nonsense\r\n`)),
    unreadable500("claims to be gzip", respond(500, { ...json, "content-encoding": "gzip" }, "not gzip"))
  ])
})

describe.concurrent("a server that responds to a recording with a 200 that", () => {
  const answer = (name: string, script: Script, transcribe: Outcome, deadlines: Deadlines = {}): Fault => ({
    name,
    script: onRequest(script),
    deadlines,
    transcribe: { call: { billing: "unknown", attempts: [{ status: 200, sent: "all" }] }, ...transcribe }
  })
  const halfOfJson = { _tag: "SttInvalidResponse", problem: "its JSON is cut off" }
  const cutOff = { _tag: "SttConnectionFailed", reason: "cut", sent: "all" }
  const longOk = head(200, { ...json, "content-length": "1000" })
  const success = JSON.stringify({ status: "success", text: "नमस्ते", call_id: "call-1" })

  itEndsAs([
    answer("ends too early, with its connection", write(`${head(200, json)}{"text":"नमस्`, hangUp), halfOfJson),
    answer("stops", write(`${longOk}{`), { _tag: "SttDeadlineExceeded", phase: "download", limitMillis: 400 }, idle),
    answer("is cut", write(`${longOk}{`, hangUp), cutOff),
    answer("is cut within a chunk", write(head(200, chunked) + chunk("{"), hangUp), cutOff),
    answer(
      "is complete, after an early hint",
      write("HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n", respond(200, json, success)),
      { text: "नमस्ते", callId: "call-1" }
    )
  ])
})

describe.concurrent("a server that redirects to another origin, with", () => {
  // A redirect is an error for fetch, so that it keeps no copy of the recording. That hides the status.
  const hidden = { _tag: "SttConnectionFailed", reason: "unknown", sent: "all", call: { billing: "unknown" } }
  itEndsAs(
    [302, 307].map((status) => ({
      name: `${status}`,
      script: onRequest(respond(status, { ...id, location: "elsewhere" })),
      transcribe: { _tag: "SttUnexpectedStatus", status, call: { billing: "unknown", attempts: [{ status }] } },
      synthesize: {
        _tag: "TtsUnexpectedStatus",
        status,
        call: { receivedId: "received", billing: "notBilled", attempts: [{ status }] }
      },
      except: { fetch: { transcribe: hidden } }
    }))
  )
})
