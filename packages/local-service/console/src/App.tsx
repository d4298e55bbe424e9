/** The page. */
import { useEffect, useState } from "preact/hooks"
import { Account } from "./Account.js"
import { type CallFailure, send, signedIn } from "./api.js"
import { Faults } from "./Faults.js"
import { Listen } from "./Listen.js"
import { follow } from "./live.js"
import { Models } from "./Models.js"
import { confirmed, FailureNote, Notices, say } from "./notices.js"
import { Requests } from "./Requests.js"
import { Runs } from "./Runs.js"
import { enter, leave, SignIn } from "./SignIn.js"
import { Speak } from "./Speak.js"
import { about, account, faults, keys, models, readAbout, trouble, usage } from "./state.js"
import { useStore } from "./store.js"
import { type Theme, theme } from "./theme.js"

export const App = () => {
  const session = useStore(signedIn)
  useEffect(() => {
    void enter()
    // The link may be opened in a tab that shows the page already.
    const onHash = () => {
      if (/^#[^/]/.test(location.hash)) void enter()
    }
    window.addEventListener("hashchange", onHash)
    return () => window.removeEventListener("hashchange", onHash)
  }, [])
  if (session === undefined) return <main aria-busy="true" />
  return (
    <>
      {session ? <Console /> : <SignIn />}
      <Notices />
    </>
  )
}

const Console = () => {
  const failure = useStore(trouble)
  const [signOutFailure, setSignOutFailure] = useState<CallFailure>()
  // Shown at once, so that nothing moves while its parts arrive.
  const isRead = [useStore(account), useStore(faults), useStore(keys), useStore(usage)].every(Boolean)
  useEffect(() => {
    void readAbout()
    return follow()
  }, [])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("requests-filter")?.focus()}>
        Skip to the requests
      </button>
      <Header onSignOut={async () => setSignOutFailure(await leave())} />
      <main>
        {(failure || signOutFailure) && (
          <div class="trouble">
            {failure && <FailureNote failure={failure} />}
            {signOutFailure && <FailureNote failure={signOutFailure} />}
          </div>
        )}
        <div class="grid">
          <Speak />
          <Listen />
          <div class="side" data-ready={isRead || failure !== undefined}>
            <Faults />
            <Account />
          </div>
          <Requests />
          <Runs />
          <Models />
        </div>
      </main>
    </>
  )
}

const Header = ({ onSignOut }: { readonly onSignOut: () => Promise<void> }) => {
  const service = useStore(about)
  const chosen = useStore(theme)
  const voices = useStore(models)?.filter(({ operation }) => operation === "synthesize")
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
    <header>
      <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 10v4M7.5 7v10M12 3v18M16.5 7v10M21 10v4" />
      </svg>
      <h1>Local speech service</h1>
      <span class="quiet">
        {voices && `${[...new Set(voices.map(({ family, name }) => family ?? name))].join(", ")} · `}nothing leaves this
        machine{service && ` · ${service.version}`}
      </span>
      <span class="spring" />
      <a href="openapi.json">openapi.json</a>
      <label class="inline">
        <span>Theme</span>
        <select value={chosen} onChange={(event) => theme.set(event.currentTarget.value as Theme)}>
          <option value="auto">auto</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
      <button type="button" onClick={() => void reset()}>
        Reset
      </button>
      <button type="button" onClick={() => void onSignOut()}>
        Sign out
      </button>
    </header>
  )
}
