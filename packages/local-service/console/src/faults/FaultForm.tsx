/** Makes a fault by its kind. A sentence says what it will do before it is set. */
import { useId, useState } from "preact/hooks"
import type { Fault } from "../../../src/Faults.js"
import type { CallFailure } from "../api.js"
import { Form } from "../Form.js"
import { copy, FailureNote, say } from "../notices.js"
import { describeFault } from "./describeFault.js"
import { type Choice, emptyForm, type FieldName, type FormFields, faultOf, kindNames, kinds } from "./faultFields.js"
import { Field, type FieldProps, Select } from "./fields.js"

export interface FaultFormProps {
  /** Sets the fault. Returns why the service refused it, if it did. */
  readonly onFault: (fault: Fault) => Promise<CallFailure | undefined>
}

export const FaultForm = ({ onFault }: FaultFormProps) => {
  const [form, setForm] = useState<FormFields>(emptyForm)
  const [failure, setFailure] = useState<CallFailure>()
  const result = faultOf(form)
  const fields: FieldsProps = {
    form,
    set: (changes) => setForm((before) => ({ ...before, ...changes })),
    field: (name) => ({
      name,
      value: form[name],
      problem: "problem" in result && result.field === name ? result.problem : undefined,
      onInput: (value) => setForm((before) => ({ ...before, [name]: value }))
    })
  }

  const submit = async (element: HTMLFormElement) => {
    if ("problem" in result) {
      element.querySelector<HTMLElement>(`[name="${result.field}"]`)?.focus()
      return
    }
    const refused = await onFault(result.fault)
    setFailure(refused)
    if (refused !== undefined) return
    setForm(emptyForm)
    say("The fault is set.")
  }

  return (
    <Form class="fault-form" onSubmit={submit}>
      <h3>Make your own</h3>
      <KindChoice kind={form.kind} onChange={(kind) => fields.set({ kind })} />
      <KindFields {...fields} />
      <WhichFields {...fields} />
      <Preview result={result} />
      {failure && <FailureNote failure={failure} />}
      <div class="actions">
        <button type="submit" class="primary">
          Set the fault
        </button>
        {"fault" in result && (
          <button type="button" onClick={() => void copy("the fault", JSON.stringify([result.fault], undefined, 2))}>
            Copy for --faults
          </button>
        )}
      </div>
    </Form>
  )
}

const KindChoice = ({
  kind,
  onChange
}: {
  readonly kind: string
  readonly onChange: (kind: FormFields["kind"]) => void
}) => {
  const group = useId()
  return (
    <fieldset class="choices">
      <legend class="hidden">Kind of the fault</legend>
      {kinds.map((each) => (
        <label key={each}>
          <input type="radio" name={group} checked={kind === each} onChange={() => onChange(each)} />
          <span>{kindNames[each]}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface FieldsProps {
  readonly form: FormFields
  readonly set: (changes: Partial<FormFields>) => void
  /** What a field of a text needs. */
  readonly field: (name: FieldName) => Omit<FieldProps, "label">
}

const KindFields = ({ field, form, set }: FieldsProps) => {
  switch (form.kind) {
    case "status":
      return (
        <div class="fields">
          <Field label="Status" {...field("status")} />
          <Field label="Retry-After, s" hint="none" {...field("retryAfter")} />
          <Field class="grow" label="Message" hint="this failure is an injected fault" {...field("message")} />
        </div>
      )
    case "delay":
      return (
        <div class="fields">
          <Field label="Delay, s" {...field("delaySeconds")} />
        </div>
      )
    case "cut":
      return (
        <div class="fields">
          <Field label="After bytes" {...field("bytes")} />
          <Select
            label="Then"
            value={form.cutBy}
            options={[
              ["truncateAtByte", "close the connection"],
              ["stallAtByte", "send nothing more"]
            ]}
            onChange={(cutBy) => set({ cutBy })}
          />
        </div>
      )
    case "reset":
      return (
        <Select
          label="When"
          value={form.resetAt}
          options={[
            ["answer", "instead of the response, after the work"],
            ["request", "when the request arrives"]
          ]}
          onChange={(resetAt) => set({ resetAt })}
        />
      )
    case "malformed":
      return <MalformedFields field={field} form={form} set={set} />
  }
}

const MalformedFields = ({ field, form, set }: FieldsProps) => (
  <>
    <Select
      label="What is malformed"
      value={form.malformed}
      options={[
        ["malformedHeader", "a header line without a colon"],
        ["body", "the body"],
        ["headers", "headers"]
      ]}
      onChange={(malformed) => set({ malformed })}
    />
    {form.malformed === "body" && <Field label="Body, with status 200" rows={2} {...field("body")} />}
    {form.malformed === "headers" && (
      <Field
        label="Headers, one a line. A name alone removes the header."
        hint="X-Sample-Rate: 1"
        rows={2}
        {...field("headers")}
      />
    )}
  </>
)

const choiceNames: ReadonlyArray<readonly [Choice, string]> = [
  ["all", "every request"],
  ["every", "every third, fourth, …"],
  ["nth", "from one on"],
  ["share", "a share of them"]
]

const WhichFields = ({ field, form, set }: FieldsProps) => (
  <fieldset class="which">
    <legend>Which requests</legend>
    <div class="fields">
      <Select
        label="Operation"
        value={form.operation}
        options={[
          ["", "both"],
          ["synthesize", "synthesis"],
          ["transcribe", "transcription"]
        ]}
        onChange={(operation) => set({ operation })}
      />
      <Select label="Requests" value={form.choice} options={choiceNames} onChange={(choice) => set({ choice })} />
      {form.choice === "every" && <Field label="Every … request" {...field("every")} />}
      {form.choice === "nth" && <Field label="First request" {...field("nth")} />}
      {form.choice === "share" && <Field label="Percent" {...field("percent")} />}
    </div>
    <div class="fields thirds">
      <Field label="At most, times" hint="no limit" {...field("times")} />
      <Field label="Begins after, s" hint="0" {...field("afterSeconds")} />
      <Field label="Lasts, s" hint="no end" {...field("forSeconds")} />
    </div>
  </fieldset>
)

/** A field says itself what is wrong with it. */
const Preview = ({ result }: { readonly result: ReturnType<typeof faultOf> }) =>
  "fault" in result ? (
    <output class="preview" dir="auto">
      {describeFault(result.fault)}
    </output>
  ) : (
    <output class="preview quiet">{result.field === undefined ? result.problem : "Not complete yet."}</output>
  )
