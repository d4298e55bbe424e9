import { expect, it } from "@effect/vitest"
import { differenceOf, sampleRate, tolerance } from "../src/internal/recogniser/waveforms.js"

/** Of five minutes: noise of a loudness that changes. */
const shape = (() => {
  let state = 1
  return Int16Array.from({ length: 300 * sampleRate }, (_, index) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >> 17) * (0.5 + 0.5 * Math.sin(index / 3000))
  })
})()

it("a long recording is compared in steps of half a minute, between which others have their turn", () => {
  const later = new Int16Array(shape.length + 333)
  later.set(shape, 333)
  const comparison = differenceOf(shape, later)
  let turns = 0
  let step = comparison.next()
  for (; step.done !== true; step = comparison.next()) turns++
  expect(step.value).toBeLessThan(tolerance)
  // The loudest place, the resampled one, and the whole of both twice: ten half minutes each.
  expect(turns).toBeGreaterThanOrEqual(40)
})
