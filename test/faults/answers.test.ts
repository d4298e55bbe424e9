import { describe, expect } from "@effect/vitest"
import type { Deadlines } from "@effect-speech/transport/Deadlines"
import { type Fault, itEndsAsTold, type Outcome } from "../support/faults.js"
import {
  chunk,
  flood,
  hangUp,
  head,
  reset,
  respond,
  type Script,
  trickle,
  whenAsked,
  write
} from "../support/faultyServer.js"

const id = { "x-request-id": "received" }
const json = { ...id, "content-type": "application/json" }
const chunked = { ...json, "transfer-encoding": "chunked" }
const words = JSON.stringify({ status: "error", error: "a summary", message: "the details" })
const kilobytes64 = Buffer.alloc(65_536, 32)

const idle = { downloadIdle: "400 millis" } as const

/** A 500 is told by its status, whatever its body does. */
const mute = (name: string, script: Script, deadlines: Deadlines = {}): Fault => ({
  name,
  script: whenAsked(script),
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
  itEndsAsTold([
    mute("is HTML", respond(500, { ...id, "content-type": "text/html" }, "<html>Bad Gateway</html>")),
    mute("is empty", respond(500, id)),
    mute("is half of its JSON", respond(500, json, words.slice(0, 20))),
    mute("is JSON of another form", respond(500, json, '{"error":{"error":1},"message":[]}')),
    mute("is JSON 30,000 deep", respond(500, json, "[".repeat(30_000))),
    mute("is not UTF-8", respond(500, json, Buffer.from("7b226572726f72ff", "hex"))),
    mute("has 10 MB", flood(head(500, { ...json, "content-length": "10485760" }), kilobytes64, 160)),
    mute("does not end", flood(head(500, json), kilobytes64)),
    mute("does not end, in chunks", flood(head(500, chunked), chunk(kilobytes64))),
    mute("comes byte by byte, without an end", trickle(head(500, json), " "), { total: "2 seconds" }),
    mute("does not come", write(head(500, { ...json, "content-length": "10" })), idle),
    mute(
      "stops half-way",
      write(head(500, { ...json, "content-length": String(words.length) }) + words.slice(0, 20)),
      idle
    ),
    mute("is cut", write(`${head(500, { ...json, "content-length": "1000" })}{"error":"a`, hangUp)),
    mute("is cut by a reset", write(`${head(500, { ...json, "content-length": "1000" })}{"error":"a`, reset)),
    mute("is cut within a chunk", write(Buffer.concat([Buffer.from(head(500, chunked)), chunk('{"error')]), hangUp)),
    mute("has a chunk of no size", write(`${head(500, chunked)}nonsense\r\n`)),
    mute("says that it is gzip, and is not", respond(500, { ...json, "content-encoding": "gzip" }, "not gzip"))
  ])
})

describe.concurrent("a server that answers a recording with a 200 that", () => {
  const answer = (name: string, script: Script, transcribe: Outcome, deadlines: Deadlines = {}): Fault => ({
    name,
    script: whenAsked(script),
    deadlines,
    transcribe: { call: { billing: "unknown", attempts: [{ status: 200, sent: "all" }] }, ...transcribe }
  })
  const unreadable = (problem: string) =>
    ({ _tag: "SttInvalidResponse", problem: expect.stringContaining(problem) }) as const
  const body = (value: unknown) => respond(200, json, typeof value === "string" ? value : JSON.stringify(value))
  const success = { status: "success", text: "नमस्ते", call_id: "call-1" }

  itEndsAsTold([
    answer("is an error", body({ status: "error", error: "a summary", message: "the details", call_id: "call-2" }), {
      _tag: "SttTranscriptionFailed",
      serverError: "a summary",
      serverMessage: "the details",
      callId: "call-2"
    }),
    answer("is an error of which it says nothing", body({ status: "error", error: null }), {
      _tag: "SttTranscriptionFailed",
      serverError: undefined
    }),
    answer("has a number for a text", body({ ...success, text: 7 }), unreadable("text")),
    answer("has no call id", body({ ...success, call_id: undefined }), unreadable("call_id")),
    answer("has another status", body({ ...success, status: "queued" }), unreadable("status")),
    answer("is a list", body([success]), unreadable("status")),
    answer("is null", body(null), unreadable("not a JSON object")),
    answer("is HTML", body("<html></html>"), unreadable("not JSON")),
    answer("is empty", body(""), unreadable("not JSON")),
    answer("is two", body(JSON.stringify(success) + JSON.stringify(success)), unreadable("not JSON")),
    answer("ends early with its connection", write(`${head(200, json)}{"text":"नमस्`, hangUp), unreadable("not JSON")),
    answer(
      "stops",
      write(`${head(200, { ...json, "content-length": "1000" })}{`),
      {
        _tag: "SttDeadlineExceeded",
        phase: "download",
        limitMillis: 400
      },
      idle
    ),
    answer("is cut", write(`${head(200, { ...json, "content-length": "1000" })}{`, hangUp), {
      _tag: "SttConnectionFailed",
      reason: "cut",
      sent: "all"
    }),
    answer("is cut within a chunk", write(Buffer.concat([Buffer.from(head(200, chunked)), chunk("{")]), hangUp), {
      _tag: "SttConnectionFailed",
      reason: "cut",
      sent: "all"
    }),
    answer(
      "is whole, after an early hint",
      (socket, elsewhere) => {
        socket.write("HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n")
        body(success)(socket, elsewhere)
      },
      { text: "नमस्ते", callId: "call-1" }
    )
  ])
})
