import { expect, it } from "@effect/vitest"
import { differenceOf, sampleRate, tolerance } from "../src/internal/knownRecordings/waveforms.js"

/** Five minutes of noise with changing loudness. */
const shape = (() => {
  let state = 1
  return Int16Array.from({ length: 300 * sampleRate }, (_, index) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >> 17) * (0.5 + 0.5 * Math.sin(index / 3000))
  })
})()

it("a recording of five minutes that starts later is found at its lag, and other work runs meanwhile", () => {
  const later = new Int16Array(shape.length + 333)
  later.set(shape, 333)
  const comparison = differenceOf(shape, 8000, later, 320)
  let turns = 0
  let step = comparison.next()
  for (; step.done !== true; step = comparison.next()) turns++
  expect(step.value.difference).toBeLessThan(tolerance)
  expect(Math.round(step.value.lag)).toBe(333)
  // Two passes of ten half minutes each. A lag of whole samples needs no resampling.
  expect(turns).toBeGreaterThanOrEqual(19)
})
