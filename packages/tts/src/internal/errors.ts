import { billingOf, type CallReport, isSuccess, reportOf } from "@effect-speech/transport/CallReport"
import * as Client from "@effect-speech/transport/Client"
import type { Failure } from "@effect-speech/transport/Failure"
import type { Progress, Response } from "@effect-speech/transport/Operation"
import * as Effect from "effect/Effect"
import * as Contract from "../TtsContract.js"
import {
  TtsBackendFailed,
  TtsBadRequest,
  TtsConnectionFailed,
  TtsDeadlineExceeded,
  type TtsError,
  TtsInvalidApiKey,
  TtsInvalidRequest,
  TtsServerError,
  TtsUnauthorized,
  TtsUnexpectedStatus
} from "../TtsError.js"
import { fieldNamedIn } from "./fieldNamedIn.js"

/** The statuses of the contract that are errors. */
const errorByStatus = {
  400: TtsBadRequest,
  401: TtsUnauthorized,
  500: TtsServerError,
  502: TtsBackendFailed
} as const

const isKnownStatus = (status: number): status is keyof typeof errorByStatus => status in errorByStatus

/** The id of a response. */
export const receivedIdOf = ({ header }: Response<TtsError>): string | undefined => header(Contract.header.requestId)

/**
 * A synthesis is billed after the last byte of a 200, and not after another status of the service. A proxy may have changed
 * such a 200 to another 2xx, and a gateway may have lost it and sent a 5xx of its own.
 */
const callReport = (progress: Progress, receivedId: string | undefined): CallReport =>
  reportOf(
    progress,
    billingOf(progress.attempts, (status) => isSuccess(status) || (status >= 500 && !isKnownStatus(status))),
    receivedId
  )

const failureErrors: Client.FailureErrors<TtsError> = {
  ConnectionFailed: TtsConnectionFailed,
  DeadlineExceeded: TtsDeadlineExceeded,
  InvalidApiKey: TtsInvalidApiKey
}

/** The error of a call without a usable response. `latest` is its latest response. */
export const failureError = (
  failure: Failure,
  progress: Progress,
  latest: Response<TtsError> | undefined
): TtsError => {
  const call = callReport(progress, latest && receivedIdOf(latest))
  return failure._tag === "UploadFailed"
    ? new TtsInvalidRequest({ field: "request", problem: failure.problem, call })
    : Client.failureError(failureErrors, failure, progress.sent, call)
}

const readErrorBody = Client.errorBodyReader(Contract.ErrorBody)

/** The error of a response with a status other than 200. */
export const statusError = (response: Response<TtsError>): Effect.Effect<never, TtsError> =>
  Effect.flatMap(readErrorBody(response), ({ error: serverMessage }): Effect.Effect<never, TtsError> => {
    const { progress, status } = response
    const facts = { status, serverMessage, call: callReport(progress(), receivedIdOf(response)) }
    if (status === 400) return new TtsBadRequest({ ...facts, field: serverMessage && fieldNamedIn(serverMessage) })
    return isKnownStatus(status) ? new errorByStatus[status](facts) : new TtsUnexpectedStatus(facts)
  })
