/** How to run a program against the service. */
import { copy } from "../notices.js"
import { Section } from "../Section.js"
import { about } from "../state.js"
import { useStore } from "../store.js"

/** The key is not among them: the service shows it only once. */
const linesFor = ({ sttBaseUrl, ttsBaseUrl }: { readonly sttBaseUrl: string; readonly ttsBaseUrl: string }): string =>
  [
    `export SPEECH_STT_BASE_URL=${sttBaseUrl}`,
    `export SPEECH_TTS_BASE_URL=${ttsBaseUrl}`,
    "export SPEECH_API_KEY=   # your key",
    "speech doctor",
    'speech synthesize "Hello." --lang en --out hello.wav'
  ].join("\n")

export const Program = () => {
  const service = useStore(about)
  const lines = service === undefined ? "…" : linesFor(service)
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
        Paste these lines into a terminal, with the key that <code>speech serve</code> printed or that you create here.
      </p>
      <pre>{lines}</pre>
    </Section>
  )
}
