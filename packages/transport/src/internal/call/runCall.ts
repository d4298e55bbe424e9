import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
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
  readonly telemetry: Telemetry
}

/** Waits for the turn of a call, and makes attempts until one succeeds or fails for good. */
export const runCall = <A, E extends ServiceError, Context, Reading extends E>(
  { apiKeyHeader, budget, driver, keys, retries, telemetry }: SharedParts,
  call: Call,
  operation: Operation<A, E, Context, Reading>,
  { outage, retryIfBilled = true }: CallOptions = {}
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const { events } = call
    const outageMillis = outage === undefined ? retries.outage : ofCall(millisOf(["outage"], outage))
    const limits = { budget, outageMillis, retries, retryIfBilled }
    let latest: Response<Reading> | undefined
    const toError = (failure: Failure) =>
      operation.fail(
        failure._tag === "UploadFailed" ? classifyUploadFailure(failure) : failure,
        call.progress(),
        latest
      )

    call.start()
    const queued = call.enter()
    if (queued !== undefined) {
      if (events !== undefined && queued.ahead !== undefined) {
        yield* events.emit({ _tag: "Queued", ahead: queued.ahead })
      }
      yield* Effect.mapError(queued.wait, toError)
    }
    let key = keys.current()
    // A response may quote any of these, also one that the service refused.
    const usedKeys = [key]
    let delayMillis = 0
    let lastCost = 0
    let plan: ReturnType<typeof planRetries> | undefined
    for (;;) {
      const sending = sendAttempt(driver, call, operation, { delayMillis, header: apiKeyHeader, key })
      const attempt = Effect.matchEffect(sending, {
        onFailure: (failure) => Effect.fail(toError(failure)),
        onSuccess: ({ context, response }) => {
          latest = redactedResponse(response, usedKeys, call, operation)
          return operation.accept(latest, context)
        }
      })
      const outcome = yield* Effect.either(telemetry.observeAttempt(attempt, operation, call))
      if (Either.isRight(outcome)) {
        budget.giveBack(lastCost)
        return outcome.right
      }
      const error = outcome.left
      yield* call.endAttempt

      const isKeyNew = usedKeys.length > 1
      if (error.retry === "otherKey" && !isKeyNew) {
        const next = yield* Effect.mapError(call.timer.run(keys.after(key)), (failure) =>
          toError(asKeyFailure(failure))
        )
        if (!operation.repeatable || Redacted.value(next) === Redacted.value(key)) return yield* Effect.fail(error)
        key = next
        usedKeys.push(next)
        delayMillis = 0
        continue
      }

      const cost = operation.repeatable ? costOfRetry(error, limits) : undefined
      if (cost === undefined) return yield* Effect.fail(error)
      plan ??= planRetries(retries)
      const planned = yield* plan(error, call.progress().attempts.at(-1))
      const decision = decideRetry(error, call, planned, cost, limits)
      if (decision === undefined) return yield* Effect.fail(error)
      delayMillis = decision.delayMillis
      lastCost = decision.cost
      yield* logRetry(operation, error, delayMillis)
      if (events !== undefined) {
        yield* events.emit({ _tag: "Retrying", attempt: call.progress().attempts.length + 1, delayMillis })
      }
      yield* Effect.sleep(delayMillis)
    }
  })

/** If reading the key takes too long, the error names the key instead of the phase. */
const asKeyFailure = (failure: Failure): Failure =>
  failure._tag === "DeadlineExceeded" && failure.phase !== "total"
    ? { _tag: "InvalidApiKey", problem: `reading it took longer than ${failure.limitMillis} ms` }
    : failure
