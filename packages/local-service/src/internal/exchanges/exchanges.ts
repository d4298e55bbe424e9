import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OperationName } from "../../OperationName.js"
import type { Accounts, Authorization } from "../account/accounts.js"
import type { Worked } from "../contract/operation.js"
import type { Problem } from "../http/problems.js"
import type { Journal, OpenEntry } from "../journal/journal.js"

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
  /** Runs at a reset of the service. */
  readonly reset: Effect.Effect<void>
}
