/** The form of the admin token, for a browser without a session. */
import { useEffect, useRef, useState } from "preact/hooks"
import { rooms } from "./address.js"
import { type CallFailure, type Outcome, send, signedIn } from "./api.js"
import { Form } from "./Form.js"
import { FailureNote } from "./notices.js"
import { makeStore, useStore } from "./store.js"
import { useCall } from "./useCall.js"

const linkFailed = makeStore(false)

/** How the latest session of this tab ended: by its own button, or otherwise. */
let ended: "here" | "elsewhere" | undefined
signedIn.subscribe(() => {
  if (signedIn.get() === true) ended = "elsewhere"
})

/** Tells the other tabs that this browser has a session, so that they go on. */
const tabs = new BroadcastChannel("effect-speech-console")
tabs.addEventListener("message", () => {
  if (signedIn.get() === false) void enter()
})
const begin = (): void => {
  signedIn.set(true)
  tabs.postMessage("signed in")
}

/** A code is a fragment without a slash, and no name of a room: a room is also found without its slash. */
const codeIn = (hash: string): string | undefined => {
  const [, code] = /^#([A-Za-z0-9_-]{8,200})$/.exec(hash) ?? []
  return rooms.some((room) => room === code) ? undefined : code
}

/** Exchanges the code of a link for a session, and removes it from the address. Then checks the session. */
export const enter = async (): Promise<void> => {
  const code = codeIn(location.hash)
  if (code !== undefined) {
    const outcome = await send("POST", "console/session", { json: { code } })
    history.replaceState(null, "", location.pathname + location.search)
    linkFailed.set(!outcome.ok)
    if (outcome.ok) return begin()
  }
  const session = await send("GET", "platform/api/account")
  // Without an answer the page shows itself, and says that the service does not respond.
  signedIn.set(session.ok || session.status !== 401)
}

/** Ends the session, in all tabs. Gives the failure if the service does not say that it has ended. */
export const leave = async (): Promise<CallFailure | undefined> => {
  const outcome = await send("DELETE", "console/session")
  if (!outcome.ok) return { ...outcome.failure, message: `You may still be signed in. ${outcome.failure.message}` }
  ended = "here"
  signedIn.set(false)
  return undefined
}

const sendToken = async (token: string): Promise<Outcome<Response>> => {
  const outcome = await send("POST", "console/session", { json: { token } })
  if (outcome.ok || outcome.status !== 401) return outcome
  return { ...outcome, failure: { message: "This is not the admin token. Paste the one that speech serve printed." } }
}

const linkProblem =
  "This link was already used, or it is from an earlier start of the service. Sign in with the admin token instead."

const invitation = (): string => {
  const how = "Open the link that speech serve printed, or sign in with its admin token."
  if (ended === undefined) return how
  if (ended === "here") return `You are signed out. ${how}`
  return `Your session has ended: the service was started again, or another tab signed out. ${how}`
}

export const SignIn = () => {
  const failedLink = useStore(linkFailed)
  const [token, setToken] = useState("")
  const { busy, failure, make, refuse } = useCall()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  const submit = async () => {
    if (token.trim() === "") return refuse("Paste the token that speech serve printed.")
    const accepted = await make(() => sendToken(token.trim()))
    if (accepted === undefined) return
    linkFailed.set(false)
    begin()
  }

  return (
    <main class="sign-in">
      <section class="card" aria-labelledby="sign-in">
        <h1 id="sign-in">Local speech service</h1>
        <p>{failedLink ? linkProblem : invitation()}</p>
        <Form onSubmit={submit}>
          <input
            class="hidden"
            name="username"
            autocomplete="username"
            value="admin"
            readOnly
            tabIndex={-1}
            aria-hidden="true"
          />
          <label class="field">
            <span>Admin token</span>
            <input
              ref={field}
              type="password"
              autocomplete="current-password"
              value={token}
              aria-invalid={failure !== undefined}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          </label>
          {failure && <FailureNote failure={failure} />}
          <button type="submit" class="primary" aria-busy={busy}>
            Sign in
          </button>
        </Form>
      </section>
    </main>
  )
}
