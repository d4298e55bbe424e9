import type * as Subtitles from "@effect-speech/long-form/Subtitles"
import { type SubtitleOptions, toSrt, toVtt } from "@effect-speech/promise"
import { expect, expectTypeOf, it } from "vitest"

const segments = [
  { startMillis: 0, endMillis: 1500, text: "Platform two." },
  { startMillis: 1500, endMillis: 4000, text: "The train to Pune leaves from platform two at nine." }
]

it("segments become SRT and WebVTT, in lines that a person can read", () => {
  expect(toSrt(segments)).toBe(
    "1\n00:00:00,000 --> 00:00:01,500\nPlatform two.\n\n" +
      "2\n00:00:01,500 --> 00:00:04,000\nThe train to Pune leaves\nfrom platform two at nine.\n"
  )
  expect(toVtt(segments)).toMatch(/^WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nPlatform two.\n\n/)
})

it("the options of subtitles limit lines and time", () => {
  const [first] = toSrt(segments, { clustersPerLine: 8, lines: 1, maximum: "1 second", minimum: 100 }).split("\n\n")
  expect(first).toBe("1\n00:00:00,000 --> 00:00:01,000\nPlatform")
  expectTypeOf<keyof SubtitleOptions>().toEqualTypeOf<keyof Subtitles.Options>()
})
