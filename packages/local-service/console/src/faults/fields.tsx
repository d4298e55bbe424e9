/** The fields of a form whose values are texts. */
import { useId } from "preact/hooks"

export interface FieldProps {
  readonly label: string
  readonly class?: string
  readonly name: string
  readonly value: string
  /** Shown while the field is empty. */
  readonly hint?: string
  /** Lines of the field. Default: one. */
  readonly rows?: number
  /** Why the value is not taken. */
  readonly problem: string | undefined
  readonly onInput: (value: string) => void
}

export const Field = ({ class: className = "", hint, label, name, onInput, problem, rows, value }: FieldProps) => {
  const id = useId()
  const attributes = {
    id,
    name,
    value,
    placeholder: hint,
    autocomplete: "off",
    "aria-invalid": problem !== undefined,
    "aria-describedby": problem === undefined ? undefined : `${id}-problem`
  }
  return (
    <div class={`field ${className}`}>
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input {...attributes} onInput={(event) => onInput(event.currentTarget.value)} />
      ) : (
        <textarea {...attributes} rows={rows} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
      {problem !== undefined && (
        <span id={`${id}-problem`} class="problem">
          {problem}
        </span>
      )}
    </div>
  )
}

export interface SelectProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: ReadonlyArray<readonly [value: Value, name: string]>
  readonly onChange: (value: Value) => void
}

export const Select = <Value extends string>({ label, onChange, options, value }: SelectProps<Value>) => (
  <label class="field">
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
      {options.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  </label>
)
