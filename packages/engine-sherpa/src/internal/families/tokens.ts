/**
 * The tokens that a model writes or speaks.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

export interface Tokens {
  readonly tokens: ReadonlySet<string>
  /** One more than the highest number. */
  readonly size: number
}

/** In ASCII alone, as sherpa-onnx splits a line: a token may be another space. */
const spaces = /[ \t\v\f\r]+/

/**
 * Reads a `tokens.txt`: a line for each token, with its number. A line with its number alone is the token for a space. sherpa-onnx
 * ends the process if a line is malformed. The error is the problem, as it follows the name of the file.
 */
export const parseTokens = (text: string): Either.Either<Tokens, string> => {
  const tokens = new Set<string>()
  let size = 0
  let lines = 0
  for (const line of text.split("\n")) {
    lines += 1
    const parts = line.split(spaces).filter((part) => part !== "")
    if (parts.length === 0) continue
    const number = parts.at(-1) ?? ""
    if (parts.length > 2 || !/^\d+$/.test(number)) {
      return Either.left(`must have a token and its number in each line, but has not in line ${lines}`)
    }
    size = Math.max(size, Number(number) + 1)
    tokens.add(parts.length === 2 ? (parts[0] as string) : " ")
  }
  return size > 0 ? Either.right({ tokens, size }) : Either.left("is empty")
}

export const readTokens = (
  path: string
): Effect.Effect<ReadonlySet<string>, PlatformError | string, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { tokens } = yield* parseTokens(yield* files.readFileString(path))
    return tokens
  })
