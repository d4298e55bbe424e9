/** The service itself: its facts, the colours of the page, and how to leave or to begin again. */
import { useState } from "preact/hooks"
import { type CallFailure, send } from "../api.js"
import { confirmed, FailureNote, say } from "../notices.js"
import { Section } from "../Section.js"
import { leave } from "../SignIn.js"
import { about } from "../state.js"
import { useStore } from "../store.js"
import { type Theme, theme } from "../theme.js"

export const Service = () => {
  const service = useStore(about)
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
    <Section class="service" title="Service">
      <dl class="facts">
        <dt>Version</dt>
        <dd>{service?.version ?? "…"}</dd>
        <dt>Transcription</dt>
        <dd>
          <code>{service?.sttBaseUrl ?? "…"}</code>
        </dd>
        <dt>Synthesis</dt>
        <dd>
          <code>{service?.ttsBaseUrl ?? "…"}</code>
        </dd>
        <dt>Platform</dt>
        <dd>
          <code>{location.origin}</code>
        </dd>
        <dt>API</dt>
        <dd>
          <a href="openapi.json">openapi.json</a> · <a href="metrics">metrics</a> · <a href="ready">ready</a>
        </dd>
      </dl>
      <ThemeChoice />
      <div class="actions">
        <button type="button" onClick={async () => setSignOutFailure(await leave())}>
          Sign out
        </button>
        <button type="button" class="destructive" onClick={() => void reset()}>
          Reset…
        </button>
      </div>
      {signOutFailure && <FailureNote failure={signOutFailure} />}
    </Section>
  )
}

const themes: ReadonlyArray<readonly [Theme, string]> = [
  ["auto", "as the system"],
  ["light", "light"],
  ["dark", "dark"]
]

const ThemeChoice = () => {
  const chosen = useStore(theme)
  return (
    <fieldset class="choices">
      <legend>Theme</legend>
      {themes.map(([value, name]) => (
        <label key={value}>
          <input type="radio" name="theme" checked={chosen === value} onChange={() => theme.set(value)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}
