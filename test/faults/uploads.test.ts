import { describe, expect } from "@effect/vitest"
import { type Fault, itEndsAs, type Outcome } from "effect-speech-test-support/faults"
import * as server from "effect-speech-test-support/faultyServer"

const { after, onFirstBytes, readsNothing, reset, respond } = server
type Script = server.Script

const words = JSON.stringify({ status: "error", error: "a summary", message: "the details" })
const upload = (name: string, script: Script, transcribe: Outcome, more: Partial<Fault> = {}): Fault => ({
  name,
  script,
  transcribe,
  large: ["from a file"],
  ...more
})
const everySource = { large: ["from memory", "from a file"] } as const

/** Reads the beginning of the recording and nothing more. */
const readsBeginning = (next: Script = () => undefined) => onFirstBytes(next, "readsNoMore")
const close: Script = (socket) => {
  socket.destroy()
}

/**
 * The client of Node takes the recording as fast as it is read: a sink of `@effect/platform-node` does not wait for the last piece. So the
 * whole recording can count as sent, and the phase as `answer`.
 */
const node = (transcribe: Outcome) => ({ except: { node: { transcribe } } })

describe("a server that gets a recording of 16 MB and", () => {
  // On a slow machine the deadline can pass before the first byte is sent.
  const notAll = { call: { billing: "notBilled", attempts: [{ sent: expect.stringMatching(/^(nothing|part)$/) }] } }
  const late = { _tag: "SttDeadlineExceeded", phase: "upload", limitMillis: 600, ...notAll }
  const lateAtNode = node({ _tag: "SttDeadlineExceeded", phase: expect.stringMatching(/^(upload|answer)$/) })
  const lost = {
    _tag: "SttConnectionFailed",
    reason: "reset",
    sent: "part",
    call: { billing: "notBilled", attempts: [{ sent: "part" }] }
  }
  const lostAtNode = node({ _tag: "SttConnectionFailed", reason: "reset" })
  const deadlines = { uploadIdle: "600 millis", answer: "600 millis" } as const

  itEndsAs([
    upload("reads nothing", readsNothing, late, { ...everySource, deadlines, ...lateAtNode }),
    upload("reads the beginning", readsBeginning(), late, { deadlines, ...lateAtNode }),
    upload("resets the connection at its beginning", readsBeginning(reset), lost, { ...everySource, ...lostAtNode }),
    upload("hangs up at its beginning", readsBeginning(close), lost, lostAtNode)
  ])
})

describe("a server that refuses the key at the beginning of a recording of 16 MB, and", () => {
  const refuse =
    (next?: Script): Script =>
    (socket, elsewhere) => {
      respond(401, { "content-type": "application/json" }, words)(socket, elsewhere)
      // A reset discards what the client has not received yet.
      if (next) after(200, next)(socket, elsewhere)
    }
  const refused = { _tag: "SttUnauthorized", serverError: "a summary", call: { attempts: [{ status: 401 }] } }
  // The client of Node returns a response only after the whole request was read.
  const cutAtNode = node({ _tag: expect.stringMatching(/^Stt(Unauthorized|ConnectionFailed)$/) })

  itEndsAs([
    upload("reads the rest", onFirstBytes(refuse()), refused, everySource),
    upload("reads nothing more", readsBeginning(refuse()), refused, {
      deadlines: { answer: "600 millis" },
      ...node({ _tag: "SttDeadlineExceeded", phase: "answer" })
    }),
    upload("reads nothing more, then hangs up", readsBeginning(refuse(close)), refused, {
      ...cutAtNode,
      ...everySource
    }),
    upload("reads nothing more, then resets the connection", readsBeginning(refuse(reset)), refused, cutAtNode)
  ])
})
