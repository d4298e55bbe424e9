import { assert, describe, it } from "@effect/vitest"
import { isOutage, storeFailed } from "../src/internal/store/storeFailed.js"

const inFile = (code?: string) => storeFailed("/runs/archive.db")({ cause: Object.assign(new Error("no"), { code }) })
const onServer = (code?: string) =>
  storeFailed("postgresql://db/runs")({ cause: Object.assign(new Error("no"), { code }) })

describe("a failure of the store", () => {
  it.each(["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_FULL", "SQLITE_IOERR_WRITE", "ENOSPC", "EDQUOT"])(
    "in a file passes with %s",
    (code) => assert.isTrue(isOutage(inFile(code)))
  )

  it.each([
    ...["SQLITE_CORRUPT", "SQLITE_CORRUPT_VTAB", "SQLITE_NOTADB", "SQLITE_READONLY", "SQLITE_IOERR_FSYNC"],
    ...["SQLITE_CANTOPEN", "SQLITE_CONSTRAINT", "SQLITE_ERROR", "ENOENT", "EACCES", undefined]
  ])("in a file stays with %s", (code) => assert.isFalse(isOutage(inFile(code))))

  it.each([
    ...["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EPIPE", "EAI_AGAIN", "ENOTFOUND", undefined],
    ...["57P01", "57P02", "57P03", "57P05", "08000", "08006", "08P01", "57014", "55P03", "40001", "40P01"],
    ...["53000", "53100", "53200", "53300", "53400", "25P03", "25P04"]
  ])("on a server passes with %s", (code) => assert.isTrue(isOutage(onServer(code))))

  it.each(["28P01", "28000", "3D000", "42P01", "42501", "25006", "57P04", "23505", "XX000", "22P02"])(
    "on a server stays with %s",
    (code) => assert.isFalse(isOutage(onServer(code)))
  )
})
