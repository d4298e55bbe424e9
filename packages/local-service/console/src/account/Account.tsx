/** The room of the account: credit, usage, keys, models and the service itself. */
import { useState } from "preact/hooks"
import { Account as AccountSchema, AccountState } from "../../../src/Accounts.js"
import { type CallFailure, call, send } from "../api.js"
import { Card } from "../Card.js"
import { Choice } from "../Choice.js"
import { Form } from "../Form.js"
import { number, plural } from "../format.js"
import { confirmed, FailureNote, say } from "../notices.js"
import { Room } from "../Room.js"
import { leave } from "../SignIn.js"
import { about, account } from "../state.js"
import { useStore } from "../store.js"
import { type Theme, theme } from "../theme.js"
import { useCall } from "../useCall.js"
import { KeyList } from "./KeyList.js"
import { Models } from "./Models.js"
import { UsageChart } from "./UsageChart.js"

export const Account = () => {
  const service = useStore(about)
  return (
    <Room
      name="account"
      title="Account"
      beside={
        <>
          <span class="spring" />
          <a href="openapi.json">openapi.json</a>
        </>
      }
    >
      <Credit />
      <Card class="keys" title="Key">
        <KeyList />
      </Card>
      <Models />
      <Card class="service" title="Service" beside={<span class="quiet">{service?.version}</span>}>
        <Service />
      </Card>
    </Room>
  )
}

const Service = () => {
  const service = useStore(about)
  const chosen = useStore(theme)
  const [signOutFailure, setSignOutFailure] = useState<CallFailure>()
  const reset = async () => {
    const restored = service?.canBeTaught === false ? "and the requests" : "the requests, and all speech that it knows"
    const agreed = await confirmed({
      title: "Reset the service?",
      message: `This restores the state of the start: the credit, the faults, ${restored}.`,
      action: "Reset"
    })
    if (!agreed) return
    const outcome = await send("POST", "platform/api/reset")
    say(outcome.ok ? "The service is as it was at its start." : outcome.failure.message)
  }
  return (
    <>
      <label class="inline">
        <span>Theme</span>
        <select value={chosen} onChange={(event) => theme.set(event.currentTarget.value as Theme)}>
          <option value="auto">auto</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
      <div class="actions">
        <button type="button" class="destructive" onClick={() => void reset()}>
          Reset
        </button>
        <button type="button" onClick={async () => setSignOutFailure(await leave())}>
          Sign out
        </button>
      </div>
      {signOutFailure && <FailureNote failure={signOutFailure} />}
    </>
  )
}

const Credit = () => {
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
    <Card class="credit-card" title="Credit" beside={credit}>
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
    </Card>
  )
}
