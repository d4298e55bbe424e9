import { describe, expect } from "@effect/vitest"
import { itEndsAs } from "effect-speech-test-support/faults"
import { onRequest, respond } from "effect-speech-test-support/faultyServer"

const words = { status: "error", error: "a summary", message: "the details" }

/** Statuses of a transcription that was not billed, since nothing was done. */
const refused: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 429, 503])

describe.concurrent("a server that answers with", () => {
  itEndsAs(
    (
      [
        [400, "SttBadRequest", "TtsBadRequest"],
        [401, "SttUnauthorized", "TtsUnauthorized"],
        [402, "SttCreditExhausted", "TtsUnexpectedStatus"],
        [403, "SttForbidden", "TtsUnexpectedStatus"],
        [500, "SttServerError", "TtsServerError"],
        [502, "SttUnexpectedStatus", "TtsBackendFailed"],
        [503, "SttUnavailable", "TtsUnexpectedStatus"],
        [504, "SttUnexpectedStatus", "TtsUnexpectedStatus"],
        [404, "SttUnexpectedStatus", "TtsUnexpectedStatus"],
        [418, "SttUnexpectedStatus", "TtsUnexpectedStatus"],
        [429, "SttUnexpectedStatus", "TtsUnexpectedStatus"],
        [201, "SttUnexpectedStatus", "TtsUnexpectedStatus"]
      ] as const
    ).map(([status, stt, tts]) => ({
      name: `${status}`,
      script: onRequest(respond(status, { "x-request-id": "received" }, JSON.stringify(words))),
      transcribe: {
        _tag: stt,
        status,
        serverError: "a summary",
        serverMessage: "the details",
        message: expect.stringContaining("a summary: the details"),
        call: { billing: refused.has(status) ? "notBilled" : "unknown", attempts: [{ status, sent: "all" }] }
      },
      synthesize: {
        _tag: tts,
        status,
        serverMessage: "a summary",
        message: expect.stringContaining("The service says: a summary."),
        call: {
          receivedId: "received",
          billing: status === 201 || status === 504 ? "unknown" : "notBilled",
          attempts: [{ status, sent: "all" }]
        }
      }
    }))
  )
})

describe.concurrent("a server that redirects to another origin, with", () => {
  itEndsAs(
    [301, 302, 303, 307, 308].map((status) => ({
      name: `${status}`,
      script: onRequest(respond(status, { "x-request-id": "received", location: "elsewhere" })),
      transcribe: { _tag: "SttUnexpectedStatus", status, call: { billing: "unknown", attempts: [{ status }] } },
      synthesize: {
        _tag: "TtsUnexpectedStatus",
        status,
        call: { receivedId: "received", billing: "notBilled", attempts: [{ status }] }
      },
      except: {
        // A redirect is an error for fetch, so that it keeps no copy of the recording. That hides the status.
        fetch: {
          transcribe: {
            _tag: "SttConnectionFailed",
            reason: "unknown",
            sent: "all",
            call: { billing: "unknown", attempts: [{}] }
          }
        }
      }
    }))
  )
})
