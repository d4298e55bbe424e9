import { expect, it } from "@effect/vitest"
import { SegmentReader } from "@effect-speech/long-form"

it.each([
  [1.5, 1500],
  ["1.5", 1500],
  [" 2. ", 2000],
  [".25", 250],
  ["1e1", 10_000],
  ["0x1", undefined],
  ["0b1", undefined],
  ["0o7", undefined],
  ["Infinity", undefined],
  ["1_000", undefined],
  ["1 s", undefined],
  ["", undefined]
])("the time %j of a segment is %j ms", (end, millis) => {
  expect(SegmentReader.localService({ start: 0, end, text: "a" })?.end).toBe(millis)
})
