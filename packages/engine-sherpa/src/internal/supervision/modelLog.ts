/**
 * What the log says of a model: that its process ended, that it is refused, that it is overloaded.
 */
import { asPhrase } from "@effect-speech/common/Printable"
import type { State } from "./machine.js"

/** A cause in our own words. What a loaded model writes may have words of a request, which no log may have. */
const isOurs = (cause: string): boolean =>
  /^(?:Its process (?:ended|can't be started)|A piece was not done)\b[^.]*\.$/.test(cause)

/** Returns the sentences about a change of the state. None has a text of a request. */
export const makeModelLog = (name: string, places: number) => {
  let isOverloaded = false
  const endOf = (before: State, { cause, phase }: State): string | undefined => {
    if (phase._tag === before.phase._tag) return undefined
    if (phase._tag === "waiting") {
      const isShown = before.phase._tag !== "ready" || isOurs(cause)
      const why = isShown ? `: ${asPhrase(cause)}` : ""
      return `The model ${name} stopped${why}. It starts again.`
    }
    // Whoever waits for the model to be loaded reports why it can't be.
    if (phase._tag !== "refused" || before.loads.length > 0) return undefined
    return `The model ${name} can't be loaded: ${asPhrase(cause)}. Its requests fail until the service is restarted.`
  }
  /** Once, until half of the places are free. */
  const overloadOf = (before: State, after: State): string | undefined => {
    if (after.requests.size <= places / 2) isOverloaded = false
    if (isOverloaded || after.rejected === before.rejected) return undefined
    isOverloaded = true
    return `Too many requests wait for the model ${name}: ${after.requests.size} are in. Further ones fail.`
  }
  return (before: State, after: State): ReadonlyArray<string> =>
    [endOf(before, after), overloadOf(before, after)].filter((sentence) => sentence !== undefined)
}
