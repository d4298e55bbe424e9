import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { callIdOf, identityOf, isSame, wholeMillis } from "../src/internal/model/identity.js"
import { layerLibsqlShared } from "../src/internal/store/libsqlStore.js"
import { Store } from "../src/internal/store/Store.js"
import { list, settings } from "./support/stores.js"

const years = 365.2425 * 24 * 3_600_000

/** A time as the system states it, and as it is stored. */
const times: ReadonlyArray<readonly [string, number, number]> = [
  ["of now", 1_700_000_000_123, 1_700_000_000_123],
  ["with a part of a millisecond", 1_700_000_000_123.899, 1_700_000_000_124],
  ["before 1970", -315_619_199_500.25, -315_619_199_500],
  ["in the year 287168", 9_000_000_000_000_000, 9_000_000_000_000_000],
  ["behind all that a number counts", 9.223372036854776e21, Number.MAX_SAFE_INTEGER],
  ["before all that a number counts", Number.NEGATIVE_INFINITY, Number.MIN_SAFE_INTEGER],
  ["that is none", Number.NaN, 0]
]

describe("the identity of a file", () => {
  it.each(times)("has a time %s", (_, mtimeMs, modifiedMillis) => {
    expect(identityOf({ size: 1, mtimeMs })).toEqual({ size: 1, modifiedMillis })
    // The times of earlier versions were those of a Date, so their files are the same.
    if (Math.abs(mtimeMs) < 270_000 * years) expect(wholeMillis(mtimeMs)).toBe(new Date(Math.round(mtimeMs)).getTime())
  })

  it("is compared by size and time, or by size and content", () => {
    const listed = { size: 5, modifiedMillis: 1, content: "aa" }
    expect(isSame(listed, { size: 5, modifiedMillis: 1 })).toBe(true)
    expect(isSame(listed, { size: 5, modifiedMillis: 2, content: "aa" })).toBe(true)
    expect(isSame(listed, { size: 5, modifiedMillis: 2, content: "bb" })).toBe(false)
    expect(isSame(listed, { size: 6, modifiedMillis: 1, content: "aa" })).toBe(false)
    expect(isSame({ size: 5, modifiedMillis: 1 }, { size: 5, modifiedMillis: 2 })).toBe(false)
  })

  it("is a UUID of version 8 that begins with the first 48 bits of the run, and is another in each run", () => {
    const item = { path: "a.wav", size: 1, modifiedMillis: 1 }
    const ids = ["0c8a7f31-5d2e-8b46-9a10-3f6e2d1c0b9a", "0c8a7f31-5d2e-8b46-9a10-3f6e2d1c0b9b"].map((run) =>
      callIdOf(run, item)
    )
    for (const id of ids) expect(id).toMatch(/^0c8a7f315d2e8[\da-f]{3}[89ab][\da-f]{15}$/)
    expect(new Set([...ids, callIdOf("0c8a7f31-5d2e-8b46-9a10-3f6e2d1c0b9a", { ...item, size: 2 })]).size).toBe(3)
  })

  it.effect("is stored with any time, and found again by it", () =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* store.createRun("run", settings, {})
      const items = times.map(([path, modifiedMillis]) => ({ path, size: 1, modifiedMillis }))
      for (const pass of [1, 2]) {
        yield* list(store, "run", items)
        const files = [...(yield* Stream.runCollect(store.files("run")))]
        expect(
          files.map(({ modifiedMillis }) => modifiedMillis),
          `pass ${pass}`
        ).toEqual(times.map(([, , time]) => time))
        const ids = files.map((file) => callIdOf("run", file).replace(/-/g, ""))
        expect(ids).toEqual(files.map(({ callId }) => callId.replaceAll("-", "")))
      }
      expect(yield* store.states("run", items)).toEqual(times.map(() => "pending"))
    }).pipe(Effect.provide(layerLibsqlShared({ path: ":memory:" })))
  )
})
