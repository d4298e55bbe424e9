/** The account: state, credit, usage and keys. */
import * as Schema from "effect/Schema"
import { useId, useRef, useState } from "preact/hooks"
import { Account as AccountSchema, AccountState, Key, type KeyScope, Keys, type Usage } from "../../src/Accounts.js"
import { call, type Failure } from "./api.js"
import { dateAndTime, number, plural } from "./format.js"
import { confirmed, copy, FailureNote, say } from "./notices.js"
import { account, keys, readKeys, usage } from "./state.js"
import { useStore } from "./store.js"

const scopes: ReadonlyArray<KeyScope> = ["tts:synth", "stt:transcribe"]

export const Account = () => {
  const current = useStore(account)
  const [failure, setFailure] = useState<Failure>()
  const [amount, setAmount] = useState("10000")
  const id = useId()

  const change = async (json: { readonly state?: string; readonly credits?: number }) => {
    const outcome = await call("PATCH", "platform/api/account", AccountSchema, { json })
    setFailure(outcome.ok ? undefined : outcome.failure)
    if (outcome.ok) account.set(outcome.value)
    return outcome.ok
  }

  const topUp = async () => {
    const more = Number(amount)
    if (!Number.isSafeInteger(more) || more < 1) return setFailure({ message: "Write a whole number from 1." })
    if (await change({ credits: (current?.credits ?? 0) + more })) say(`Added ${plural(more, "credit")}.`)
  }

  return (
    <section class="card account" aria-labelledby={`${id}-title`}>
      <div class="title">
        <h2 id={`${id}-title`}>Account</h2>
        <span class="spring" />
        <span class="credit">
          <span class="quiet">Credit</span> <strong>{current ? number(current.credits) : "…"}</strong>
        </span>
      </div>
      <form
        class="row-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void topUp()
        }}
      >
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
        <label class="field">
          <span>State</span>
          <select
            value={current?.state ?? "active"}
            onChange={(event) => void change({ state: event.currentTarget.value })}
          >
            {AccountState.literals.map((state) => (
              <option key={state} value={state}>
                {state}
              </option>
            ))}
          </select>
        </label>
      </form>
      {failure && <FailureNote failure={failure} />}
      <UsageChart />
      <KeyList />
    </section>
  )
}

const days = 14
const chart = { width: 280, height: 96, gap: 4 }

