import { createServer } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { freePort } from "effect-speech-test-support/freePort"
import { loopback } from "effect-speech-test-support/loopback"
import { hasPostgres, postgresTitle, startPostgres } from "effect-speech-test-support/postgres"

const postgres = (ports?: () => number | Promise<number>) =>
  Effect.acquireRelease(
    Effect.promise(() => startPostgres(ports)),
    ({ stop }) => Effect.promise(stop)
  )

const failure = (start: () => Promise<unknown>) =>
  Effect.map(Effect.flip(Effect.tryPromise({ try: start, catch: String })), String)

describe.runIf(hasPostgres)(`the server of the tests that need ${postgresTitle}`, () => {
  it.scopedLive("takes another port if another program took its first one", () =>
    Effect.gen(function* () {
      const { host } = yield* loopback(createServer())
      const taken = Number(new URL(`tcp://${host}`).port)
      const ports = [taken, yield* Effect.promise(freePort)]
      const { database } = yield* postgres(() => ports.shift() ?? freePort())
      const { port } = new URL(yield* Effect.promise(database))
      expect(Number(port)).not.toBe(taken)
    })
  )

  it.scopedLive("says what it printed if it ends in its start, and after a crash starts on the same port", () =>
    Effect.gen(function* () {
      expect(yield* failure(() => startPostgres(() => 99_999))).toMatch(/outside the valid range.*\n/)
      const { crash, database, start } = yield* postgres()
      const before = new URL(yield* Effect.promise(database))
      yield* Effect.promise(crash)
      expect(yield* failure(database)).toMatch(/createdb failed: .*refused/s)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = createServer()
          yield* Effect.acquireRelease(
            Effect.promise(
              () => new Promise((resolve) => other.listen(Number(before.port), "127.0.0.1", () => resolve(other)))
            ),
            () => Effect.sync(() => other.close())
          )
          expect(yield* failure(start)).toContain("Address already in use")
        })
      )
      yield* Effect.promise(start)
      expect(new URL(yield* Effect.promise(database)).port).toBe(before.port)
    })
  )
})
