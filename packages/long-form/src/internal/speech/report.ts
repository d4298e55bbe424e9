import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import type { CallReport } from "@effect-speech/transport/CallReport"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
import type { Boundary } from "../text/boundary.js"

/** A piece and its place in the audio. Frames and milliseconds count from the beginning of the whole. */
export interface Piece {
  /** Counts from 1. */
  readonly number: number
  /** The piece with all its spaces. */
  readonly text: string
  /** Offset of the text in the whole, in UTF-16 units. */
  readonly startIndex: number
  readonly endIndex: number
  /** The passage that it belongs to, from 0. A text without passages is one. */
  readonly passage: number
  readonly boundary: Boundary
  /** Code points that it costs if it is sent. */
  readonly codePoints: number
  readonly startFrame: number
  /** Without the pause after it. */
  readonly endFrame: number
  readonly startMillis: number
  readonly endMillis: number
  /** `sent`: in this run. `kept`: found in the store. `silence`: it has no letter, number or symbol. */
  readonly source: "sent" | "kept" | "silence"
  /** Id of the paid request. Absent for silence. */
  readonly requestId?: string | undefined
  /** The call with its billing. Absent if this run did not send it. */
  readonly call?: CallReport | undefined
  readonly warnings: ReadonlyArray<TtsWarning>
}

/** A sentence and its time in the audio. `Subtitles.layout` makes subtitles from them. */
export interface Segment {
  /** The sentence without the spaces around it. */
  readonly text: string
  /** Offset of the sentence in the whole text, in UTF-16 units. */
  readonly startIndex: number
  readonly endIndex: number
  /** In milliseconds from the beginning of the audio. */
  readonly startMillis: number
  /** In milliseconds from the beginning of the audio. */
  readonly endMillis: number
  /**
   * Whether a time is estimated from the length of the text. The service states no times: those that are not estimated are the
   * ends of a piece, or pauses in its audio.
   */
  readonly estimated: boolean
}

export interface Report {
  readonly format: AudioFormat
  /** In order, as far as the stream was read. */
  readonly pieces: ReadonlyArray<Piece>
  /** The sentences of these pieces. */
  readonly segments: ReadonlyArray<Segment>
  /** Duration of the audio that was read, in milliseconds. */
  readonly durationMillis: number
}
