import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ApiKey, problemWith } from "../../ApiKey.js"
import { errorName, type InvalidApiKey } from "../../Failure.js"

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

export const makeApiKeys = (apiKey: ApiKey): Effect.Effect<ApiKeys, InvalidApiKey> =>
  Effect.gen(function* () {
    if (!Effect.isEffect(apiKey)) {
      const key = yield* checked(apiKey)
      return { current: () => key, after: () => Effect.succeed(key) }
    }
    // Failures and defects may both quote the key.
    const read = Effect.catchAllCause(apiKey, (cause) =>
      Effect.fail<InvalidApiKey>({
        _tag: "InvalidApiKey",
        problem: `reading it failed (${errorName(Cause.squash(cause))})`
      })
    )
    let key = yield* Effect.flatMap(read, checked)
    let readings = 1
    const lock = yield* Effect.makeSemaphore(1)

    // Calls that fail together share one reading: a call that waited for the lock takes the key that was just read.
    const after = (refused: Redacted.Redacted) =>
      Effect.suspend(() => {
        const seen = readings
        return lock.withPermits(1)(
          Effect.gen(function* () {
            if (readings === seen && Redacted.value(key) === Redacted.value(refused)) {
              const again = yield* Effect.either(Effect.flatMap(read, checked))
              readings++
              key = yield* again
            }
            return key
          })
        )
      })
    return { current: () => key, after }
  })
