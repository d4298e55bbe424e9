import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ExchangeCounts } from "../../ExchangeCounts.js"
import type { OperationName } from "../../OperationName.js"
import type { Accounts, Authorization } from "../account/accounts.js"
import type { Worked } from "../contract/operation.js"
import type { Problem } from "../http/problems.js"
import type { OpenEntry } from "../journal/entry.js"
import type { Journal } from "../journal/journal.js"

/** A request whose response comes from somewhere else. */
export interface ExchangeCall {
  readonly operation: OperationName
  readonly request: HttpServerRequest.HttpServerRequest
  readonly entry: OpenEntry
  /** Checks the key and its scope, and the account. */
  readonly authorize: Effect.Effect<Authorization, Problem, Accounts>
  /** The response to a key that is not known. */
  readonly unknownKey: Problem
}

/** Takes the place of the voice and the recogniser: another service, or a folder. */
export interface Exchanges {
  readonly work: (call: ExchangeCall) => Effect.Effect<Worked, Problem, Accounts | Journal | Scope.Scope>
  /** Since the start. */
  readonly counts: Effect.Effect<ExchangeCounts>
  /** Runs at a reset of the service. */
  readonly reset: Effect.Effect<void>
}

/** Counts what becomes of requests. */
export const makeCounter = () => {
  const counts = { kept: 0, notKept: 0, replayed: 0, missing: 0, damaged: 0 }
  const damagedFiles = new Set<string>()
  return {
    add: (outcome: Exclude<keyof typeof counts, "damaged">): Effect.Effect<void> =>
      Effect.sync(() => void counts[outcome]++),
    addDamaged: (path: string): Effect.Effect<void> =>
      Effect.sync(() => {
        counts.damaged++
        damagedFiles.add(path)
      }),
    counts: Effect.sync((): ExchangeCounts => ({ ...counts, damagedFiles: [...damagedFiles] }))
  }
}
export type Counter = ReturnType<typeof makeCounter>
