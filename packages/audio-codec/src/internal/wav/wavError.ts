import { WavError } from "../../WavError.js"

const advice: Record<WavError["reason"], string> = {
  NotWav: "This is not a WAV file",
  Unsupported: "This WAV file is of a kind that is not read here; convert it to PCM",
  Malformed: "This WAV file is damaged; export it again",
  LengthMismatch: "The audio is not as long as it said it would be, or ends inside a frame, so the file is not complete"
}

/** Builds the error and its sentence from the facts. */
export const wavError = (
  reason: WavError["reason"],
  facts: { readonly offset: number; readonly expected: string; readonly found: string }
): WavError =>
  new WavError({
    reason,
    ...facts,
    message: `${advice[reason]} (at byte ${facts.offset}: expected ${facts.expected}, found ${facts.found}).`
  })
