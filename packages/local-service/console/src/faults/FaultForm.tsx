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
    choice: (name) => ({
      value: form[name],
      onChange: (value) => setForm((before) => ({ ...before, [name]: value }))
    }),
    field: (name) => ({
      name,
      value: form[name],
      problem: "problem" in result && result.field === name ? result.problem : undefined,
      onInput: (value) => {
        // What was said of the fault before is not about this one.
        say("")
        setForm((before) => ({ ...before, [name]: value }))
      }
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
      <KindChoice kind={form.kind} onChange={fields.choice("kind").onChange} />
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
  /** What a field of a text needs. */
  readonly field: (name: FieldName) => Omit<FieldProps, "label">
  /** What a choice needs, beside its options. */
  readonly choice: <Name extends keyof FormFields>(
    name: Name
  ) => { readonly value: FormFields[Name]; readonly onChange: (value: FormFields[Name]) => void }
}

const KindFields = ({ choice, field, form }: FieldsProps) => {
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
            {...choice("cutBy")}
            options={[
              ["truncateAtByte", "close the connection"],
              ["stallAtByte", "send nothing more"]
            ]}
          />
        </div>
      )
    case "reset":
      return (
        <Select
          label="When"
          {...choice("resetAt")}
          options={[
            ["answer", "instead of the response, after the work"],
            ["request", "when the request arrives"]
          ]}
        />
      )
    case "malformed":
      return <MalformedFields choice={choice} field={field} form={form} />
  }
}

const MalformedFields = ({ choice, field, form }: FieldsProps) => (
  <>
    <Select
      label="What is malformed"
      {...choice("malformed")}
      options={[
        ["malformedHeader", "a header line without a colon"],
        ["body", "the body"],
        ["headers", "headers"]
      ]}
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

const WhichFields = ({ choice, field, form }: FieldsProps) => (
  <fieldset class="which">
    <legend>Which requests</legend>
    <div class="fields">
      <Select
        label="Operation"
        {...choice("operation")}
        options={[
          ["", "both"],
          ["synthesize", "synthesis"],
          ["transcribe", "transcription"]
        ]}
      />
      <Select label="Requests" {...choice("choice")} options={choiceNames} />
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
