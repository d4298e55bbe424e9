import { expect, it } from "@effect/vitest"
import { PieceStore } from "@effect-speech/long-form"
import { SttBadRequest } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { makePaidPieces } from "../src/internal/paidPieces.js"
import { makeRunProgress } from "../src/internal/runProgress.js"

it.effect("equal pieces at the same time are one call, also if it fails, and a later one is sent again", () =>
  Effect.gen(function* () {
    const store = yield* PieceStore
    const obtain = makePaidPieces<string, SttBadRequest>(store, makeRunProgress(store))
    const refused = new SttBadRequest()
    let sent = 0
    const piece = (answer: Effect.Effect<string, SttBadRequest>) =>
      obtain({
        key: "equal",
        amount: 1,
        expectedBytes: 1,
        find: Effect.succeedNone,
        send: () =>
          Effect.suspend(() => {
            sent += 1
            return Effect.zipRight(Effect.sleep("1 second"), answer)
          }),
        emit: () => Effect.void
      })
    const atOnce = (answer: Effect.Effect<string, SttBadRequest>) =>
      Effect.gen(function* () {
        const pieces = Effect.all([Effect.either(piece(answer)), Effect.either(piece(answer))], { concurrency: 2 })
        const running = yield* Effect.fork(pieces)
        yield* TestClock.adjust("1 minute")
        return yield* Fiber.join(running)
      })
    expect(yield* atOnce(refused)).toEqual([Either.left(refused), Either.left(refused)])
    expect(sent).toBe(1)
    expect(yield* atOnce(Effect.succeed("heard"))).toEqual([
      Either.right({ source: "sent", result: "heard" }),
      Either.right({ source: "kept", result: "heard" })
    ])
    expect(sent).toBe(2)
  }).pipe(Effect.provide(PieceStore.layerMemory))
)
