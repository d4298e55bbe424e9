/**
 * The tokens that a model writes or speaks.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"

/** The tokens in a `tokens.txt`, without their numbers. A line with a number alone is the token for a blank. */
export const parseTokens = (text: string): ReadonlySet<string> =>
  new Set(
    text.split("\n").flatMap((line) => {
      const [token, number] = line.split(/[ \t\v\f\r]+/).filter((part) => part !== "")
      return token === undefined ? [] : [number === undefined ? " " : token]
    })
  )

export const readTokens = (path: string): Effect.Effect<ReadonlySet<string>, PlatformError, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => Effect.map(files.readFileString(path), parseTokens))
