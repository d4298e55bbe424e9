import type { SttWarning } from "@effect-speech/stt/SttWarning"

/** A reason why the transcript of a long recording may be worse than you expect. The message says what to do. */
export type Warning = SttWarning | SegmentTimesUnread | SegmentTextsDiffer | RecordingEndsEarly | NothingButSilence

/** The times of the segments of some pieces can't be read, or lie outside of them: such a piece is one segment. */
export interface SegmentTimesUnread {
  readonly _tag: "SegmentTimesUnread"
  /** The number of these pieces. */
  readonly pieces: number
  readonly message: string
}

/** The segments of some pieces do not have the words of their transcript: such a piece is one segment. */
export interface SegmentTextsDiffer {
  readonly _tag: "SegmentTextsDiffer"
  /** The number of these pieces. */
  readonly pieces: number
  readonly message: string
}

/** The WAV file has fewer samples than its header states. The transcript covers those that are there. */
export interface RecordingEndsEarly {
  readonly _tag: "RecordingEndsEarly"
  /** In milliseconds. */
  readonly missingMillis: number
  readonly message: string
}

/** The whole recording is digital silence. Nothing was sent. */
export interface NothingButSilence {
  readonly _tag: "NothingButSilence"
  readonly message: string
}

export const timesUnread = (pieces: number, all: number): SegmentTimesUnread => ({
  _tag: "SegmentTimesUnread",
  pieces,
  message:
    `The response has no times of segments for ${pieces} of ${all} pieces, or times that lie outside of the piece, so each of ` +
    "these pieces is one segment. If your service names the times differently, use the option segments."
})

export const textsDiffer = (pieces: number, all: number): SegmentTextsDiffer => ({
  _tag: "SegmentTextsDiffer",
  pieces,
  message:
    `The segments of ${pieces} of ${all} pieces do not have the words of the transcript, so each of these pieces is one segment. ` +
    "If your service names the text of a segment differently, use the option segments."
})

export const endsEarly = (missingMillis: number): ReadonlyArray<RecordingEndsEarly> =>
  missingMillis === 0
    ? []
    : [
        {
          _tag: "RecordingEndsEarly",
          missingMillis,
          message: `The WAV file ends ${missingMillis} ms before the end that its header states: check whether it is complete.`
        }
      ]

export const onlySilence: NothingButSilence = {
  _tag: "NothingButSilence",
  message: "The whole recording is digital silence, so nothing was sent: check how it was recorded."
}
