import { it } from "@effect/vitest"
import { expectShortForm } from "../support/shortForm.js"

it("under load and faults every error has its cause and nothing is left behind", async () => {
  await expectShortForm("load/soak/check.ts")
}, 120_000)
