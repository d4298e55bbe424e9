/**
 * Sentences of the command: what it says on standard error, and the parts of a sentence.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { Coloured } from "./coloured.js"

/** Prints each sentence as a message of the command. */
export const say = (...sentences: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(sentences, (sentence) => Console.error(`speech: ${sentence}`), { discard: true })

/** Prints what ended the command. */
export const sayFailure = (sentence: string): Effect.Effect<void> =>
  Console.error(new Coloured("red", "speech:"), sentence)

/** Whether notes and progress are printed: `--quiet` says no. */
export const isQuiet: FiberRef.FiberRef<boolean> = FiberRef.unsafeMake(false)

/** Does something that only shows what happens, unless the command is quiet. */
export const unlessQuiet = <A, E, R>(show: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(FiberRef.get(isQuiet), (quiet) => (quiet ? Effect.void : Effect.asVoid(show)))

/** Prints each sentence as a note: what a user may like to know, but that is no failure. */
export const note = (...sentences: ReadonlyArray<string>): Effect.Effect<void> => unlessQuiet(say(...sentences))

export const count = (value: number): string => value.toLocaleString("en")

export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`

/** The sentences that apply: `false` and `undefined` stand for one that does not. */
export const applying = (...sentences: ReadonlyArray<string | false | undefined>): ReadonlyArray<string> =>
  sentences.filter((sentence) => typeof sentence === "string")
