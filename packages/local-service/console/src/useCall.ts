/** The state of a call that a part of the page makes: whether it is under way, and why it failed. */
import { useState } from "preact/hooks"
import type { CallFailure, Outcome } from "./api.js"

export const useCall = () => {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<CallFailure>()
  /** Makes a call. Gives its value, or `undefined` if it failed. `wasReplaced`: a later call shows its own state, so this one shows none. */
  const make = async <A>(
    call: () => Promise<Outcome<A>>,
    wasReplaced: () => boolean = () => false
  ): Promise<A | undefined> => {
    setBusy(true)
    setFailure(undefined)
    const outcome = await call()
    if (wasReplaced()) return undefined
    setBusy(false)
    if (outcome.ok) return outcome.value
    setFailure(outcome.failure)
    return undefined
  }
  /** Shows why no call is made. It also replaces a call that is under way. */
  const refuse = (message: string): void => {
    setBusy(false)
    setFailure({ message })
  }
  return { busy, failure, make, refuse }
}
