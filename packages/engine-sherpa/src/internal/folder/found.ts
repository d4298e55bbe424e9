/**
 * What is found in a folder, or the reason why it can't be used: a sentence.
 */
import * as Either from "effect/Either"

export type Found<A> = Either.Either<A, string>

export const refuse = (reason: string): Found<never> => Either.left(reason)
