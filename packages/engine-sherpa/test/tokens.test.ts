import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { parseTokens } from "../src/internal/families/tokens.js"

describe("a tokens.txt", () => {
  it.each([
    ["has a token and its number in each line", "<blk> 0\n▁a 1\n", ["<blk>", "▁a"], 2],
    ["may have a space as token: its line has a number alone", "a 0\n  1\n", ["a", " "], 2],
    ["may have spaces of other scripts as tokens", "\u3000 0\n\u00a0 1", ["\u3000", "\u00a0"], 2],
    ["may have tabs, empty lines, and line ends of Windows", "a\t0\r\n\r\nb 7\r\n", ["a", "b"], 8]
  ] as const)("%s", (_, text, tokens, size) => {
    expect(parseTokens(text)).toEqual(Either.right({ tokens: new Set(tokens), size }))
  })

  it.each([
    ["without a number", "a 0\nb\n", "must have a token and its number in each line, but has not in line 2"],
    ["with two tokens in a line", "a b 0\n", "must have a token and its number in each line, but has not in line 1"],
    ["without a line", "\n \n", "is empty"]
  ] as const)("%s is refused", (_, text, problem) => {
    expect(parseTokens(text)).toEqual(Either.left(problem))
  })
})
