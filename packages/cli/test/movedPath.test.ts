import { sep } from "node:path"
import { expect, it } from "@effect/vitest"
import { movedPath } from "../src/movedPath.js"

const here = (path: string): string => path.replaceAll("/", sep)

it.each([
  [
    "was renamed with a folder above both",
    "/books/one/a.wav",
    "/books/one/a.wav.pieces",
    "/books/two/a.wav.pieces",
    "/books/two/a.wav"
  ],
  ["is in the folder", "/pieces/a.wav", "/pieces", "/kept", "/kept/a.wav"],
  ["is elsewhere", "/books/a.wav", "/pieces", "/kept", undefined],
  ["was in the root, from which the folder was moved", "/a.wav", "/pieces", "/books/pieces", undefined],
  ["was beside the folder, which was moved to the root", "/books/a.wav", "/books/pieces", "/pieces", undefined]
])("a path that %s", (_, path, before, now, expected) => {
  expect(movedPath(here(path), here(before), here(now))).toBe(expected === undefined ? undefined : here(expected))
})
