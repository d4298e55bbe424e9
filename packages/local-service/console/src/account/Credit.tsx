/** The credit and the state of the account. */
import { useId, useState } from "preact/hooks"
import { Account, AccountState } from "../../../src/Accounts.js"
import { call } from "../api.js"
import { Form } from "../Form.js"
import { number, plural } from "../format.js"
import { FailureNote, say } from "../notices.js"
import { Section } from "../Section.js"
import { account } from "../state.js"
import { useStore } from "../store.js"
import { useCall } from "../useCall.js"

export const Credit = () => {
  const current = useStore(account)
  const { failure, make, refuse } = useCall()
  const [amount, setAmount] = useState("10000")

  const change = async (json: { readonly state?: string; readonly credits?: number }) => {
    const changed = await make(() => call("PATCH", "platform/api/account", Account, { json }))
    if (changed !== undefined) account.set(changed)
    return changed !== undefined
  }

  const topUp = async () => {
    const more = Number(amount.replaceAll(",", ""))
    if (!Number.isSafeInteger(more) || more < 1) return refuse("Write a whole number from 1.")
    if (await change({ credits: (current?.credits ?? 0) + more })) say(`Added ${plural(more, "credit")}.`)
  }

  const empty = async () => {
    if (await change({ credits: 0 })) say("The credit is 0. Transcriptions get 402, syntheses 401.")
  }

  return (
    <Section class="credit" title="Credit">
      <p class="balance">
        <strong>{current === undefined ? "…" : number(current.credits)}</strong> credits
      </p>
      <Form class="row-form" onSubmit={topUp}>
        <label class="field">
          <span>Top up by</span>
          <input
            inputMode="numeric"
            autocomplete="off"
            value={amount}
            onInput={(event) => setAmount(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Add</button>
        <button type="button" class="destructive" disabled={current?.credits === 0} onClick={() => void empty()}>
          Set to 0
        </button>
      </Form>
      <StateChoice state={current?.state} onChange={(state) => change({ state })} />
      {failure && <FailureNote failure={failure} />}
    </Section>
  )
}

interface StateChoiceProps {
  readonly state: AccountState | undefined
  readonly onChange: (state: AccountState) => Promise<unknown>
}

const StateChoice = ({ onChange, state }: StateChoiceProps) => {
  const group = useId()
  /** Chosen, until the service has taken it: a drawing in between would show the state before. */
  const [chosen, setChosen] = useState<AccountState>()
  const choose = async (wanted: AccountState) => {
    setChosen(wanted)
    await onChange(wanted)
    setChosen(undefined)
  }
  return (
    <>
      <fieldset class="choices account-state">
        <legend>State of the account</legend>
        {AccountState.literals.map((each) => (
          <label key={each} data-bad={each !== "active"}>
            <input type="radio" name={group} checked={(chosen ?? state) === each} onChange={() => void choose(each)} />
            <span>{each}</span>
          </label>
        ))}
      </fieldset>
      {state !== undefined && state !== "active" && (
        <p class="problem">Requests of every key fail while the account is {state}.</p>
      )}
    </>
  )
}
