/**
 * Sentences of the command: what it says on standard error, and the parts of a sentence.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

/** Prints each sentence as a message of the command. */
export const say = (...sentences: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(sentences, (sentence) => Console.error(`speech: ${sentence}`), { discard: true })

export const count = (value: number): string => value.toLocaleString("en")

export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`

/** The sentences that apply: `false` and `undefined` stand for one that does not. */
export const applying = (...sentences: ReadonlyArray<string | false | undefined>): ReadonlyArray<string> =>
  sentences.filter((sentence) => typeof sentence === "string")
