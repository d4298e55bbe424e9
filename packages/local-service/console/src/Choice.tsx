/** A select under its label. It also shows a value which the service does not list, as an edited request may have. */
export interface ChoiceProps {
  readonly label: string
  readonly class: "field" | "inline"
  readonly values: ReadonlyArray<string>
  readonly value: string
  /** The words for a value. Default: the value. */
  readonly name?: (value: string) => string
  readonly onChange: (value: string) => void
}

export const Choice = ({ class: className, label, name = String, onChange, value, values }: ChoiceProps) => (
  <label class={className}>
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {(values.includes(value) ? values : [value, ...values]).map((each) => (
        <option key={each} value={each}>
          {name(each)}
        </option>
      ))}
    </select>
  </label>
)
