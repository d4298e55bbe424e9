/**
 * The errors of each operation, by tag. A `switch` over `error.tag` is checked for completeness.
 */
import type { SpeechError } from "./SpeechError.js"

/** A rule that a request breaks. */
interface InvalidRequest {
  /** Name of the field, as you write it. */
  readonly field: string
  /** The rule that the field breaks: the words after its name in a sentence. */
  readonly problem: string
}

/** A response of a synthesis with a status other than 200. */
interface SpeakStatus {
  readonly status: number
  /** What the service says about the failure, if the response says anything. */
  readonly serverMessage?: string | undefined
}

/** A response of a transcription with a status other than 200. */
interface TranscribeStatus {
  readonly status: number
  /** The service's summary, if the response has one. */
  readonly serverError?: string | undefined
  /** The service's details, if the response has any. */
  readonly serverMessage?: string | undefined
}

interface ConnectionFailed {
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
  readonly phase: "upload" | "answer" | "download" | "total"
  readonly limitMillis: number
}

/**
 * The client can't make the call: nothing was sent.
 *
 * | tag             | means |
 * | --------------- | ----- |
 * | `InvalidOption` | an option of `connect` or its variable in the environment is missing or breaks a rule |
 * | `ClientClosed`  | the client was closed |
 *
 * @since 0.1.0
 * @category errors
 */
export type ClientError =
  | SpeechError<
      "InvalidOption",
      {
        /** Name of the option, or of the variable. */
        readonly option: string
        readonly problem: string
      }
    >
  | SpeechError<"ClientClosed", object>

/**
 * A file of this machine: the audio that is written, or the pieces that are kept.
 *
 * @since 0.1.0
 * @category errors
 */
export type FileError = SpeechError<
  "FileFailed",
  {
    readonly path: string
    readonly problem: string
    /** The system's code, such as `ENOSPC`. */
    readonly code?: string | undefined
  }
>

/**
 * The errors of `speak`. Those of `toFile` and `speakLong` are these and {@link FileError}.
 *
 * @since 0.1.0
 * @category errors
 */
export type SpeakError =
  | ClientError
  | FileError
  | SpeechError<"TtsInvalidRequest", InvalidRequest>
  | SpeechError<"TtsInvalidApiKey", { readonly problem: string }>
  | SpeechError<
      "TtsBadRequest",
      SpeakStatus & {
        /** The field that the service's message names, such as `output_format`, if it names one. */
        readonly field?: string | undefined
      }
    >
  | SpeechError<"TtsUnauthorized", SpeakStatus>
  | SpeechError<"TtsServerError", SpeakStatus>
  | SpeechError<"TtsBackendFailed", SpeakStatus>
  | SpeechError<"TtsUnexpectedStatus", SpeakStatus>
  | SpeechError<"TtsConnectionFailed", ConnectionFailed>
  | SpeechError<"TtsDeadlineExceeded", DeadlineExceeded>
  | SpeechError<"TtsInvalidResponse", { readonly problem: string }>
  | SpeechError<
      "TtsCorruptAudio",
      {
        readonly problem: string
        /** Number of bytes of audio that had arrived. */
        readonly receivedBytes: number
      }
    >

/**
 * The errors of `transcribe` and `transcribeLong`.
 *
 * @since 0.1.0
 * @category errors
 */
export type TranscribeError =
  | ClientError
  | FileError
  | SpeechError<"SttInvalidRequest", InvalidRequest>
  | SpeechError<"SttInvalidApiKey", { readonly problem: string }>
  | SpeechError<
      "SttAudioUnreadable",
      {
        /** The path, or the filename. */
        readonly source: string
        readonly problem: string
        /** What you can do, if it is known. */
        readonly hint?: "sendAsStream" | "omitTelephony" | undefined
        /** The system's code, if one caused it, such as `ENOENT`. */
        readonly code?: string | undefined
      }
    >
  | SpeechError<"SttBadRequest", TranscribeStatus>
  | SpeechError<"SttUnauthorized", TranscribeStatus>
  | SpeechError<"SttCreditExhausted", TranscribeStatus>
  | SpeechError<"SttForbidden", TranscribeStatus>
  | SpeechError<"SttServerError", TranscribeStatus>
  | SpeechError<"SttUnavailable", TranscribeStatus>
  | SpeechError<"SttUnexpectedStatus", TranscribeStatus>
  | SpeechError<"SttConnectionFailed", ConnectionFailed>
  | SpeechError<"SttDeadlineExceeded", DeadlineExceeded>
  | SpeechError<"SttInvalidResponse", { readonly problem: string }>
  | SpeechError<
      "SttTranscriptionFailed",
      Omit<TranscribeStatus, "status"> & {
        /** The service's id of this transcription, if the response has one. */
        readonly callId?: string | undefined
      }
    >
