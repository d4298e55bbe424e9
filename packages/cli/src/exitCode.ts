/**
 * The exit codes of the command. An error whose tag is not here is a defect of the command.
 */
import type { ArchiveError } from "@effect-speech/archive/ArchiveError"
import type { SttError } from "@effect-speech/stt"
import type { TtsError } from "@effect-speech/tts"

export const done = 0
/** The command, its configuration or the request is not valid. */
export const invalid = 2
/** A file can't be read or written. */
export const fileFailed = 3
/** A run of an archive is suspended or paused, or no process works on it. */
export const suspended = 40
/**
 * A run of an archive ended, but some of its files failed, are held, lack their audio, or have a warning that `--fail-on` names. Or a
 * recording has more errors than `--at-most` allows.
 */
export const incomplete = 41
export const interrupted = 130
/** A failure that nothing expects. */
export const defect = 70

/** A response has a status that is not in the contract. */
export const unexpectedStatus = 21
export const connectionFailed = 30
export const deadlineExceeded = 31
/** A response can't be used. */
export const unusableResponse = 32

const ofTag: Record<SttError["_tag"] | TtsError["_tag"], number> = {
  SttInvalidRequest: invalid,
  SttInvalidApiKey: invalid,
  SttAudioUnreadable: fileFailed,
  SttBadRequest: 10,
  SttUnauthorized: 11,
  SttCreditExhausted: 12,
  SttForbidden: 13,
  SttServerError: 20,
  SttUnavailable: 20,
  SttUnexpectedStatus: unexpectedStatus,
  SttConnectionFailed: connectionFailed,
  SttDeadlineExceeded: deadlineExceeded,
  SttInvalidResponse: unusableResponse,
  SttTranscriptionFailed: unusableResponse,
  TtsInvalidRequest: invalid,
  TtsInvalidApiKey: invalid,
  TtsBadRequest: 10,
  TtsUnauthorized: 11,
  TtsServerError: 20,
  TtsBackendFailed: 20,
  TtsUnexpectedStatus: unexpectedStatus,
  TtsConnectionFailed: connectionFailed,
  TtsDeadlineExceeded: deadlineExceeded,
  TtsInvalidResponse: unusableResponse,
  TtsCorruptAudio: unusableResponse
}

const ofArchiveTag: Record<ArchiveError["_tag"], number> = {
  ArchiveStoreLocked: fileFailed,
  ArchiveStoreTooNew: fileFailed,
  ArchiveStoreFailed: fileFailed,
  ArchiveSourceFailed: fileFailed,
  ArchiveOutputFailed: fileFailed,
  ArchiveRunNotFound: invalid,
  ArchiveRunConflict: invalid,
  ArchiveRunInvalid: invalid
}

export const ofArchiveError = (error: ArchiveError): number => ofArchiveTag[error._tag]

export const ofServiceError = (error: SttError | TtsError): number => ofTag[error._tag]
