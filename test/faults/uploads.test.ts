import { describe, expect } from "@effect/vitest"
import { type Fault, itEndsAs } from "../support/faults.js"
import {
  after,
  hangUp,
  onFirstBytes,
  onRequest,
  readsNothing,
  reset,
  respond,
  type Script,
  silent
} from "../support/faultyServer.js"

const words = JSON.stringify({ status: "error", error: "a summary", message: "the details" })
const upload = (fault: Omit<Fault, "synthesize">): Fault => ({ large: ["from a file"], ...fault })
const everySource = { large: ["from memory", "from a file"] } as const

/**
 * The client of Node takes the recording as fast as it is read: a sink of `@effect/platform-node` does not wait for the last piece. So the
 * whole recording can count as sent, and the phase as `answer`.
 */
const node = (instead: NonNullable<Fault["transcribe"]>): Fault["except"] => ({
  node: { transcribe: instead }
})

const deadlines = { uploadIdle: "500 millis", answer: "500 millis" } as const

describe("a server that gets a recording of 16 MB and", () => {
  // On a slow machine the deadline can pass before the first byte is sent.
  const notAll = { call: { billing: "notBilled", attempts: [{ sent: expect.stringMatching(/^(nothing|part)$/) }] } }
  const late = { _tag: "SttDeadlineExceeded", phase: "upload", limitMillis: 500, ...notAll }
  const part = { call: { billing: "notBilled", attempts: [{ sent: "part" }] } }
  const lost = { _tag: "SttConnectionFailed", reason: "reset", sent: "part", ...part }

  itEndsAs([
    upload({
      name: "reads nothing",
      ...everySource,
      script: readsNothing,
      deadlines,
      transcribe: late,
      except: node({ _tag: "SttDeadlineExceeded", phase: expect.stringMatching(/^(upload|answer)$/) })
    }),
    upload({
      name: "reads the beginning",
      script: onFirstBytes(() => undefined, "readsNoMore"),
      deadlines,
      transcribe: late,
      except: node({ _tag: "SttDeadlineExceeded", phase: expect.stringMatching(/^(upload|answer)$/) })
    }),
    upload({
      name: "reads the beginning, until the total deadline",
      script: onFirstBytes(() => undefined, "readsNoMore"),
      deadlines: { total: "500 millis" },
      transcribe: { ...late, phase: "total" },
      except: node({ _tag: "SttDeadlineExceeded", phase: "total" })
    }),
    upload({
      name: "reads everything and sends nothing",
      script: silent,
      deadlines: { answer: "500 millis" },
      transcribe: { ...late, phase: "answer", call: { billing: "unknown", attempts: [{ sent: "all" }] } }
    }),
    upload({
      name: "resets the connection at its beginning",
      ...everySource,
      script: onFirstBytes(reset, "readsNoMore"),
      transcribe: lost,
      except: node({ _tag: "SttConnectionFailed", reason: "reset" })
    }),
    upload({
      name: "hangs up at its beginning",
      script: onFirstBytes((socket) => socket.destroy(), "readsNoMore"),
      transcribe: lost,
      except: node({ _tag: "SttConnectionFailed", reason: "reset" })
    }),
    upload({
      name: "resets the connection at its end",
      script: onRequest(reset),
      transcribe: { ...lost, sent: "all", call: { billing: "unknown", attempts: [{ sent: "all" }] } }
    })
  ])
})

describe("a server that refuses the key at the beginning of a recording of 16 MB, and", () => {
  const answer =
    (next?: Script): Script =>
    (socket, elsewhere) => {
      respond(401, { "content-type": "application/json" }, words)(socket, elsewhere)
      // A reset discards what the client has not received yet.
      if (next) after(200, next)(socket, elsewhere)
    }
  const close: Script = (socket) => {
    socket.destroy()
  }
  const refused = (name: string, script: Script, other: Pick<Fault, "deadlines" | "except" | "large"> = {}): Fault =>
    upload({
      name,
      script,
      transcribe: { _tag: "SttUnauthorized", serverError: "a summary", call: { attempts: [{ status: 401 }] } },
      ...other
    })
  // The client of Node returns a response only after the whole request was read.
  const whenCut = { except: node({ _tag: expect.stringMatching(/^Stt(Unauthorized|ConnectionFailed)$/) }) }

  itEndsAs([
    refused("reads the rest", onFirstBytes(answer()), everySource),
    refused("reads the rest, then hangs up", onFirstBytes(answer(hangUp))),
    refused("reads nothing more", onFirstBytes(answer(), "readsNoMore"), {
      deadlines: { answer: "500 millis" },
      except: node({ _tag: "SttDeadlineExceeded", phase: "answer" })
    }),
    refused("reads nothing more, then hangs up", onFirstBytes(answer(close), "readsNoMore"), {
      ...whenCut,
      ...everySource
    }),
    refused("reads nothing more, then resets the connection", onFirstBytes(answer(reset), "readsNoMore"), whenCut),
    refused("reads everything", onRequest(answer()))
  ])
})
