import * as Schema from "effect/Schema"
import { Account, KeyScope } from "../../Accounts.js"
import { Fault } from "../../Faults.js"

export const NewKey = Schema.Struct({
  name: Schema.NonEmptyString.pipe(
    Schema.maxLength(100, { message: () => "must be at most 100 characters" }),
    // The database ends a text at a NUL, and has no word for half a surrogate pair.
    Schema.pattern(/^[^\p{Cc}\p{Surrogate}]*$/u, { message: () => "must hold no control characters" })
  ),
  /** Where a key is active it is revoked only with this. */
  confirm: Schema.optional(Schema.Boolean)
})

export const Scopes = Schema.Struct({ scopes: Schema.Array(KeyScope) })

export const AccountChanges = Schema.partialWith(Account, { exact: true })

export const FaultList = Schema.Array(Fault)

export const Reset = Schema.Struct({
  /** Ids are made from it, the same ones in the same order. */
  seed: Schema.optional(Schema.Int),
  /** The time that is told from now on. */
  fixedTime: Schema.optional(
    Schema.Date.annotations({
      message: () => ({ message: "must be a date and time of ISO 8601", override: true }),
      jsonSchema: { type: "string", format: "date-time" }
    })
  )
})
