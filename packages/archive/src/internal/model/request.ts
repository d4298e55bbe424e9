/**
 * What a request leaves out stays as the run has it: else a run would go on without a limit, because an option was left out.
 */
import type { Format } from "../../Output.js"
import type { LimitChanges, Limits, RunSettings, Unanswered } from "../../Run.js"

/** The settings of a request. What is absent stays as the run has it, or is the default of a new run. */
export interface RequestedSettings extends Omit<RunSettings, "output" | "unanswered"> {
  readonly output: { readonly directory: string; readonly format?: Format | undefined }
  readonly unanswered?: Unanswered | undefined
}

/** The settings of a run from now on. `stored`: those that it has, if it exists. */
export const settingsAfter = (stored: RunSettings | undefined, requested: RequestedSettings): RunSettings => {
  const { operation, output, unanswered } = requested
  const usual = operation._tag === "Synthesize" ? "wav" : "txt"
  return {
    ...requested,
    output: { ...output, format: output.format ?? stored?.output.format ?? usual },
    unanswered: unanswered ?? stored?.unanswered ?? "hold"
  }
}

const after = (stored: number | undefined, change: number | "none" | undefined): number | undefined =>
  change === "none" ? undefined : (change ?? stored)

/** The limits of a run from now on. */
export const limitsAfter = (stored: Limits, changes: LimitChanges): Limits => {
  const callsPerSecond = after(stored.callsPerSecond, changes.callsPerSecond)
  const maxFiles = after(stored.maxFiles, changes.maxFiles)
  const maxCredits = after(stored.maxCredits, changes.maxCredits)
  return {
    ...(callsPerSecond !== undefined && { callsPerSecond }),
    ...(maxFiles !== undefined && { maxFiles }),
    ...(maxCredits !== undefined && { maxCredits })
  }
}
