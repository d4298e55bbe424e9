import { describe, expect, it } from "@effect/vitest"
import { lengthProblem, longestLength, makeSampleCheck } from "../src/internal/checkAudio.js"

/** 16 bytes are a millisecond. */
const format = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const

describe("the length of audio", () => {
  it.each([
    { bytes: 4000, stated: 250, problem: undefined },
    { bytes: 4000, stated: undefined, problem: undefined },
    { bytes: 4000, stated: 251.125, problem: undefined },
    { bytes: 4000, stated: 248.875, problem: undefined },
    { bytes: 4000, stated: 251.13, problem: "it lasts 250.0 ms, and 251.13 ms were announced" },
    { bytes: 4000, stated: 248.87, problem: "it lasts 250.0 ms, and 248.87 ms were announced" },
    { bytes: 4020, stated: 250, problem: "it lasts 251.2 ms, and 250 ms were announced" },
    { bytes: 4022, stated: 250, problem: "it lasts 251.4 ms or more, and 250 ms were announced" },
    { bytes: 4001, stated: 250, problem: "its 4001 bytes are not a multiple of the 2 bytes of a sample" },
    { bytes: 4001, stated: undefined, problem: "its 4001 bytes are not a multiple of the 2 bytes of a sample" },
    { bytes: 0, stated: 0, problem: "it is empty" },
    { bytes: 0, stated: undefined, problem: "it is empty" }
  ])("of $bytes bytes for $stated ms has the problem: $problem", ({ bytes, problem, stated }) => {
    expect(lengthProblem(format, bytes, stated)).toBe(problem)
  })

  it("is as long at most as was stated, but for a millisecond and two samples", () => {
    expect(longestLength(format, 250)).toBe(4020)
    expect(longestLength(format, undefined)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe("samples", () => {
  const bytesOf = (...samples: ReadonlyArray<number>) => new Uint8Array(Float32Array.from(samples).buffer)

  it("that are NaN or infinite are noticed among others, in whatever pieces they come", () => {
    const float = { ...format, encoding: "float32" } as const
    expect(makeSampleCheck(float)(bytesOf(0, 0.5, -1))).toBeUndefined()
    for (const sample of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const bytes = bytesOf(0.5, sample, 0.5)
      expect(makeSampleCheck(float)(bytes)).toBe("it has NaN or infinite samples")
      const check = makeSampleCheck(float)
      expect([check(bytes.subarray(0, 7)), check(bytes.subarray(7))]).toEqual([
        undefined,
        "it has NaN or infinite samples"
      ])
    }
    expect(makeSampleCheck(format)(bytesOf(Number.NaN))).toBeUndefined()
  })
})
