/**
 * Subtitles: cues with times, written as SRT or WebVTT, and read back.
 */

/** A text and the time in which it is shown. */
export interface Cue {
  /** In milliseconds from the beginning of the audio. */
  readonly start: number
  /** In milliseconds, after `start`. */
  readonly end: number
  /** One or more lines. */
  readonly text: string
}
