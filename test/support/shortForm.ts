import { expect } from "@effect/vitest"
import { root, run } from "./processes.js"

/** Expects that the short form of a check meets its bars, over the built packages. */
export const expectShortForm = async (script: string) => {
  const { status, stderr, stdout } = await run(
    process.execPath,
    ["--import", "tsx", `${root}checks/${script}`, "--quick"],
    {
      mayFail: true
    }
  )
  expect(status, stdout + stderr).toBe(0)
}
