import { expect, it } from "@effect/vitest"
import { isDiskFull } from "../src/internal/isDiskFull.js"

it.each([
  ["ENOSPC", true],
  ["EDQUOT", true],
  ["SQLITE_FULL", true],
  // A disk of 1 MiB with 40 KiB left gives it at the first write.
  ["SQLITE_IOERR_SHMSIZE", true],
  ["SQLITE_IOERR_WRITE", false],
  ["EACCES", false]
])("an error that %s caused is a full disk: %s", (code, isFull) => {
  const cause = Object.assign(new Error(code), { code })
  expect(isDiskFull(cause)).toBe(isFull)
  expect(isDiskFull(new Error("a failed statement", { cause }))).toBe(isFull)
})
