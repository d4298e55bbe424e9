import { describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Fault, itEndsAs } from "../support/faults.js"
import {
  hangUp,
  head,
  onFirstBytes,
  onRequest,
  readsNothing,
  reset,
  silent,
  trickle,
  write
} from "../support/faultyServer.js"
import { refusedAddress } from "../support/refusedAddress.js"

type Facts = { readonly [field: string]: unknown }

const lost = (facts: Facts): Pick<Fault, "transcribe" | "synthesize"> => ({
  transcribe: { _tag: "SttConnectionFailed", ...facts },
  synthesize: { _tag: "TtsConnectionFailed", ...facts }
})
const late = (facts: Facts): Pick<Fault, "transcribe" | "synthesize"> => ({
  transcribe: { _tag: "SttDeadlineExceeded", ...facts },
  synthesize: { _tag: "TtsDeadlineExceeded", ...facts }
})
const afterAll = { sent: "all", call: { billing: "unknown", attempts: [{ sent: "all" }] } }
const beforeAny = { sent: "nothing", call: { billing: "notBilled", attempts: [{ sent: "nothing" }] } }

describe.concurrent("a server that", () => {
  itEndsAs([
    { name: "resets the connection at once", script: reset, ...lost({ reason: "reset" }) },
    { name: "hangs up at once", script: hangUp, ...lost({ reason: "reset" }) },
    {
      name: "resets the connection after the request",
      script: onRequest(reset),
      ...lost({ reason: "reset", ...afterAll })
    },
    { name: "hangs up after the request", script: onRequest(hangUp), ...lost({ reason: "reset", ...afterAll }) },
    {
      name: "hangs up within the headers of its response",
      script: onRequest(write("HTTP/1.1 200 OK\r\nx-sample", hangUp)),
      ...lost({ reason: "reset", ...afterAll })
    },
    {
      name: "resets the connection within the headers of its response",
      script: onRequest(write("HTTP/1.1 200 OK\r\nx-sample", reset)),
      ...lost({ reason: "reset", ...afterAll })
    },
    {
      name: "does not speak HTTP",
      script: onRequest(write("SSH-2.0-OpenSSH_9.6\r\n")),
      ...lost({ reason: "unknown", ...afterAll })
    },
    {
      name: "sends too large headers",
      script: onRequest(write(head(200, { "x-sample-rate": "8".repeat(100_000) }))),
      ...lost({ reason: "unknown", ...afterAll })
    },
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
  const deadlines = { answer: "400 millis" } as const
  const answer = { phase: "answer", limitMillis: 400, call: { billing: "unknown", attempts: [{ sent: "all" }] } }
  const total = { phase: "total", limitMillis: 400, call: { billing: "unknown" } }

  itEndsAs([
    { name: "sends nothing", script: silent, deadlines, ...late(answer) },
    { name: "reads and sends nothing", script: readsNothing, deadlines, ...late(answer) },
    {
      name: "sends one header after the other",
      script: onRequest(trickle("HTTP/1.1 200 OK\r\n", "x: y\r\n")),
      deadlines,
      ...late(answer)
    },
    {
      name: "sends early hints",
      script: onRequest(trickle("", "HTTP/1.1 103 Hints\r\n\r\n")),
      deadlines,
      ...late(answer)
    },
    {
      name: "sends nothing, until the total deadline",
      script: silent,
      deadlines: { total: "400 millis" },
      ...late(total)
    },
    {
      name: "does not answer a TLS handshake",
      script: silent,
      baseUrl: ({ host }) => Effect.succeed(`https://${host}`),
      deadlines: { total: "400 millis" },
      // Undici continues to connect for at most ten seconds.
      lingers: { undici: "after the layer", fetch: "after the layer" },
      ...late({ phase: "total" }),
      except: { recommended: late({ phase: "total", call: { billing: "notBilled", attempts: [{ sent: "nothing" }] } }) }
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
      baseUrl: ({ host }) => Effect.succeed(`https://${host}`),
      ...lost({ reason: "tls", code: "DEPTH_ZERO_SELF_SIGNED_CERT", ...beforeAny })
    },
    {
      name: "the server does not speak TLS",
      script: onFirstBytes(write("HTTP/1.1 400 Bad Request\r\n\r\n", hangUp)),
      baseUrl: ({ host }) => Effect.succeed(`https://${host}`),
      ...lost({ reason: "tls", ...beforeAny })
    },
    {
      name: "the server speaks only TLS",
      script: silent,
      tls: true,
      ...lost({ reason: "reset" })
    },
    {
      name: "the server hangs up in the handshake",
      script: onFirstBytes(hangUp),
      baseUrl: ({ host }) => Effect.succeed(`https://${host}`),
      ...lost({ reason: "reset" }),
      // Only this layer reports when a connection is established.
      except: { recommended: lost({ reason: "reset", ...beforeAny }) }
    }
  ])
})
