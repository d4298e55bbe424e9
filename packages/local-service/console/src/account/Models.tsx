/** The models of the service, with their state. */
import type { Model } from "../../../src/Models.js"
import { bytes, language, number, plural, voice } from "../format.js"
import { Section } from "../Section.js"
import { models } from "../state.js"
import { useStore } from "../store.js"

const purposes = { transcribe: "transcription", synthesize: "synthesis" } as const

export const Models = () => {
  const all = useStore(models)
  return (
    <Section class="models" title="Models" beside={<span class="quiet">what recognises and speaks</span>}>
      {all === undefined ? (
        <p class="empty">Reading the models…</p>
      ) : (
        <ul class="plain lines">
          {all.map((model) => (
            <Entry key={`${model.operation} ${model.name}`} model={model} />
          ))}
        </ul>
      )}
    </Section>
  )
}

const Entry = ({ model }: { readonly model: Model }) => {
  const { bytes: size, family, licence, name, operation, reason, sampleRate, state } = model
  const facts = [
    purposes[operation],
    family !== name && family,
    `${number(sampleRate)} Hz`,
    size !== undefined && bytes(size),
    licence !== undefined && `licence ${licence}`
  ]
  return (
    <li class="model">
      <div class="title">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span class="badge" data-state={state}>
          {state}
        </span>
      </div>
      <p class="quiet">{facts.filter(Boolean).join(" · ")}</p>
      <Work model={model} />
      <Names label="language" values={model.languages.map(language)} />
      {model.operation === "transcribe" ? (
        <Names label="name" values={model.names.map((each) => each.name).filter((each) => each !== name)} />
      ) : (
        <Names label="voice" values={model.voices.map((each) => voice(each.name))} />
      )}
      {reason !== undefined && <p class={state === "refused" ? "problem" : "quiet"}>{reason}</p>}
    </li>
  )
}

/** What the model does now, if its engine counts it. */
const Work = ({ model: { queued = 0, rejected = 0, restarts = 0, running = 0 } }: { readonly model: Model }) => {
  const counts = [
    running > 0 && `${number(running)} running`,
    queued > 0 && `${number(queued)} waiting`,
    rejected > 0 && `${number(rejected)} refused`,
    restarts > 0 && plural(restarts, "restart")
  ]
  const shown = counts.filter(Boolean)
  return shown.length === 0 ? null : <p>{shown.join(" · ")}</p>
}

const shownAtOnce = 4

/** A few names, or their number with the names behind it. */
const Names = ({ label, values }: { readonly label: string; readonly values: ReadonlyArray<string> }) => {
  if (values.length === 0) return null
  const list = <bdi>{values.join(", ")}</bdi>
  if (values.length > shownAtOnce) {
    return (
      <details class="quiet">
        <summary>{plural(values.length, label)}</summary>
        {list}
      </details>
    )
  }
  return (
    <p class="quiet">
      {label}
      {values.length === 1 ? "" : "s"}: {list}
    </p>
  )
}
