import { describe, expect, it } from "@effect/vitest"
import * as ResponseBody from "@effect-speech/transport/unstable/ResponseBody"
import * as Effect from "effect/Effect"

/** Collects a body of these chunks, and counts the pulls. */
const collect = (chunks: ReadonlyArray<ReadonlyArray<number>>, limit: number) =>
  Effect.gen(function* () {
    let pulls = 0
    const pull = Effect.sync(() => {
      const chunk = chunks[pulls++]
      return chunk && Uint8Array.from(chunk)
    })
    const { bytes, complete } = yield* ResponseBody.collect(pull, limit)
    return { bytes: [...bytes], complete, pulls }
  })

describe("a body that is collected", () => {
  it.effect("is read to its end, which may be at the limit", () =>
    Effect.gen(function* () {
      const whole = { bytes: [1, 2, 3], complete: true, pulls: 3 }
      expect(yield* collect([[1, 2], [3]], 100)).toEqual(whole)
      expect(yield* collect([[1, 2], [3]], 3)).toEqual(whole)
      expect(yield* collect([[1, 2], [3]], Number.POSITIVE_INFINITY)).toEqual(whole)
      expect(yield* collect([], 3)).toEqual({ bytes: [], complete: true, pulls: 1 })
    })
  )

  it.effect("is read until it exceeds the limit, and cut there", () =>
    Effect.gen(function* () {
      expect(yield* collect([[1, 2], [3, 4], [5]], 3)).toEqual({ bytes: [1, 2, 3], complete: false, pulls: 2 })
      expect(yield* collect([[1], [2, 3, 4]], 2)).toEqual({ bytes: [1, 2], complete: false, pulls: 2 })
      expect(yield* collect([[1]], 0)).toEqual({ bytes: [], complete: false, pulls: 1 })
    })
  )
})
