import { unsafeInstance } from "@effect-speech/common/Structural"
import type { CallReport } from "@effect-speech/transport/CallReport"
import * as Client from "@effect-speech/transport/unstable/Client"
import type { Failure } from "@effect-speech/transport/unstable/Failure"
import type { Progress, Response } from "@effect-speech/transport/unstable/Operation"
import { billingOf, reportOf } from "@effect-speech/transport/unstable/Report"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { AudioSource } from "../AudioSource.js"
import * as Contract from "../SttContract.js"
import {
  SttAudioUnreadable,
  SttBadRequest,
  SttConnectionFailed,
  SttCreditExhausted,
  SttDeadlineExceeded,
  type SttError,
  SttForbidden,
  SttInvalidApiKey,
  SttInvalidResponse,
  SttServerError,
  SttTranscriptionFailed,
  SttUnauthorized,
  SttUnavailable,
  SttUnexpectedStatus
} from "../SttError.js"
import type { SttWarning } from "../SttWarning.js"
import { Transcription } from "../Transcription.js"
import { readAnswer } from "./readAnswer.js"
import { unreadableAudio } from "./sources.js"
import { responseWarnings } from "./warnings.js"

/** The statuses of the contract that are errors. */
const errorByStatus = {
  400: SttBadRequest,
  401: SttUnauthorized,
  402: SttCreditExhausted,
  403: SttForbidden,
  500: SttServerError,
  503: SttUnavailable
} as const

const isKnownStatus = (status: number): status is keyof typeof errorByStatus => status in errorByStatus

/**
 * The contract does not state when a transcription is billed, so billing is unknown after any complete upload that was not
 * refused.
 */
const callReport = (progress: Progress, receivedId?: string): CallReport =>
  reportOf(
    progress,
    billingOf(progress.attempts, () => true),
    receivedId
  )

const failureErrors: Client.FailureErrors<SttError> = {
  ConnectionFailed: SttConnectionFailed,
  DeadlineExceeded: SttDeadlineExceeded,
  InvalidApiKey: SttInvalidApiKey
}

/** The error of a call without a usable response. */
export const failureError = (failure: Failure, progress: Progress, audio: AudioSource<unknown>): SttError => {
  const call = callReport(progress)
  return failure._tag === "UploadFailed"
    ? new SttAudioUnreadable({ ...unreadableAudio(audio, failure), call })
    : Client.failureError(failureErrors, failure, progress.sent, call)
}

/** The transcription or the error in a response. `warnings` are those of the recording. */
export const accept = (
  response: Response<SttError>,
  warnings: ReadonlyArray<SttWarning>
): Effect.Effect<Transcription, SttError> =>
  response.status === 200
    ? Effect.flatMap(readAnswer(response), (answer): Effect.Effect<Transcription, SttError> => {
        const call = callReport(response.progress())
        if (Either.isLeft(answer)) return new SttInvalidResponse({ problem: answer.left, call })
        const body = answer.right
        return body.status === "error"
          ? transcriptionFailed(response, body, call)
          : Effect.succeed(transcriptionOf(response, body, call, warnings))
      })
    : statusError(response)

const transcriptionOf = (
  { header, redact }: Response<SttError>,
  { aux_info: auxInfo, call_id: id, text }: Contract.Success,
  call: CallReport,
  warnings: ReadonlyArray<SttWarning>
): Transcription => {
  const callId = redact(id)
  return unsafeInstance(Transcription, {
    text,
    callId,
    transactionId: call.sentId,
    auxInfo,
    call: reportOf(call, call.billing, callId),
    warnings: [...warnings, ...responseWarnings(text, header)]
  })
}

const transcriptionFailed = (response: Response<SttError>, body: Contract.Failure, call: CallReport): SttError => {
  const facts = Client.redacted(response, {
    serverError: body.error,
    serverMessage: body.message,
    callId: body.call_id
  })
  return new SttTranscriptionFailed({ ...facts, call: reportOf(call, call.billing, facts.callId) })
}

const readErrorBody = Client.errorBodyReader(Contract.ErrorBody)

const statusError = (response: Response<SttError>): Effect.Effect<never, SttError> =>
  Effect.flatMap(readErrorBody(response), ({ error, message }): Effect.Effect<never, SttError> => {
    const facts = {
      status: response.status,
      serverError: error,
      serverMessage: message,
      call: callReport(response.progress())
    }
    return isKnownStatus(facts.status) ? new errorByStatus[facts.status](facts) : new SttUnexpectedStatus(facts)
  })
