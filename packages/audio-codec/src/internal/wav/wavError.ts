import { WavError } from "../../WavError.js"

const advice: Record<WavError["reason"], string> = {
  NotWav: "This is not a WAV file",
  Unsupported: "This WAV file has an unsupported format; convert it to PCM",
  Malformed: "This WAV file is damaged; export it again",
  LengthMismatch: "The audio does not have the announced length, or ends inside a frame; the file is incomplete"
}

/** Makes the error and its message from the facts. `problem` says what happened and what to do. Default: by the reason. */
export const wavError = (
  reason: WavError["reason"],
  facts: { readonly offset: number; readonly expected: string; readonly found: string },
  problem: string = advice[reason]
): WavError =>
  new WavError({
    reason,
    ...facts,
    message: `${problem} (at byte ${facts.offset}: expected ${facts.expected}, found ${facts.found}).`
  })
