/**
 * What the error of each tag states, and the error as plain data.
 */
import type { CallPiece, CallReport } from "./Call.js"

/**
 * What an error concerns, for handlers that treat many errors alike.
 *
 * | value        | meaning | what helps |
 * | ------------ | ------- | ---------- |
 * | `request`    | the request or an option breaks a rule | another request |
 * | `recording`  | the recording can't be read or transcribed | another recording |
 * | `account`    | the key, the account or its credit is refused: every call fails until that changes | the owner of the account |
 * | `service`    | the service, or a gateway in front of it, failed or sent something that can't be used | a later try, or the right base URL |
 * | `connection` | there is no complete response in time | a later try, a better network, or longer deadlines |
 * | `file`       | a file of this machine can't be written or read | another path, or space on the disk |
 *
 * @example
 * ```ts
 * import { type Category, connect, isSpeakError } from "@effect-speech/promise"
 *
 * const statuses: Record<Category, number> = { request: 400, recording: 400, account: 500, service: 502, connection: 504, file: 500 }
 * await connect().speak("Platform two").catch((error) => {
 *   console.log(isSpeakError(error) ? statuses[error.category] : 500)
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Category = "request" | "recording" | "account" | "service" | "connection" | "file"

/**
 * The error as plain data, as `JSON.stringify` writes it. `SpeechError.from` makes the error again.
 *
 * @example
 * ```ts
 * import { SpeechError, type SpeechErrorJson } from "@effect-speech/promise"
 *
 * const json: SpeechErrorJson = SpeechError.of("SttCreditExhausted").toJSON()
 * console.log(json.facts, SpeechError.from(JSON.parse(JSON.stringify(json)))?.tag)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpeechErrorJson<Tag extends string = string, Facts extends object = object> {
  /** Marks the data as an error of this package. */
  readonly name: "SpeechError"
  /** What happened, such as `SttCreditExhausted`. */
  readonly tag: Tag
  /** What the error concerns. */
  readonly category: Category
  /** What happened, and what to do. */
  readonly message: string
  /** Whether the same call may succeed if it is made again a little later. */
  readonly retryable: boolean
  /** The facts of this tag, such as `status`. */
  readonly facts: Facts
  /** The attempts, and what is known of billing. */
  readonly call: CallReport
}

/** A rule that a request breaks. */
interface InvalidRequest {
  /** Name of the field, as you write it. */
  readonly field: string
  /** The rule that the field breaks: the words after its name in a sentence. */
  readonly problem: string
}

interface InvalidApiKey {
  /** What is wrong with the key, without the key. */
  readonly problem: string
}

interface ConnectionFailed {
  /** What failed. */
  readonly reason:
    | "refused"
    | "notFound"
    | "proxy"
    | "tls"
    | "reset"
    | "timeout"
    | "cut"
    | "informational"
    | "closed"
    | "tooManyOpenFiles"
    | "unknown"
  /** How much of the request left this process. */
  readonly sent: "nothing" | "part" | "all"
  /** The system's code, such as `ECONNREFUSED`. */
  readonly code?: string | undefined
}

interface DeadlineExceeded {
  /** The phase that took too long. */
  readonly phase: "upload" | "answer" | "download" | "total"
  /** Its limit, in milliseconds. */
  readonly limitMillis: number
}

interface InvalidResponse {
  /** What is wrong with the response. */
  readonly problem: string
}

/** A response of a synthesis with a status other than 200. */
interface SpeakStatus {
  /** Status of the response. */
  readonly status: number
  /** What the service says about the failure, if the response says anything. */
  readonly serverMessage?: string | undefined
}

/** What the service says about the failure of a transcription. */
interface TranscribeWords {
  /** The service's summary, if the response has one. */
  readonly serverError?: string | undefined
  /** The service's details, if the response has any. */
  readonly serverMessage?: string | undefined
}

/** A response of a transcription with a status other than 200. */
interface TranscribeStatus extends TranscribeWords {
  /** Status of the response. */
  readonly status: number
}

/**
 * Facts of the errors of both operations, by tag.
 *
 * @example
 * ```ts
 * import { isSpeakError, SpeechError } from "@effect-speech/promise"
 *
 * const error: unknown = SpeechError.of("FileFailed", { path: "article.wav", operation: "writeFile", code: "ENOSPC" })
 * if (isSpeakError(error) && error.tag === "FileFailed") console.log(error.facts.path, error.facts.code)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface CommonFacts {
  /** An option of `connect` or its variable in the environment is missing or breaks a rule. Nothing was sent. */
  readonly InvalidOption: {
    /** Name of the option, or of the variable. */
    readonly option: string
    /** The rule that it breaks: the words after its name in a sentence. */
    readonly problem: string
  }
  /** The client was closed before the call ended. */
  readonly ClientClosed: object
  /** A file of this machine failed: the audio that is written, or a piece that is kept. */
  readonly FileFailed: {
    /** The file, or the folder that keeps the pieces. */
    readonly path: string
    /** What failed. At `openFile` and `openPieces`, nothing was sent. After `keepPiece`, the piece was paid. */
    readonly operation: "openFile" | "writeFile" | "openPieces" | "readPiece" | "reservePiece" | "keepPiece"
    /** The system's code, such as `ENOSPC`. */
    readonly code?: string | undefined
    /** The piece whose result can't be read or kept. */
    readonly piece?: CallPiece | undefined
  }
}

