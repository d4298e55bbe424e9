/** The keys of the account: the active one, a new one, and the revoked ones. */
import * as Schema from "effect/Schema"
import { useEffect, useRef, useState } from "preact/hooks"
import { Key, type KeyScope, Keys } from "../../../src/Accounts.js"
import { call, type Outcome } from "../api.js"
import { Form } from "../Form.js"
import { dateAndTime, plural } from "../format.js"
import { confirmed, copy, FailureNote } from "../notices.js"
import { keys, readKeys } from "../state.js"
import { useStore } from "../store.js"
import { useCall } from "../useCall.js"

const scopes: ReadonlyArray<KeyScope> = ["tts:synth", "stt:transcribe"]

const CreatedKey = Schema.Struct({ ...Key.fields, key: Schema.String })
export type CreatedKey = typeof CreatedKey.Type

type Make = <A>(call: () => Promise<Outcome<A>>) => Promise<A | undefined>

export interface KeyListProps {
  /** The new key, while it is shown. */
  readonly created: CreatedKey | undefined
  readonly onCreated: (created: CreatedKey | undefined) => void
}

export const KeyList = ({ created, onCreated }: KeyListProps) => {
  const known = useStore(keys)
  const { failure, make, refuse } = useCall()
  const active = known?.active ?? undefined
  return (
    <>
      {created && <NewKey key={created.id} created={created} onDone={() => onCreated(undefined)} />}
      {active ? (
        <ActiveKey active={active} make={make} />
      ) : (
        <p class="empty key-place">
          {known === undefined ? "Reading the key…" : "No key is active. Programs get 401 until you create one."}
        </p>
      )}
      <KeyForm active={active} make={make} refuse={refuse} onCreated={onCreated} />
      {failure && <FailureNote failure={failure} />}
      {known && known.archived.length > 0 && <RevokedKeys revoked={known.archived} />}
    </>
  )
}

/** The only place where the page shows a key. */
const NewKey = ({ created, onDone }: { readonly created: CreatedKey; readonly onDone: () => void }) => {
  const shown = useRef<HTMLDivElement>(null)
  useEffect(() => shown.current?.focus(), [])
  return (
    <div class="new-key" ref={shown} tabIndex={-1} role="status">
      <p>
        Copy the key “<bdi>{created.name}</bdi>” now. The service shows it only once.
      </p>
      <code>{created.key}</code>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void copy("the key", created.key)}>
          Copy the key
        </button>
        <button type="button" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  )
}

const ActiveKey = ({ active, make }: { readonly active: Key; readonly make: Make }) => {
  const { createdAt, creator, id, name } = active
  const path = `platform/api/keys/${encodeURIComponent(id)}`

  const revoke = async () => {
    const agreed = await confirmed({
      title: `Revoke the key “${name}”?`,
      message: "Programs that use it will get 401 from their next request on. You cannot undo this.",
      action: "Revoke"
    })
    if (!agreed) return
    const left = await make(() => call("POST", `${path}/revoke`, Keys))
    if (left !== undefined) keys.set(left)
  }

  /** Chosen, until the service has taken them: a drawing in between would show the scopes before. */
  const [chosen, setChosen] = useState<ReadonlyArray<KeyScope>>()
  const shown = chosen ?? active.scopes
  const setScope = async (scope: KeyScope, isOn: boolean) => {
    const wanted = scopes.filter((each) => (each === scope ? isOn : shown.includes(each)))
    setChosen(wanted)
    await make(() => call("PATCH", path, Key, { json: { scopes: wanted } }))
    await readKeys()
    setChosen(undefined)
  }

  return (
    <div class="key">
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{" "}
        <code>{id}</code>
        <br />
        <span class="quiet">
          created {dateAndTime(createdAt)} by {creator}
        </span>
      </p>
      <fieldset class="scopes">
        <legend>Scopes</legend>
        {scopes.map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={shown.includes(scope)}
              onChange={(event) => void setScope(scope, event.currentTarget.checked)}
            />
            <code>{scope}</code>
          </label>
        ))}
      </fieldset>
      <button type="button" class="destructive" onClick={() => void revoke()}>
        Revoke
      </button>
    </div>
  )
}

interface KeyFormProps {
  readonly active: Key | undefined
  readonly make: Make
  readonly refuse: (message: string) => void
  readonly onCreated: (created: CreatedKey) => void
}

const KeyForm = ({ active, make, onCreated, refuse }: KeyFormProps) => {
  const [name, setName] = useState("")

  const create = async () => {
    const wanted = name.trim()
    if (wanted === "") return refuse("Give the key a name, such as the program that will use it.")
    const agreed =
      active === undefined ||
      (await confirmed({
        title: `Create the key “${wanted}”?`,
        message: `This revokes the key “${active.name}” at once. Programs that use it will get 401.`,
        action: "Create and revoke"
      }))
    if (!agreed) return
    const json = { name: wanted, ...(active === undefined ? {} : { confirm: true }) }
    const created = await make(() => call("POST", "platform/api/keys", CreatedKey, { json }))
    if (created === undefined) return
    onCreated(created)
    setName("")
    await readKeys()
  }

  return (
    <Form class="row-form" onSubmit={create}>
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
    </Form>
  )
}

const RevokedKeys = ({ revoked }: { readonly revoked: ReadonlyArray<Key> }) => (
  <details>
    <summary>{plural(revoked.length, "revoked key")}</summary>
    <ul class="plain">
      {revoked.map(({ createdAt, id, name, revokedAt }) => (
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
)
