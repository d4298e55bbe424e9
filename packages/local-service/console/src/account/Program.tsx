/** How to run a program against the service. */
import type { About as AboutService } from "../../../src/internal/console/messages.js"
import { copy } from "../notices.js"
import { Section } from "../Section.js"
import { about } from "../state.js"
import { useStore } from "../store.js"

/** The key is among them only while the page shows it. */
const linesFor = ({ sttBaseUrl, ttsBaseUrl }: AboutService, apiKey: string | undefined): string =>
  [
    `export SPEECH_STT_BASE_URL=${sttBaseUrl}`,
    `export SPEECH_TTS_BASE_URL=${ttsBaseUrl}`,
    apiKey === undefined ? "export SPEECH_API_KEY=   # your key" : `export SPEECH_API_KEY=${apiKey}`,
    "speech doctor",
    'speech synthesize "Hello." --lang en --out hello.wav'
  ].join("\n")

export const Program = ({ apiKey }: { readonly apiKey: string | undefined }) => {
  const service = useStore(about)
  const lines = service === undefined ? "…" : linesFor(service, apiKey)
  return (
    <Section
      class="program"
      title="Run a program"
      beside={
        <button type="button" onClick={() => void copy("the lines", lines)}>
          Copy
        </button>
      }
    >
      <p class="quiet">
        {apiKey === undefined ? (
          <>
            Paste these lines into a terminal, with the key that <code>speech serve</code> printed or that you create
            here.
          </>
        ) : (
          "Paste these lines into a terminal. They hold the new key."
        )}
      </p>
      <pre>{lines}</pre>
    </Section>
  )
}
