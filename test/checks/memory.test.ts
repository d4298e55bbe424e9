import { expect, it } from "@effect/vitest"
import { runShortForm } from "../support/shortForm.js"

it("memory grows neither with a recording, nor with speech, nor with calls, however they end", async () => {
  const { output, status } = await runShortForm(new URL("../../checks/load/memory/check.js", import.meta.url))
  expect(status, output).toBe(0)
}, 120_000)
