/**
 * The cues of subtitles, which end with their audio.
 */
import type { Cue } from "@effect-speech/long-form/Subtitles"

/** A short cue is shown longer, so that a person can read it, but not longer than the audio. */
export const endingWith = (cues: ReadonlyArray<Cue>, durationMillis: number | undefined): ReadonlyArray<Cue> =>
  cues.map((cue) =>
    durationMillis !== undefined && durationMillis > cue.startMillis && durationMillis < cue.endMillis
      ? { ...cue, endMillis: durationMillis }
      : cue
  )
