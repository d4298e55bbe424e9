import { describe, expect, it } from "@effect/vitest"
import { answeredAtOnce, nothingSent } from "@effect-speech/transport/CallReport"
import {
  TtsBackendFailed,
  TtsBadRequest,
  TtsConnectionFailed,
  TtsCorruptAudio,
  TtsDeadlineExceeded,
  TtsError,
  TtsInvalidApiKey,
  TtsInvalidRequest,
  TtsInvalidResponse,
  TtsServerError,
  TtsUnauthorized,
  TtsUnexpectedStatus
} from "@effect-speech/tts"

const sent = { ...nothingSent, sentId: "id-1", attempts: [answeredAtOnce] }
const answered = { ...sent, receivedId: "id-2" }

describe("what a person is told", () => {
  const told: ReadonlyArray<readonly [make: () => TtsError, message: string]> = [
    [() => new TtsInvalidRequest(), "Nothing was sent: request is not valid."],
    [
      () => new TtsInvalidRequest({ field: "speed", problem: "must be a number from 0.25 to 4" }),
      "Nothing was sent: speed must be a number from 0.25 to 4."
    ],
    [
      () => new TtsInvalidApiKey(),
      "Nothing was sent, because of the API key: it is empty. It is to be the whole <prefix>.<secret> value, as the platform showed it when the key was created."
    ],
    [
      () => new TtsInvalidApiKey({ call: sent }),
      "The service refused the API key, and there is no new one to send: it is empty. It is to be the whole <prefix>.<secret> value, as the platform showed it when the key was created."
    ],
    [() => new TtsBadRequest(), "The service refused the request (400). Change what it names and send it again."],
    [
      () => new TtsBadRequest({ serverMessage: "no such voice", field: "voice" }),
      "The service refused the request (400). The service says: no such voice. Change voice and send it again."
    ],
    [
      () => new TtsUnauthorized(),
      "The service did not accept the API key (401). It does not tell the reasons apart: the key may be wrong or revoked or lack the tts:synth scope, the account out of credit or not active. Look at the platform."
    ],
    [
      () => new TtsServerError(),
      "The service failed (500). Try again later; if it lasts, report the request id to the service."
    ],
    [
      () => new TtsServerError({ serverMessage: "broken!", call: sent }),
      "The service failed (500). The service says: broken! Try again later; if it lasts, report the request id id-1 to the service."
    ],
    [
      () => new TtsBackendFailed(),
      "The service's synthesis backend failed (502). Nothing was billed: try again; if it lasts, report the request id to the service."
    ],
    [
      () => new TtsBackendFailed({ call: answered }),
      "The service's synthesis backend failed (502). Nothing was billed: try again; if it lasts, report the request id id-2 to the service."
    ],
    [
      () => new TtsUnexpectedStatus(),
      "The service answered 418, which is not in its contract. Check that the base URL is the synthesis host's; redirects are not followed."
    ],
    [
      () => new TtsUnexpectedStatus({ status: 429, serverMessage: "wait" }),
      "The service is asked too much at once (429). The service says: wait. Send less at once, or later."
    ],
    [
      () => new TtsConnectionFailed({ reason: "refused" }),
      "The connection to the service failed: nothing listens at the address, or no route leads there. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed({ reason: "notFound" }),
      "The connection to the service failed: the host name is not known. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed({ reason: "tls" }),
      "The connection to the service failed: no secure connection could be made. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed({ reason: "reset" }),
      "The connection to the service failed: it was closed before an answer came. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed({ reason: "timeout" }),
      "The connection to the service failed: the network gave up. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed({ reason: "cut" }),
      "The connection to the service failed: the answer ended before its end. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed({ reason: "closed" }),
      "The connection to the service failed: its client was closed, with the layer that it came from. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed({ reason: "unknown" }),
      "The connection to the service failed: it is not known why. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed(),
      "The connection to the service failed: nothing listens at the address, or no route leads there. Check the base URL and the network, and try again."
    ],
    [
      () => new TtsConnectionFailed({ reason: "reset", sent: "all", code: "ECONNRESET" }),
      "The connection to the service failed: it was closed before an answer came (ECONNRESET). The request had been sent, so the service may have synthesized and billed it."
    ],
    [
      () => new TtsDeadlineExceeded({ phase: "upload", limitMillis: 5 }),
      "The upload deadline of 5 ms passed, and the call was ended. A shorter text takes less time. If the service was still at work, raise deadlines.uploadIdle."
    ],
    [
      () => new TtsDeadlineExceeded({ phase: "answer", limitMillis: 5 }),
      "The answer deadline of 5 ms passed, and the call was ended. A shorter text takes less time. If the service was still at work, raise deadlines.answer."
    ],
    [
      () => new TtsDeadlineExceeded({ phase: "download", limitMillis: 5 }),
      "The download deadline of 5 ms passed, and the call was ended. A shorter text takes less time. If the service was still at work, raise deadlines.downloadIdle."
    ],
    [
      () => new TtsDeadlineExceeded({ phase: "total", limitMillis: 5 }),
      "The total deadline of 5 ms passed, and the call was ended. A shorter text takes less time. If the service was still at work, raise deadlines.total."
    ],
    [
      () => new TtsDeadlineExceeded(),
      "The answer deadline of 600000 ms passed, and the call was ended. A shorter text takes less time. If the service was still at work, raise deadlines.answer."
    ],
    [
      () => new TtsInvalidResponse(),
      "The service answered 200 with something other than audio: X-Sample-Rate is missing. Check that the base URL is the synthesis host's."
    ],
    [
      () => new TtsCorruptAudio(),
      "The audio that came back can't be right: it is empty. Don't use it; it may have been billed, so report the request id to the service."
    ],
    [
      () => new TtsCorruptAudio({ call: { ...answered, billing: "billed" } }),
      "The audio that came back can't be right: it is empty. Don't use it; it was billed, so report the request id id-2 to the service."
    ]
  ]

  it.each(told.map(([make, message]) => ({ make, message })))("$message", ({ make, message }) => {
    expect(make().message).toBe(message)
  })

  it("is known of every error", () => {
    expect(new Set(told.map(([make]) => make()._tag))).toEqual(new Set(TtsError.members.map(({ _tag }) => _tag)))
  })
})

