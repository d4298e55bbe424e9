import type { RunSettings } from "../../src/Run.js"

/** A run of recordings that do not exist. */
export const settings: RunSettings = {
  operation: { _tag: "Transcribe", model: "hi-general-v2-8khz" },
  root: "/calls",
  source: "the folder /calls",
  byContent: false,
  output: { directory: "/out", format: "txt" },
  unanswered: "hold"
}
