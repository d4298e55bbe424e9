import { describe, expect, it } from "@effect/vitest"
import {
  SttAudioUnreadable,
  SttBadRequest,
  SttConnectionFailed,
  SttCreditExhausted,
  SttDeadlineExceeded,
  SttError,
  SttForbidden,
  SttInvalidApiKey,
  SttInvalidRequest,
  SttInvalidResponse,
  SttServerError,
  SttTranscriptionFailed,
  SttUnauthorized,
  SttUnavailable,
  SttUnexpectedStatus
} from "@effect-speech/stt"
import { answeredAtOnce, nothingSent } from "@effect-speech/transport/CallReport"

const sent = { ...nothingSent, sentId: "id-1", attempts: [answeredAtOnce] }

describe("what a person is told", () => {
  const told: ReadonlyArray<readonly [make: () => SttError, message: string]> = [
    [() => new SttInvalidRequest(), "Nothing was sent: request is not valid."],
    [
      () => new SttInvalidApiKey(),
      "Nothing was sent, because of the API key: it is empty. It is to be the whole <prefix>.<secret> value, as the platform showed it when the key was created."
    ],
    [() => new SttAudioUnreadable(), "The recording audio can't be sent: it does not exist."],
    [
      () => new SttBadRequest(),
      "The service refused the request (400). It does not say why: check the name of the model, of which it has no list. Correct it and send it again."
    ],
    [
      () => new SttBadRequest({ serverError: "bad request", serverMessage: "no such model." }),
      "The service refused the request (400). The service says: bad request: no such model. Correct it and send it again."
    ],
    [
      () => new SttUnauthorized(),
      "The service did not accept the API key (401). Creating a new key revokes the old one at once: check that the newest is in use."
    ],
    [
      () => new SttCreditExhausted(),
      "The account is out of credit (402). Top it up: until then every call fails the same way."
    ],
    [
      () => new SttForbidden(),
      "The account or the key may not transcribe (403). Check that the account is active, and the key's scopes."
    ],
    [
      () => new SttServerError(),
      "The service failed (500). Try again later; if it lasts, report the transaction id to the service."
    ],
    [
      () => new SttServerError({ serverError: "", call: sent }),
      "The service failed (500). Try again later; if it lasts, report the transaction id id-1 to the service."
    ],
    [
      () => new SttUnavailable(),
      "The service is unavailable or overloaded (503). Try again later, and send less at once."
    ],
    [
      () => new SttUnexpectedStatus(),
      "The service answered 418, which is not in its contract. Check that the base URL is the transcription host's; redirects are not followed."
    ],
    [
      () => new SttUnexpectedStatus({ status: 429 }),
      "The service is asked too much at once (429). Send less at once, or later."
    ],
    [
      () => new SttConnectionFailed(),
      "The connection to the service failed: nothing listens at the address, or no route leads there. Check the base URL and the network, and try again."
    ],
    [
      () => new SttConnectionFailed({ sent: "all" }),
      "The connection to the service failed: nothing listens at the address, or no route leads there. The recording had been sent whole, so the service may have transcribed and billed it."
    ],
    [
      () => new SttDeadlineExceeded(),
      "The answer deadline of 600000 ms passed, and the call was ended. A long recording takes long. If the service was still at work, raise deadlines.answer."
    ],
    [
      () => new SttInvalidResponse(),
      "The service answered 200 with something other than a transcription: it is not JSON. Check that the base URL is the transcription host's."
    ],
    [
      () => new SttTranscriptionFailed(),
      "The service took the recording but could not transcribe it. Check that the file plays and holds speech."
    ],
    [
      () => new SttTranscriptionFailed({ serverError: "no speech", callId: "call-1" }),
      "The service took the recording but could not transcribe it. The service says: no speech. Check that the file plays and holds speech, and give the service the call id call-1."
    ]
  ]

  it.each(told.map(([make, message]) => ({ make, message })))("$message", ({ make, message }) => {
    expect(make().message).toBe(message)
  })

  it("is known of every error", () => {
    expect(new Set(told.map(([make]) => make()._tag))).toEqual(new Set(SttError.members.map(({ _tag }) => _tag)))
  })
})

describe("whether to send it again", () => {
  it("is said by each error", () => {
    const retries = Object.fromEntries(SttError.members.map((Failed) => [Failed._tag, new Failed().retry]))
    expect(retries).toEqual({
      SttInvalidRequest: "never",
      SttInvalidApiKey: "never",
      SttAudioUnreadable: "never",
      SttBadRequest: "never",
      SttUnauthorized: "otherKey",
      SttCreditExhausted: "never",
      SttForbidden: "never",
      SttServerError: "transient",
      SttUnavailable: "overload",
      SttUnexpectedStatus: "never",
      SttConnectionFailed: "transient",
      SttDeadlineExceeded: "never",
      SttInvalidResponse: "never",
      SttTranscriptionFailed: "never"
    })
    expect(new SttUnexpectedStatus({ status: 429 }).retry).toBe("overload")
  })
})