const UsageChart = () => {
  const records = useStore(usage)
  if (records === undefined) return <p class="empty">Reading the usage…</p>
  if (records.length === 0) {
    return <p class="empty">No usage yet. Each day of calls becomes a bar here.</p>
  }
  const dates = [...new Set(records.map(({ date }) => date))].slice(0, days).reverse()
  const of = (date: string, operation: Usage["operation"]) =>
    records.find((record) => record.date === date && record.operation === operation)?.credits ?? 0
  const totals = dates.map((date) => of(date, "synthesize") + of(date, "transcribe"))
  const most = Math.max(1, ...totals)
  const step = chart.width / Math.max(7, dates.length)
  const tall = (credits: number) => (credits === 0 ? 0 : Math.max(1, (chart.height * credits) / most))
  return (
    <>
      <h3>Usage</h3>
      <svg
        class="usage"
        viewBox={`0 0 ${chart.width} ${chart.height + 16}`}
        role="img"
        aria-label={`Credits used on each of the last ${plural(dates.length, "day")}: at most ${number(most)}. The table below has the numbers.`}
      >
        <path class="axis" d={`M0 ${chart.height + 0.5}H${chart.width}M0 .5H${chart.width}`} />
        {dates.map((date, index) => {
          const left = chart.width - (dates.length - index) * step + chart.gap / 2
          const synthesis = tall(of(date, "synthesize"))
          const transcription = tall(of(date, "transcribe"))
          const width = Math.min(24, step - chart.gap)
          return (
            <g key={date}>
              <rect class="synthesis" x={left} y={chart.height - synthesis} width={width} height={synthesis} />
              <rect
                class="transcription"
                x={left}
                y={chart.height - synthesis - transcription}
                width={width}
                height={transcription}
              />
              <text x={left + width / 2} y={chart.height + 12} text-anchor="middle">
                {date.slice(8)}
              </text>
            </g>
          )
        })}
      </svg>
      <p class="legend quiet">
        <span class="swatch synthesis" /> synthesis <span class="swatch transcription" /> transcription
      </p>
      <details>
        <summary>Usage as a table</summary>
        <table class="small">
          <caption class="hidden">Usage by day and operation</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Operation</th>
              <th scope="col" class="end">
                Calls
              </th>
              <th scope="col" class="end">
                Units
              </th>
              <th scope="col" class="end">
                Credits
              </th>
            </tr>
          </thead>
          <tbody>
            {records.map(({ calls, credits, date, operation, units }) => (
              <tr key={`${date} ${operation}`}>
                <td>{date}</td>
                <td>{operation}</td>
                <td class="end">{number(calls)}</td>
                <td class="end">{number(units)}</td>
                <td class="end">{number(credits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

const CreatedKey = Schema.Struct({ ...Key.fields, key: Schema.String })

const KeyList = () => {
  const known = useStore(keys)
  const [created, setCreated] = useState<typeof CreatedKey.Type>()
  const [failure, setFailure] = useState<Failure>()
  const [name, setName] = useState("")
  const shown = useRef<HTMLDivElement>(null)
  const active = known?.active ?? undefined

  const create = async () => {
    const wanted = name.trim()
    if (wanted === "") return setFailure({ message: "Give the key a name, such as the program that will use it." })
    const agreed =
      active === undefined ||
      (await confirmed({
        title: `Create the key “${wanted}”?`,
        message: `This revokes the key “${active.name}” at once. Programs that use it will get 401.`,
        action: "Create and revoke"
      }))
    if (!agreed) return
    const outcome = await call("POST", "platform/api/keys", CreatedKey, {
      json: { name: wanted, ...(active === undefined ? {} : { confirm: true }) }
    })
    setFailure(outcome.ok ? undefined : outcome.failure)
    if (!outcome.ok) return
    setCreated(outcome.value)
    setName("")
    await readKeys()
    shown.current?.focus()
  }

  const revoke = async ({ id, name }: Key) => {
    const agreed = await confirmed({
      title: `Revoke the key “${name}”?`,
      message: "Programs that use it will get 401 from their next request on. You cannot undo this.",
      action: "Revoke"
    })
    if (!agreed) return
    const outcome = await call("POST", `platform/api/keys/${encodeURIComponent(id)}/revoke`, Keys)
    setFailure(outcome.ok ? undefined : outcome.failure)
    if (outcome.ok) keys.set(outcome.value)
  }

  const setScope = async ({ id, scopes: before }: Key, scope: KeyScope, isOn: boolean) => {
    const wanted = scopes.filter((each) => (each === scope ? isOn : before.includes(each)))
    const outcome = await call("PATCH", `platform/api/keys/${encodeURIComponent(id)}`, Key, {
      json: { scopes: wanted }
    })
    setFailure(outcome.ok ? undefined : outcome.failure)
    await readKeys()
  }

  return (
    <>
      <h3>Key</h3>
      {created && (
        <div class="new-key" ref={shown} tabIndex={-1} role="status">
          <p>
            Copy the key “<bdi>{created.name}</bdi>” now. The service shows it only once.
          </p>
          <code>{created.key}</code>
          <div class="actions">
            <button type="button" class="primary" onClick={() => void copy("the key", created.key)}>
              Copy the key
            </button>
            <button type="button" onClick={() => setCreated(undefined)}>
              Done
            </button>
          </div>
        </div>
      )}
      {active ? (
        <div class="key">
          <p>
            <strong>
              <bdi>{active.name}</bdi>
            </strong>{" "}
            <code>{active.id}</code>
            <br />
            <span class="quiet">
              created {dateAndTime(active.createdAt)} by {active.creator}
            </span>
          </p>
          <fieldset>
            <legend>Scopes</legend>
            {scopes.map((scope) => (
              <label key={scope} class="check">
                <input
                  type="checkbox"
                  checked={active.scopes.includes(scope)}
                  onChange={(event) => void setScope(active, scope, event.currentTarget.checked)}
                />
                <code>{scope}</code>
              </label>
            ))}
          </fieldset>
          <button type="button" onClick={() => void revoke(active)}>
            Revoke
          </button>
        </div>
      ) : (
        <p class="empty key-place">
          {known === undefined ? "Reading the key…" : "No key is active. Programs get 401 until you create one."}
        </p>
      )}
      <form
        class="row-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <label class="field grow">
          <span>Name of a new key</span>
          <input
            autocomplete="off"
            maxLength={100}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Create</button>
      </form>
      {failure && <FailureNote failure={failure} />}
      {known && known.archived.length > 0 && (
        <details>
          <summary>{plural(known.archived.length, "revoked key")}</summary>
          <ul class="plain">
            {known.archived.map(({ createdAt, id, name, revokedAt }) => (
              <li key={id}>
                <bdi>{name}</bdi> <code>{id}</code>
                <br />
                <span class="quiet">
                  {dateAndTime(createdAt)}
                  {revokedAt !== null && ` to ${dateAndTime(revokedAt)}`}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
