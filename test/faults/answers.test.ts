import { describe, expect } from "@effect/vitest"
import type { Deadlines } from "@effect-speech/transport/Deadlines"
import { type Fault, itEndsAs, type Outcome } from "effect-speech-test-support/faults"
import {
  chunk,
  flood,
  hangUp,
  head,
  onRequest,
  reset,
  respond,
  type Script,
  trickle,
  write
} from "effect-speech-test-support/faultyServer"

const id = { "x-request-id": "received" }
const json = { ...id, "content-type": "application/json" }
const chunked = { ...json, "transfer-encoding": "chunked" }
const words = JSON.stringify({ status: "error", error: "a summary", message: "the details" })
const kilobytes64 = Buffer.alloc(65_536, 32)

const longJson = head(500, { ...json, "content-length": "1000" })
const cutOff = { _tag: "SttConnectionFailed", reason: "cut", sent: "all" }
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
    unreadable500("is HTML", respond(500, { ...id, "content-type": "text/html" }, "<html>Bad Gateway</html>")),
    unreadable500("is empty", respond(500, id)),
    unreadable500("is half of its JSON", respond(500, json, words.slice(0, 20))),
    unreadable500("is JSON of another form", respond(500, json, '{"error":{"error":1},"message":[]}')),
    unreadable500("is JSON 30,000 deep", respond(500, json, "[".repeat(30_000))),
    unreadable500("is not UTF-8", respond(500, json, Buffer.from("7b226572726f72ff", "hex"))),
    unreadable500("has 10 MB", flood(head(500, { ...json, "content-length": "10485760" }), kilobytes64, 160)),
    unreadable500("does not end", flood(head(500, json), kilobytes64)),
    unreadable500("does not end, in chunks", flood(head(500, chunked), chunk(kilobytes64))),
    unreadable500("arrives byte by byte, without an end", trickle(head(500, json), " "), { total: "2 seconds" }),
    unreadable500("does not arrive", write(longJson), idle),
    unreadable500("stops in the middle", write(longJson + words.slice(0, 20)), idle),
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
  const invalid = (problem: string) =>
    ({ _tag: "SttInvalidResponse", problem: expect.stringContaining(problem) }) as const
  const body = (value: unknown) => respond(200, json, typeof value === "string" ? value : JSON.stringify(value))
  const longOk = head(200, { ...json, "content-length": "1000" })
  const failed = { _tag: "SttTranscriptionFailed", serverError: "a summary" }
  const success = { status: "success", text: "नमस्ते", call_id: "call-1" }

  itEndsAs([
    answer("is an error", body({ ...JSON.parse(words), call_id: "call-2" }), {
      ...failed,
      serverMessage: "the details",
      callId: "call-2"
    }),
    answer("is an error without words", body({ status: "error", error: null }), { ...failed, serverError: undefined }),
    answer("has a number as its text", body({ ...success, text: 7 }), invalid("text")),
    answer("has no call id", body({ ...success, call_id: undefined }), invalid("call_id")),
    answer("has another status", body({ ...success, status: "queued" }), invalid("status")),
    answer("is a list", body([success]), invalid("not a JSON object")),
    answer("is null", body(null), invalid("not a JSON object")),
    answer("is HTML", body("<html></html>"), invalid("not JSON")),
    answer("is empty", body(""), invalid("not JSON")),
    answer("is two objects", body(JSON.stringify(success) + JSON.stringify(success)), invalid("not JSON")),
    answer("ends too early, with its connection", write(`${head(200, json)}{"text":"नमस्`, hangUp), invalid("not JSON")),
    answer("stops", write(`${longOk}{`), { _tag: "SttDeadlineExceeded", phase: "download", limitMillis: 400 }, idle),
    answer("is cut", write(`${longOk}{`, hangUp), cutOff),
    answer("is cut within a chunk", write(head(200, chunked) + chunk("{"), hangUp), cutOff),
    answer(
      "is complete, after an early hint",
      (socket, elsewhere) => {
        socket.write("HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n")
        body(success)(socket, elsewhere)
      },
      { text: "नमस्ते", callId: "call-1" }
    )
  ])
})
