/** The account: state, credit, usage and keys. */
import { useState } from "preact/hooks"
import { Account as AccountSchema, AccountState } from "../../src/Accounts.js"
import { call } from "./api.js"
import { Card } from "./Card.js"
import { Choice } from "./Choice.js"
import { Form } from "./Form.js"
import { number, plural } from "./format.js"
import { KeyList } from "./KeyList.js"
import { FailureNote, say } from "./notices.js"
import { account } from "./state.js"
import { useStore } from "./store.js"
import { UsageChart } from "./UsageChart.js"
import { useCall } from "./useCall.js"

export const Account = () => {
  const current = useStore(account)
  const { failure, make, refuse } = useCall()
  const [amount, setAmount] = useState("10000")

  const change = async (json: { readonly state?: string; readonly credits?: number }) => {
    const changed = await make(() => call("PATCH", "platform/api/account", AccountSchema, { json }))
    if (changed !== undefined) account.set(changed)
    return changed !== undefined
  }

  const topUp = async () => {
    const more = Number(amount)
    if (!Number.isSafeInteger(more) || more < 1) return refuse("Write a whole number from 1.")
    if (await change({ credits: (current?.credits ?? 0) + more })) say(`Added ${plural(more, "credit")}.`)
  }

  const credit = (
    <>
      <span class="spring" />
      <span class="credit">
        <span class="quiet">Credit</span> <strong>{current ? number(current.credits) : "…"}</strong>
      </span>
    </>
  )

  return (
    <Card class="account" title="Account" beside={credit}>
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
        <Choice
          class="field"
          label="State"
          values={AccountState.literals}
          value={current?.state ?? "active"}
          onChange={(state) => void change({ state })}
        />
      </Form>
      {failure && <FailureNote failure={failure} />}
      <UsageChart />
      <KeyList />
    </Card>
  )
}
