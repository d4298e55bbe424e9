import { expect, it } from "@effect/vitest"
import {
  SttAudioUnreadable,
  SttBadRequest,
  SttConnectionFailed,
  SttError,
  SttServerError,
  SttTranscriptionFailed,
  SttUnexpectedStatus
} from "@effect-speech/stt"
import { nothingSent } from "@effect-speech/transport/CallReport"
import { answeredAtOnce } from "@effect-speech/transport/unstable/Report"
import { describeErrors } from "effect-speech-test-support/describeErrors"

const call = { ...nothingSent, sentId: "id-1", attempts: [answeredAtOnce] }

it("every error says what happened, then what to do, and whether a retry may help", () => {
  expect(describeErrors(SttError.members.map((Failed) => new Failed()))).toMatchInlineSnapshot(`
    "SttInvalidRequest (never): Nothing was sent: request is not valid.
    SttInvalidApiKey (never): Nothing was sent, because of the API key: it is empty. Use the whole <prefix>.<secret> value that the platform showed when the key was created.
    SttAudioUnreadable (never): The recording audio can't be sent: it does not exist.
    SttBadRequest (never): The service refused the request (400). It gives no reason; check the name of the model. Correct the request and send it again.
    SttUnauthorized (otherKey): The service did not accept the API key (401). A new key revokes the old one at once: check that you use the newest key.
    SttCreditExhausted (never): The account is out of credit (402). Top it up; until then every call fails.
    SttForbidden (never): The account or the key may not transcribe (403). Check that the account is active, and check the scopes of the key.
    SttServerError (transient): The service failed (500). Each attempt may be billed: the contract does not say. Try again later. If it keeps failing, report the transaction id to the service.
    SttUnavailable (overload): The service is unavailable or overloaded (503). Try again later, with fewer calls at once.
    SttUnexpectedStatus (never): The service sent status 418, which its contract does not define. Check that the base URL is that of the transcription host; redirects are not followed.
    SttConnectionFailed (transient): The connection to the service failed: nothing listens at the address, or there is no route to it. Check the base URL and the network, and try again.
    SttDeadlineExceeded (never): The call exceeded its answer deadline of 600000 ms. A long recording needs more time. If the service was still working, raise deadlines.answer.
    SttInvalidResponse (never): The service answered 200 with something other than a transcription: it is not JSON. The call may have been billed. Check that the base URL is that of the transcription host.
    SttTranscriptionFailed (never): The service received the recording but could not transcribe it. The call may have been billed. Check that the file plays and contains speech."
  `)
})

it("an error says more if more is known", () => {
  const errors = [
    new SttAudioUnreadable({ source: "calls/1.wav", problem: "it is empty" }),
    new SttBadRequest({ serverError: "bad request", serverMessage: "no such model." }),
    new SttServerError({ serverError: "", call }),
    new SttUnexpectedStatus({ status: 429 }),
    new SttConnectionFailed({ sent: "all" }),
    new SttTranscriptionFailed({ serverError: "no speech", callId: "call-1" })
  ]
  expect(describeErrors(errors)).toMatchInlineSnapshot(`
    "SttAudioUnreadable (never): The recording calls/1.wav can't be sent: it is empty.
    SttBadRequest (never): The service refused the request (400). The service says: bad request: no such model. Correct the request and send it again.
    SttServerError (transient): The service failed (500). Each attempt may be billed: the contract does not say. Try again later. If it keeps failing, report the transaction id id-1 to the service.
    SttUnexpectedStatus (overload): The service received too many requests (429). Send fewer at once, or wait.
    SttConnectionFailed (ambiguous): The connection to the service failed: nothing listens at the address, or there is no route to it. The recording was sent completely, so the service may have transcribed and billed it.
    SttTranscriptionFailed (never): The service received the recording but could not transcribe it. The service says: no speech. The call may have been billed. Check that the file plays and contains speech. If it does, report the call id call-1 to the service."
  `)
})
