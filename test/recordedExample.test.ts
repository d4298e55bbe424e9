/** The example project whose tests run from a recorded folder. */
import { runRecordedExample } from "effect-speech-test-support/recordedExample"
import { expect, it } from "vitest"

it("the tests of a project run from a recorded folder, and twice alike", async () => {
  const [first, second] = await Promise.all([runRecordedExample(), runRecordedExample()])
  expect(first).toMatchObject({ status: 0, tests: expect.stringMatching(/^# pass 3$/m) })
  expect(first.tests.match(/SHA-256 [\da-f]{64}/g)).toHaveLength(3)
  expect(second).toEqual(first)
})
