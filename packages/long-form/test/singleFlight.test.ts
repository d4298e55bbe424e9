import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { makeSingleFlight } from "../src/internal/singleFlight.js"

it.effect("calls of one key that overlap are one call, also if it fails, and later ones are not", () =>
  Effect.gen(function* () {
    const share = makeSingleFlight<string, string>()
    const runs: Array<string> = []
    const call = (key: string, outcome: Effect.Effect<string, string>) =>
      Effect.either(
        share(
          key,
          Effect.zipRight(
            Effect.delay(
              Effect.sync(() => runs.push(key)),
              "1 second"
            ),
            outcome
          )
        )
      )
    const overlapping = yield* Effect.fork(
      Effect.all(
        [
          call("a", Effect.succeed("one")),
          call("a", Effect.succeed("two")),
          call("b", Effect.fail("refused")),
          call("b", Effect.succeed("three"))
        ],
        { concurrency: "unbounded" }
      )
    )
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(overlapping)).toEqual([
      Either.right({ value: "one", isOwn: true }),
      Either.right({ value: "one", isOwn: false }),
      Either.left("refused"),
      Either.left("refused")
    ])
    expect(runs.toSorted()).toEqual(["a", "b"])
    expect(yield* share("b", Effect.succeed("again"))).toEqual({ value: "again", isOwn: true })
  })
)
