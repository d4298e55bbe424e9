import { contained } from "@effect-speech/common/Contained"
import { errorName } from "@effect-speech/common/SystemCode"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import { type ApiKey, problemWith } from "../../ApiKey.js"
import { keyNotRead } from "../../unstable/CommonError.js"
import type { InvalidApiKey } from "../../unstable/Failure.js"

/** The key that all calls of a layer use. */
export interface ApiKeys {
  readonly current: () => Redacted.Redacted
  /** Reads the key again, after the service refused `refused`. The new key may be the same. */
  readonly after: (refused: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, InvalidApiKey>
}

const checked = (key: Redacted.Redacted): Effect.Effect<Redacted.Redacted, InvalidApiKey> => {
  const problem = problemWith(key)
  return problem === undefined ? Effect.succeed(key) : Effect.fail({ _tag: "InvalidApiKey", problem })
}

// Failures and defects may both quote the key.
const unreadable = (cause: Cause.Cause<unknown>): Effect.Effect<never, InvalidApiKey> =>
  Effect.fail({ _tag: "InvalidApiKey", problem: `${keyNotRead} (${errorName(Cause.squash(cause))})` })

/** A reading that several calls wait for. */
interface Reading {
  readonly fiber: Fiber.RuntimeFiber<Exit.Exit<Redacted.Redacted, InvalidApiKey>>
  waiting: number
}

export const makeApiKeys = <R>(apiKey: ApiKey<R>): Effect.Effect<ApiKeys, InvalidApiKey, R> =>
  Effect.gen(function* () {
    if (!Effect.isEffect(apiKey)) {
      const key = yield* checked(apiKey)
      return { current: () => key, after: () => Effect.succeed(key) }
    }
    const read = Effect.flatMap(Effect.catchAllCause(apiKey, unreadable), checked)
    let key = yield* read
    // The key is that of the layer. A caller may have another tenant in its context and its FiberRefs.
    const runtime = yield* Effect.runtime<R>()
    let reading: Reading | undefined

    const begin = (): Reading => {
      // The yield lets all calls that fail together wait for this reading.
      const again = Effect.zipRight(
        Effect.yieldNow(),
        Effect.map(read, (next) => {
          key = next
          return next
        })
      )
      const begun = { fiber: Runtime.runFork(runtime, contained(again)), waiting: 0 }
      begun.fiber.addObserver(() => {
        if (reading === begun) reading = undefined
      })
      return begun
    }

    const leave = (left: Reading): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (--left.waiting > 0 || left.fiber.unsafePoll() !== null) return Effect.void
        if (reading === left) reading = undefined
        return Fiber.interruptFork(left.fiber)
      })

    const join = Effect.sync(() => {
      const joined = reading ?? begin()
      reading = joined
      joined.waiting++
      return joined
    })
    const shared = Effect.acquireUseRelease(
      join,
      ({ fiber }) => Effect.map(Fiber.await(fiber), Exit.flatten),
      leave
    ).pipe(Effect.flatMap((exit) => Effect.catchAllCause(exit, failureOf)))
    const after = (refused: Redacted.Redacted) =>
      Effect.suspend(() => (Redacted.value(key) === Redacted.value(refused) ? shared : Effect.succeed(key)))
    return { current: () => key, after }
  })

/** A failed reading keeps its failure. An interrupted reading counts as failed. */
const failureOf = (cause: Cause.Cause<InvalidApiKey>): Effect.Effect<never, InvalidApiKey> => {
  const failure = Cause.failureOption(cause)
  return failure._tag === "Some" ? Effect.fail(failure.value) : unreadable(cause)
}
