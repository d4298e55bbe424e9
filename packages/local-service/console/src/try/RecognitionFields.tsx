/** The choice of a model, and how the recording is sent. */
import { useId } from "preact/hooks"
import { language } from "../format.js"
import { about, models } from "../state.js"
import { useStore } from "../store.js"
import { modelGroups } from "./modelChoices.js"
import { chosenModel, hotwords, telephony } from "./recognition.js"

export interface RecognitionFieldsProps {
  readonly model: string
  /** Why the form can't send hotwords. */
  readonly problem: string | undefined
}

export const RecognitionFields = ({ model, problem }: RecognitionFieldsProps) => {
  const canBeTaught = useStore(about)?.canBeTaught ?? true
  return (
    <div class="options">
      <ModelChoice value={model} />
      <TelephonySwitch />
      {!canBeTaught && <Hotwords problem={problem} />}
    </div>
  )
}

const ModelChoice = ({ value }: { readonly value: string }) => {
  const groups = modelGroups(useStore(models))
  const isListed = groups.some(({ names }) => names.some(({ name }) => name === value))
  const id = useId()
  return (
    <div class="option">
      <label class="field">
        <span>Model</span>
        <select value={value} aria-describedby={id} onChange={(event) => chosenModel.set(event.currentTarget.value)}>
          {!isListed && <option value={value}>{value}</option>}
          {groups.map(({ lang, names }) => (
            <optgroup key={lang} label={language(lang)}>
              {names.map(({ label, name }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <p id={id} class="quiet">
        <code>{value}</code>
      </p>
    </div>
  )
}

const TelephonySwitch = () => {
  const isOn = useStore(telephony)
  const id = useId()
  return (
    <div class="option">
      <span class="caption" aria-hidden="true">
        Conversion
      </span>
      <label class="check">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-checked={isOn}
          aria-describedby={id}
          onChange={(event) => telephony.set(event.currentTarget.checked)}
        />
        Telephony
      </label>
      <p id={id} class="quiet">
        Sends a WAV file as mono at 8 kHz.
      </p>
    </div>
  )
}

const Hotwords = ({ problem }: { readonly problem: string | undefined }) => {
  const id = useId()
  const value = useStore(hotwords)
  return (
    <div class="option whole">
      <label class="field">
        <span>Hotwords, separated by commas</span>
        <input
          dir="auto"
          autocomplete="off"
          value={value}
          disabled={problem !== undefined}
          aria-describedby={id}
          onInput={(event) => hotwords.set(event.currentTarget.value)}
        />
      </label>
      <p id={id} class="quiet">
        {problem ?? "Phrases that the recognition prefers."}
      </p>
    </div>
  )
}
