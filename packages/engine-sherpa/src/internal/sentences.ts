/**
 * What a failure of a model says.
 */
import { asPhrase } from "@effect-speech/common/Printable"
import type { Outcome } from "./host/protocol.js"
import type { Failure } from "./supervision/machine.js"

/** A sentence about a model that did no work, for the client of a service. */
export const sentenceOf = (model: string, { cause, reason, retryAfterMillis = 0 }: Failure): string => {
  switch (reason) {
    case "Overloaded":
      return `Too many requests wait for the model ${model}. Try again in ${Math.ceil(retryAfterMillis / 1000)} s.`
    case "Unavailable":
      return `The model ${model} does not run at this moment: ${asPhrase(cause)}. Try again later.`
    case "Failed":
      return `The model ${model} can't be loaded: ${asPhrase(cause)}.`
  }
}

/** A sentence about a model that did the work, with an outcome that is not the wanted one. */
export const failedOn = (model: string, what: "recording" | "text", outcome: Outcome): string => {
  const why = outcome._tag === "Failed" ? asPhrase(outcome.reason) : "its outcome is not what its files announce"
  return `The model ${model} failed on this ${what}: ${why}.`
}
