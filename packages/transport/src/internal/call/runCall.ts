import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type { CallOptions } from "../../CallEvent.js"
import type { ServiceError } from "../../ServiceError.js"
import type { Failure } from "../../unstable/Failure.js"
import type { Operation, Response } from "../../unstable/Operation.js"
import { classifyUploadFailure } from "../http/classifyConnectionError.js"
import type { HttpDriver } from "../http/httpDriver.js"
import { millisOf, ofCall } from "../options/durationOption.js"
import type { ResolvedRetries } from "../options/retries.js"
import type { ApiKeys } from "./apiKeys.js"
import type { Call } from "./call.js"
import { costOfRetry, decideRetry } from "./decideRetry.js"
import { planRetries } from "./planRetries.js"
import { redactedResponse } from "./redactedResponse.js"
import type { RetryBudget } from "./retryBudget.js"
import { sendAttempt } from "./sendAttempt.js"
import { logRetry, type Telemetry } from "./telemetry.js"

/** The parts that all calls of a layer share. */
export interface SharedParts {
  readonly apiKeyHeader: string
  readonly keys: ApiKeys
  readonly driver: HttpDriver
  readonly retries: ResolvedRetries
  readonly budget: RetryBudget
}

/** Waits for the turn of a call, and makes attempts until one succeeds or fails for good. */
export const runCall = <A, E extends ServiceError, Context, Reading extends E>(
  { apiKeyHeader, budget, driver, keys, retries }: SharedParts,
  call: Call,
  telemetry: Telemetry,
  operation: Operation<A, E, Context, Reading>,
  { outage, retryIfBilled = true }: CallOptions = {}
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const { events } = call
    const outageMillis = outage === undefined ? retries.outage : ofCall(millisOf(["outage"], outage))
    const limits = { budget, outageMillis, retries, retryIfBilled }
    let latest: Response<Reading> | undefined
    let delayMillis = 0
    let lastCost = 0
    /** The newest is the last one. A response may quote any of these, also one that the service refused. */
    let usedKeys: ReadonlyArray<Redacted.Redacted> = []
    let plan: ReturnType<typeof planRetries> | undefined
    const toError = (failure: Failure) =>
      operation.fail(
        failure._tag === "UploadFailed" ? classifyUploadFailure(failure) : failure,
        call.progress(),
        latest
      )

    const attempt = (key: Redacted.Redacted): Effect.Effect<A, E> => {
      const sending = sendAttempt(driver, call, operation, { delayMillis, header: apiKeyHeader, key })
      const attempted = Effect.matchEffect(sending, {
        onFailure: (failure) => Effect.fail(toError(failure)),
        onSuccess: ({ context, response }) => {
          latest = redactedResponse(response, usedKeys, call, operation)
          return operation.accept(latest, context)
        }
      })
      return Effect.matchEffect(telemetry.spanAttempt(attempted), {
        onFailure: (error) => {
          telemetry.countAttempt(Exit.fail(error))
          return Effect.flatMap(prepareRetry(error, key), attempt)
        },
        onSuccess: (result) => {
          telemetry.countAttempt(Exit.void)
          budget.giveBack(lastCost)
          return Effect.succeed(result)
        }
      })
    }
    /** Waits until the next attempt, and returns its key. Fails with the error if there is none. */
    const prepareRetry = (error: E, key: Redacted.Redacted): Effect.Effect<Redacted.Redacted, E> =>
      Effect.gen(function* () {
        yield* call.endAttempt
        const isKeyNew = usedKeys.length > 1
        if (error.retry === "otherKey" && !isKeyNew) {
          const next = yield* Effect.mapError(call.timer.run(keys.after(key)), (failure) =>
            toError(asKeyFailure(failure))
          )
          if (!operation.repeatable || Redacted.value(next) === Redacted.value(key)) return yield* Effect.fail(error)
          usedKeys = [...usedKeys, next]
          delayMillis = 0
          return next
        }

        const cost = operation.repeatable ? costOfRetry(error, limits) : undefined
        if (cost === undefined) return yield* Effect.fail(error)
        plan ??= planRetries(retries)
        const planned = yield* plan(error, call.attempts().at(-1))
        const decision = decideRetry(error, call, planned, cost, limits)
        if (decision === undefined) return yield* Effect.fail(error)
        delayMillis = decision.delayMillis
        lastCost = decision.cost
        yield* logRetry(operation, error, delayMillis)
        if (events !== undefined) {
          yield* events.emit({ _tag: "Retrying", attempt: call.attempts().length + 1, delayMillis })
        }
        yield* Effect.sleep(delayMillis)
        return key
      })
    const begin = (): Effect.Effect<A, E> => {
      const key = keys.current()
      usedKeys = [key]
      return attempt(key)
    }

    call.start()
    const queued = call.enter()
    if (queued === undefined) return begin()
    const turn = Effect.mapError(queued.wait, toError)
    return Effect.flatMap(
      events === undefined || queued.ahead === undefined
        ? turn
        : Effect.zipRight(events.emit({ _tag: "Queued", ahead: queued.ahead }), turn),
      begin
    )
  })

/** If reading the key takes too long, the error names the key instead of the phase. */
const asKeyFailure = (failure: Failure): Failure =>
  failure._tag === "DeadlineExceeded" && failure.phase !== "total"
    ? { _tag: "InvalidApiKey", problem: `reading it took longer than ${failure.limitMillis} ms` }
    : failure
