import type { AccountState, KeyScope } from "../../Accounts.js"

/** Why a call is refused, in the order of the checks. Each operation maps these to its own statuses. */
export type Refusal = {
  /** The id of the key that was refused, if the service has made it. `undefined` too if the key was accepted before. */
  readonly keyId?: string | undefined
} & (
  | { readonly _tag: "UnknownKey" }
  | { readonly _tag: "AccountNotActive"; readonly state: AccountState }
  | { readonly _tag: "MissingScope"; readonly scope: KeyScope }
  | { readonly _tag: "NoCredit" }
)
