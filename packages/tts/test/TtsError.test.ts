import { expect, it } from "@effect/vitest"
import { nothingSent } from "@effect-speech/transport/CallReport"
import { ConnectionReason } from "@effect-speech/transport/ServiceError"
import { answeredAtOnce } from "@effect-speech/transport/unstable/Report"
import {
  TtsBackendFailed,
  TtsBadRequest,
  TtsConnectionFailed,
  TtsCorruptAudio,
  TtsDeadlineExceeded,
  TtsError,
  TtsInvalidApiKey,
  TtsInvalidRequest,
  TtsServerError,
  TtsUnexpectedStatus
} from "@effect-speech/tts"
import { describeErrors } from "effect-speech-test-support/describeErrors"

const sent = { ...nothingSent, sentId: "id-1", attempts: [answeredAtOnce] }
const received = { ...sent, receivedId: "id-2" }
const reasons = ConnectionReason.literals

it("every error says what happened, then what to do, and whether a retry may help", () => {
  expect(describeErrors(TtsError.members.map((Failed) => new Failed()))).toMatchInlineSnapshot(`
    "TtsInvalidRequest (never): Nothing was sent: request is not valid.
    TtsInvalidApiKey (never): Nothing was sent, because of the API key: it is empty. Use the whole <prefix>.<secret> value that the platform showed when the key was created.
    TtsBadRequest (never): The service refused the request (400). It gives no reason; check lang, voice and the output format. Correct the request and send it again.
    TtsUnauthorized (otherKey): The service did not accept the API key (401). The service does not distinguish the causes: check on the platform that the key is the newest and has the scope tts:synth, and that the account is active and has credit.
    TtsServerError (transient): The service failed (500). Try again later. If it keeps failing, report the request id to the service.
    TtsBackendFailed (overload): The service's synthesis backend failed (502). Nothing was billed; try again. If it keeps failing, report the request id to the service.
    TtsUnexpectedStatus (never): The service sent status 418, which its contract does not define. Check that the base URL is that of the synthesis host; redirects are not followed.
    TtsConnectionFailed (transient): The connection to the service failed: nothing listens at the address, or there is no route to it. Check the base URL and the network, and try again.
    TtsDeadlineExceeded (never): The call exceeded its answer deadline of 600000 ms. A shorter text needs less time. If the service was still working, raise deadlines.answer.
    TtsInvalidResponse (never): The service answered 200 with something other than audio: X-Sample-Rate is missing. The call may have been billed. Check that the base URL is that of the synthesis host.
    TtsCorruptAudio (never): The audio is corrupt: it is empty. Don't use it. The call may have been billed. To ask about it, report the request id to the service."
  `)
})

it("an error says more if more is known", () => {
  const errors = [
    new TtsInvalidRequest({ field: "speed", problem: "must be a number from 0.25 to 4" }),
    new TtsInvalidApiKey({ call: sent }),
    new TtsInvalidApiKey({ problem: "reading it failed (VaultSealed)" }),
    new TtsBadRequest({ serverMessage: "no such voice", field: "voice" }),
    new TtsBadRequest({ serverMessage: "malformed JSON" }),
    new TtsServerError({ serverMessage: "broken!", call: sent }),
    new TtsBackendFailed({ call: received }),
    new TtsUnexpectedStatus({ status: 429, serverMessage: "wait" }),
    new TtsUnexpectedStatus({ status: 413 }),
    new TtsUnexpectedStatus({ status: 503 }),
    new TtsUnexpectedStatus({ status: 504 }),
    new TtsCorruptAudio({ call: { ...received, billing: "billed" } })
  ]
  expect(describeErrors(errors)).toMatchInlineSnapshot(`
    "TtsInvalidRequest (never): Nothing was sent: speed must be a number from 0.25 to 4.
    TtsInvalidApiKey (never): The service refused the API key, and no new key is available: it is empty. Use the whole <prefix>.<secret> value that the platform showed when the key was created.
    TtsInvalidApiKey (never): Nothing was sent, because of the API key: reading it failed (VaultSealed). Check what reads it, the option apiKey.
    TtsBadRequest (never): The service refused the request (400). The service says: no such voice. Change voice and send the request again.
    TtsBadRequest (never): The service refused the request (400). The service says: malformed JSON. Correct the request and send it again.
    TtsServerError (transient): The service failed (500). The service says: broken! Try again later. If it keeps failing, report the request id id-1 to the service.
    TtsBackendFailed (overload): The service's synthesis backend failed (502). Nothing was billed; try again. If it keeps failing, report the request id id-2 to the service.
    TtsUnexpectedStatus (overload): The service received too many requests (429). The service says: wait. Send fewer at once, or wait.
    TtsUnexpectedStatus (never): The request is too large for the service or a gateway in front of it (413). Send less.
    TtsUnexpectedStatus (overload): A gateway in front of the service returned 503: the service is down or overloaded. Try again later.
    TtsUnexpectedStatus (ambiguous): A gateway in front of the service returned 504: it got no response from the service, which may have carried out the request. Each attempt may be billed: send it again only if a second bill is acceptable.
    TtsCorruptAudio (never): The audio is corrupt: it is empty. Don't use it. The call was billed. To ask about it, report the request id id-2 to the service."
  `)
})

