import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Fault, itEndsAs, type Outcome } from "effect-speech-test-support/faults"
import * as server from "effect-speech-test-support/faultyServer"
import { refusedAddress } from "effect-speech-test-support/refusedAddress"

const { hangUp, head, onFirstBytes, onRequest, readsNothing, reset, respond, silent, slowly, trickle, write } = server
type Script = server.Script

type Outcomes = Pick<Fault, "transcribe" | "synthesize">

const bothEnd = (tag: string, facts: Outcome): Outcomes => ({
  transcribe: { _tag: `Stt${tag}`, ...facts },
  synthesize: { _tag: `Tts${tag}`, ...facts }
})
const lost = (facts: Outcome) => bothEnd("ConnectionFailed", facts)
const late = (facts: Outcome) => bothEnd("DeadlineExceeded", facts)
const afterAll = { sent: "all", call: { billing: "unknown", attempts: [{ sent: "all" }] } }
const beforeAny = { sent: "nothing", call: { billing: "notBilled", attempts: [{ sent: "nothing" }] } }
const overHttps: Fault["baseUrl"] = ({ host }) => Effect.succeed(`https://${host}`)

describe.concurrent("a server that", () => {
  const fault = (name: string, script: Script, ends: Outcomes): Fault => ({ name, script, ...ends })
  const beginning = "HTTP/1.1 200 OK\r\nx-sample"
  const unasked = "HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n"
  const teapot = respond(418)
  const shortTeapot = "HTTP/1.1 418 Scripted\r\ncontent-length: 0\r\n\r\n"
  // Undici and fetch have no option to accept it.
  const refusesInformational = lost({
    reason: "informational",
    code: "UND_ERR_SOCKET",
    retry: "never",
    message: expect.stringContaining("NodeTransport.layer"),
    ...afterAll
  })
  const resetAfterAll = lost({ reason: "reset", ...afterAll })
  const unreadable = lost({ reason: "unknown", ...afterAll })

  itEndsAs([
    fault("resets the connection at once", reset, lost({ reason: "reset" })),
    fault("resets the connection after the request", onRequest(reset), resetAfterAll),
    fault("hangs up after the request", onRequest(hangUp), resetAfterAll),
    fault("hangs up within the headers of its response", onRequest(write(beginning, hangUp)), resetAfterAll),
    fault("does not speak HTTP", onRequest(write("SSH-2.0-OpenSSH_9.6\r\n")), unreadable),
    fault("sends too large headers", onRequest(write(head(200, { "x-a": "8".repeat(100_000) }))), unreadable),
    ...[
      { what: "sends a 100 Continue", script: onRequest(write(unasked, teapot)) },
      {
        what: "sends a 100 Continue with its response",
        script: onRequest((socket) => socket.write(unasked + shortTeapot))
      },
      { what: "sends a 100 Continue byte by byte", script: onRequest(slowly(unasked, teapot)) },
      { what: "sends early hints and a 100 Continue", script: onRequest(write(`${head(103)}${unasked}`, teapot)) }
    ].map(({ script, what }) => ({
      name: `${what} that was not requested`,
      script,
      transcribe: { _tag: "SttUnexpectedStatus", status: 418 },
      synthesize: { _tag: "TtsUnexpectedStatus", status: 418 },
      except: { undici: refusesInformational, fetch: refusesInformational }
    })),
    {
      name: "switches to another protocol",
      script: onRequest(write(head(101, { connection: "upgrade", upgrade: "other" }))),
      ...lost(afterAll),
      except: {
        // The client of Node returns this status, with the socket.
        node: {
          transcribe: { _tag: "SttUnexpectedStatus", status: 101, call: { billing: "unknown" } },
          synthesize: { _tag: "TtsUnexpectedStatus", status: 101, call: { billing: "notBilled" } }
        }
      },
      lingers: { node: "after the layer" }
    }
  ])
})

describe.concurrent("a server that never ends its response and", () => {
  const withoutAnswer = (name: string, script: Script): Fault => ({
    name,
    script,
    deadlines: { answer: "600 millis" },
    ...late({ phase: "answer", limitMillis: 600, call: { billing: "unknown", attempts: [{ sent: "all" }] } })
  })

  itEndsAs([
    withoutAnswer("sends nothing", silent),
    withoutAnswer("reads and sends nothing", readsNothing),
    withoutAnswer("sends one header after the other", onRequest(trickle("HTTP/1.1 200 OK\r\n", "x: y\r\n"))),
    withoutAnswer("sends early hints", onRequest(trickle("", "HTTP/1.1 103 Hints\r\n\r\n"))),
    {
      name: "does not respond to a TLS handshake",
      script: silent,
      baseUrl: overHttps,
      deadlines: { total: "400 millis" },
      // Undici continues to connect for at most ten seconds.
      lingers: { undici: "after the layer", fetch: "after the layer" },
      ...late({ phase: "total" }),
      except: { recommended: late({ phase: "total", call: beforeAny.call }) }
    }
  ])
})

describe.concurrent("a connection that can't be made, because", () => {
  itEndsAs([
    {
      name: "no server listens",
      script: silent,
      baseUrl: () => refusedAddress,
      ...lost({ reason: "refused", code: "ECONNREFUSED", ...beforeAny })
    },
    {
      name: "the host is unknown",
      script: silent,
      // A label of more than 63 characters is refused without a name server.
      baseUrl: () => Effect.succeed(`http://${"nowhere".repeat(10)}.invalid`),
      ...lost({ reason: "notFound", ...beforeAny })
    },
    {
      name: "the certificate is self-signed",
      script: onRequest(hangUp),
      tls: true,
      baseUrl: overHttps,
      ...lost({ reason: "tls", code: "DEPTH_ZERO_SELF_SIGNED_CERT", ...beforeAny })
    },
    {
      name: "the server does not speak TLS",
      script: onFirstBytes(write("HTTP/1.1 400 Bad Request\r\n\r\n", hangUp)),
      baseUrl: overHttps,
      ...lost({ reason: "tls", ...beforeAny })
    },
    { name: "the server speaks only TLS", script: silent, tls: true, ...lost({ reason: "reset" }) },
    {
      name: "the server hangs up in the handshake",
      script: onFirstBytes(hangUp),
      baseUrl: overHttps,
      ...lost({ reason: "reset" }),
      // Only this layer reports when a connection is established.
      except: { recommended: lost({ reason: "reset", ...beforeAny }) }
    }
  ])
})
