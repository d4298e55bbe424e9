import { it } from "@effect/vitest"
import { expectShortForm } from "../support/shortForm.js"

it("memory grows neither with a recording, nor with speech, nor with calls, however they end", async () => {
  await expectShortForm("load/memory/check.ts")
}, 120_000)