/**
 * Facts of the errors of `speak` and `speakLong`, by tag.
 *
 * @example
 * ```ts
 * import { isSpeakError, SpeechError } from "@effect-speech/promise"
 *
 * const error: unknown = SpeechError.of("TtsBadRequest", { field: "lang" })
 * if (isSpeakError(error) && error.tag === "TtsBadRequest") console.log(`Change ${error.facts.field}.`)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface SpeakFacts extends CommonFacts {
  /** The request breaks a rule that the client checks. Nothing was sent. */
  readonly TtsInvalidRequest: InvalidRequest
  /** The key can't be read, or does not have the form `<prefix>.<secret>`. */
  readonly TtsInvalidApiKey: InvalidApiKey
  /** 400: the request is malformed, or the value of a field is not supported. */
  readonly TtsBadRequest: SpeakStatus & {
    /** The field that the service's message names, such as `output_format`, if it names one. */
    readonly field?: string | undefined
  }
  /** 401: the service refused the key. It gives the same status for every reason. */
  readonly TtsUnauthorized: SpeakStatus
  /** 500: the service failed. */
  readonly TtsServerError: SpeakStatus
  /** 502: the synthesis backend is unreachable or failed. */
  readonly TtsBackendFailed: SpeakStatus
  /** A status that is not in the contract, such as a redirect, or the 504 of a gateway in front of the service. */
  readonly TtsUnexpectedStatus: SpeakStatus
  /** The connection failed before the response was complete. */
  readonly TtsConnectionFailed: ConnectionFailed
  /** A phase of the call exceeded its deadline. */
  readonly TtsDeadlineExceeded: DeadlineExceeded
  /** A 200 that is not audio, or does not state a usable format. */
  readonly TtsInvalidResponse: InvalidResponse
  /** Audio that contradicts its headers or itself: do not use it. It may have been billed. */
  readonly TtsCorruptAudio: {
    /** What is wrong with the audio. */
    readonly problem: string
    /** Number of bytes of audio that had arrived. */
    readonly receivedBytes: number
  }
}

/**
 * Facts of the errors of `transcribe` and `transcribeLong`, by tag.
 *
 * @example
 * ```ts
 * import { isTranscribeError, SpeechError } from "@effect-speech/promise"
 *
 * const error: unknown = SpeechError.of("SttAudioUnreadable", { source: "call.wav", code: "ENOENT" })
 * if (isTranscribeError(error) && error.tag === "SttAudioUnreadable") console.log(error.facts.source, error.facts.code)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TranscribeFacts extends CommonFacts {
  /** The request breaks a rule that the client checks. Nothing was sent. */
  readonly SttInvalidRequest: InvalidRequest
  /** The key can't be read, or does not have the form `<prefix>.<secret>`. */
  readonly SttInvalidApiKey: InvalidApiKey
  /** The recording can't be sent: it is missing, empty or unreadable, or it changed while it was read. */
  readonly SttAudioUnreadable: {
    /** The path, or the filename. */
    readonly source: string
    /** What is wrong with it. */
    readonly problem: string
    /** What you can do, if it is known: read it as a stream and send that, or leave out `telephony`. */
    readonly hint?: "sendAsStream" | "omitTelephony" | undefined
    /** The system's code, if one caused it, such as `ENOENT`. */
    readonly code?: string | undefined
  }
  /** 400: the request is malformed, the transaction id is not a UUID, or the model is unknown. */
  readonly SttBadRequest: TranscribeStatus
  /** 401: the key is missing, malformed, unknown or revoked. */
  readonly SttUnauthorized: TranscribeStatus
  /** 402: the credit balance is exhausted. */
  readonly SttCreditExhausted: TranscribeStatus
  /** 403: the account is suspended, closed or inactive, or the key lacks the scope. */
  readonly SttForbidden: TranscribeStatus
  /** 500: the service failed. Each attempt may be billed. */
  readonly SttServerError: TranscribeStatus
  /** 503: the service is unavailable or overloaded. */
  readonly SttUnavailable: TranscribeStatus
  /** A status that is not in the contract, such as a redirect, or the 504 of a gateway in front of the service. */
  readonly SttUnexpectedStatus: TranscribeStatus
  /** The connection failed before the response was complete. */
  readonly SttConnectionFailed: ConnectionFailed
  /** A phase of the call exceeded its deadline. */
  readonly SttDeadlineExceeded: DeadlineExceeded
  /** A 200 whose body is not a transcription. */
  readonly SttInvalidResponse: InvalidResponse
  /** A 200 whose `status` is `error`. */
  readonly SttTranscriptionFailed: TranscribeWords & {
    /** The service's id of this transcription, if the response has one. */
    readonly callId?: string | undefined
  }
}

/**
 * Facts of every error, by tag.
 *
 * @example
 * ```ts
 * import { type ErrorFacts, SpeechError } from "@effect-speech/promise"
 *
 * const facts: ErrorFacts["TtsServerError"] = { status: 500, serverMessage: "out of memory" }
 * console.log(SpeechError.of("TtsServerError", facts).message)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorFacts extends SpeakFacts, TranscribeFacts {}