it("a failed connection says why; whether a retry may help depends on the reason and on how much was sent", () => {
  const errors = reasons.map((reason) => new TtsConnectionFailed({ reason, sent: "part" }))
  expect(describeErrors(errors)).toMatchInlineSnapshot(`
    "TtsConnectionFailed (transient): The connection to the service failed: nothing listens at the address, or there is no route to it. Check the base URL and the network, and try again.
    TtsConnectionFailed (transient): The connection to the service failed: the host name is unknown. Check the base URL and the network, and try again.
    TtsConnectionFailed (transient): The connection to the service failed: the proxy did not open it. Check the proxy that HTTPS_PROXY or HTTP_PROXY names, or add the host of the service to NO_PROXY.
    TtsConnectionFailed (never): The connection to the service failed: the secure connection failed. Check the certificate of the service, and whether the base URL must begin with https:// or http://.
    TtsConnectionFailed (transient): The connection to the service failed: it was closed before the response. Check the base URL and the network, and try again.
    TtsConnectionFailed (transient): The connection to the service failed: it timed out. Check the base URL and the network, and try again.
    TtsConnectionFailed (never): The connection to the service failed: the response was cut off. Check the base URL and the network, and try again.
    TtsConnectionFailed (never): The connection to the service failed: the service sent 100 Continue without being asked to, which this HttpClient can't read. Use the HttpClient of NodeTransport.layer or NodeHttpClient.layer, which ignore it.
    TtsConnectionFailed (never): The connection to the service failed: the HttpClient was closed together with its layer. Keep the layer open until all calls have ended, such as in a ManagedRuntime.
    TtsConnectionFailed (transient): The connection to the service failed: the process has too many open files. Make fewer calls at once by the option concurrency, or raise the limit of open files (ulimit -n).
    TtsConnectionFailed (transient): The connection to the service failed: the cause is unknown. Check the base URL and the network, and try again."
  `)
  const retries = reasons.map((reason) => `${reason}: ${new TtsConnectionFailed({ reason, sent: "all" }).retry}`)
  expect(retries.join(", ")).toMatchInlineSnapshot(
    `"refused: ambiguous, notFound: ambiguous, proxy: ambiguous, tls: never, reset: ambiguous, timeout: ambiguous, cut: never, informational: never, closed: never, tooManyOpenFiles: ambiguous, unknown: ambiguous"`
  )
  const ofProxies = ["407", "502", "ECONNREFUSED", "ERR_INVALID_URL", undefined].map(
    (code) => `${code}: ${new TtsConnectionFailed({ reason: "proxy", sent: "nothing", code }).retry}`
  )
  expect(ofProxies.join(", ")).toBe(
    "407: never, 502: transient, ECONNREFUSED: transient, ERR_INVALID_URL: never, undefined: transient"
  )
  expect(new TtsConnectionFailed({ reason: "reset", sent: "all", code: "ECONNRESET" }).message).toMatchInlineSnapshot(
    `"The connection to the service failed: it was closed before the response (ECONNRESET). The request was sent completely, so the service may have synthesized and billed it."`
  )
})

it("a failed backend says that nothing was billed only if no earlier attempt may have been", () => {
  const { message } = new TtsBackendFailed({ call: { ...nothingSent, billing: "unknown" } })
  expect(message).toContain("An earlier attempt may have been billed. Try again.")
  expect(message).not.toContain("Nothing was billed")
})

it("an exceeded deadline names the option to raise", () => {
  const phases = ["upload", "answer", "download", "total"] as const
  const errors = phases.map((phase) => new TtsDeadlineExceeded({ phase, limitMillis: 5 }))
  errors.push(new TtsDeadlineExceeded({ phase: "total", limitMillis: 5, call: { ...nothingSent, queuedMillis: 5 } }))
  expect(describeErrors(errors)).toMatchInlineSnapshot(`
    "TtsDeadlineExceeded (never): The call exceeded its upload deadline of 5 ms: nothing could be sent in that time. Check the network and what reads the recording, or raise deadlines.uploadIdle.
    TtsDeadlineExceeded (never): The call exceeded its answer deadline of 5 ms. A shorter text needs less time. If the service was still working, raise deadlines.answer.
    TtsDeadlineExceeded (never): The call exceeded its download deadline of 5 ms: nothing arrived in that time. Check the network, or raise deadlines.downloadIdle.
    TtsDeadlineExceeded (never): The call exceeded its total deadline of 5 ms. A shorter text needs less time. If the service was still working, raise deadlines.total.
    TtsDeadlineExceeded (never): The call waited for other calls until its total deadline of 5 ms, so nothing was sent. Start fewer calls at once, or raise concurrency or deadlines.total."
  `)
})