describe("whether to send it again", () => {
  it("is said by each error", () => {
    const retries = Object.fromEntries(TtsError.members.map((Failed) => [Failed._tag, new Failed().retry]))
    expect(retries).toEqual({
      TtsInvalidRequest: "never",
      TtsInvalidApiKey: "never",
      TtsBadRequest: "never",
      TtsUnauthorized: "otherKey",
      TtsServerError: "transient",
      TtsBackendFailed: "transient",
      TtsUnexpectedStatus: "never",
      TtsConnectionFailed: "transient",
      TtsDeadlineExceeded: "never",
      TtsInvalidResponse: "never",
      TtsCorruptAudio: "never"
    })
    expect(new TtsUnexpectedStatus({ status: 429 }).retry).toBe("overload")
  })

  it("depends on how a connection failed, and on how much was sent", () => {
    const reasons = ["refused", "notFound", "tls", "reset", "timeout", "cut", "closed", "unknown"] as const
    const retries = (sent: "part" | "all") =>
      Object.fromEntries(reasons.map((reason) => [reason, new TtsConnectionFailed({ reason, sent }).retry]))
    const never = { tls: "never", cut: "never", closed: "never" }
    const others = ["refused", "notFound", "reset", "timeout", "unknown"]
    expect(retries("part")).toEqual({ ...never, ...Object.fromEntries(others.map((reason) => [reason, "transient"])) })
    expect(retries("all")).toEqual({ ...never, ...Object.fromEntries(others.map((reason) => [reason, "ambiguous"])) })
  })
})
