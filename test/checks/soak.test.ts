import { expect, it } from "@effect/vitest"
import { runShortForm } from "../support/shortForm.js"

it("under load, at a service that fails, every error has its cause and nothing is left", async () => {
  const { output, status } = await runShortForm(new URL("../../checks/load/soak/check.js", import.meta.url))
  expect(status, output).toBe(0)
}, 120_000)
