/** Failures on demand. */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { useState } from "preact/hooks"
import { Fault, FaultRecord } from "../../../src/Faults.js"
import { type CallFailure, call } from "../api.js"
import { Form } from "../Form.js"
import { FailureNote, say } from "../notices.js"
import { Room } from "../Room.js"
import { faults } from "../state.js"
import { useStore } from "../store.js"

interface Preset {
  readonly name: string
  readonly fault: Fault
}

const presets: ReadonlyArray<Preset> = [
  { name: "Next synthesis fails with 502", fault: { operation: "synthesize", times: 1, status: 502 } },
  { name: "Every answer is 2 s late", fault: { delayMillis: 2000 } },
  {
    name: "One in three is 503, Retry-After: 1",
    fault: { probability: 0.33, status: 503, headers: { "Retry-After": "1" } }
  },
  { name: "Audio is cut off after 20 kB", fault: { operation: "synthesize", truncateAtByte: 20_000 } },
  { name: "The connection is reset", fault: { reset: "answer" } },
  { name: "Everything is 503 for 20 s", fault: { forMillis: 20_000, status: 503 } }
]

/** The same for faults with the same fields, in any order. */
const nameOf = (fault: Fault): string =>
  JSON.stringify(Object.entries(fault).sort(([one], [other]) => (one < other ? -1 : 1)))

const isSpent = ({ fault, happened }: FaultRecord): boolean => fault.times !== undefined && happened >= fault.times

/** Sets the faults. This counts from zero again, so faults that are spent are left out. */
const set = async (wanted: ReadonlyArray<Fault>): Promise<CallFailure | undefined> => {
  const outcome = await call("PUT", "platform/api/faults", Schema.Array(FaultRecord), { json: wanted })
  if (!outcome.ok) return outcome.failure
  faults.set(outcome.value)
  return undefined
}

const withEffect = (records: ReadonlyArray<FaultRecord>): ReadonlyArray<Fault> =>
  records.filter((record) => !isSpent(record)).map(({ fault }) => fault)

export const Faults = () => {
  const records = useStore(faults) ?? []
  const [failure, setFailure] = useState<CallFailure>()

  const recordOf = (fault: Fault) => records.find((record) => nameOf(record.fault) === nameOf(fault))
  const isPreset = ({ fault }: FaultRecord) => presets.some((preset) => nameOf(preset.fault) === nameOf(fault))
  const others = records.filter((record) => !isPreset(record))

  const change = async (fault: Fault, isOn: boolean) => {
    const rest = withEffect(records).filter((each) => nameOf(each) !== nameOf(fault))
    setFailure(await set(isOn ? [...rest, fault] : rest))
  }

  return (
    <Room name="faults" title="Faults" beside={<span class="quiet">failures on demand</span>}>
      <ul class="plain">
        {presets.map(({ fault, name }) => {
          const record = recordOf(fault)
          return (
            <li key={name} class="fault">
              <label class="check">
                <input
                  type="checkbox"
                  role="switch"
                  aria-checked={record !== undefined && !isSpent(record)}
                  checked={record !== undefined && !isSpent(record)}
                  onChange={(event) => void change(fault, event.currentTarget.checked)}
                />
                {name}
              </label>
              <Count record={record} />
            </li>
          )
        })}
        {others.map((record) => (
          <li key={nameOf(record.fault)} class="fault">
            <code class="own">{JSON.stringify(record.fault)}</code>
            <Count record={record} />
            <button
              type="button"
              aria-label={`Remove ${JSON.stringify(record.fault)}`}
              onClick={() => void change(record.fault, false)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {failure && <FailureNote failure={failure} />}
      <details>
        <summary>Make a fault of your own</summary>
        <FaultForm onFault={async (fault) => set([...withEffect(records), fault])} />
      </details>
      {records.length > 1 && (
        <p class="quiet">
          If several match a request, the first happens. Each change starts all counts and times again.
        </p>
      )}
    </Room>
  )
}

const Count = ({ record }: { readonly record: FaultRecord | undefined }) => {
  if (record === undefined) return null
  const { happened } = record
  if (happened === 0) return <span class="badge">waiting</span>
  return (
    <span class="badge">
      {isSpent(record) && "spent, "}happened {happened}×
    </span>
  )
}

const decode = Schema.decodeUnknownEither(Fault)

const fields = [
  { name: "afterMillis", label: "Begins after milliseconds", hint: "Default: 0" },
  { name: "forMillis", label: "Lasts for milliseconds", hint: "Default: until it is removed" },
  { name: "nth", label: "First request to match", hint: "Default: 1" },
  { name: "times", label: "Number of failures", hint: "Default: no limit" },
  { name: "probability", label: "Probability, 0 to 1", hint: "Default: 1" },
  { name: "seed", label: "Seed of the probability", hint: "Default: 0" },
  { name: "status", label: "Status, 200 to 599", hint: "" },
  { name: "delayMillis", label: "Delay in milliseconds", hint: "" },
  { name: "truncateAtByte", label: "Cut off after bytes", hint: "" },
  { name: "stallAtByte", label: "Stall after bytes", hint: "" }
] as const

/** The fault of a form. A field that is left empty stays absent. */
const faultOf = (form: FormData): unknown => {
  const read = (name: string) => String(form.get(name) ?? "")
  const fault: Record<string, unknown> = {}
  for (const name of ["operation", "message", "body"]) if (read(name) !== "") fault[name] = read(name)
  // A control named `reset` would hide the method of the form.
  if (read("resetAt") !== "") fault.reset = read("resetAt")
  for (const { name } of fields) if (read(name).trim() !== "") fault[name] = Number(read(name))
  if (read("malformedHeader") !== "") fault.malformedHeader = true
  const headers = read("headers")
    .split("\n")
    .filter((line) => line.trim() !== "")
  if (headers.length > 0) {
    fault.headers = Object.fromEntries(
      headers.map((line) => {
        const [name = "", ...value] = line.split(":")
        return [name.trim(), value.join(":").trim() || null]
      })
    )
  }
  return fault
}

const FaultForm = ({ onFault }: { readonly onFault: (fault: Fault) => Promise<CallFailure | undefined> }) => {
  const [failure, setFailure] = useState<CallFailure>()
  const submit = async (form: HTMLFormElement) => {
    const decoded = decode(faultOf(new FormData(form)))
    if (Either.isLeft(decoded)) {
      const { field, problem } = Issue.first(decoded.left.issue)
      return setFailure({ message: `${field === "request" ? "The fault" : field} ${problem}.` })
    }
    const refused = await onFault(decoded.right)
    setFailure(refused)
    if (refused !== undefined) return
    form.reset()
    say("The fault is set.")
  }
  return (
    <Form onSubmit={submit}>
      <div class="fields">
        <label class="field">
          <span>Operation</span>
          <select name="operation">
            <option value="">both</option>
            <option value="synthesize">synthesize</option>
            <option value="transcribe">transcribe</option>
          </select>
        </label>
        <label class="field">
          <span>Reset the connection</span>
          <select name="resetAt">
            <option value="">no</option>
            <option value="request">when the request arrives</option>
            <option value="answer">instead of the answer</option>
          </select>
        </label>
        {fields.map(({ hint, label, name }) => (
          <label key={name} class="field">
            <span>{label}</span>
            <input name={name} inputMode="decimal" autocomplete="off" placeholder={hint} />
          </label>
        ))}
      </div>
      <label class="field">
        <span>Message of the answer with the status</span>
        <input name="message" autocomplete="off" />
      </label>
      <label class="field">
        <span>Body instead of the operation's own</span>
        <textarea name="body" rows={2} />
      </label>
      <label class="field">
        <span>Headers, one a line. A name without a value removes the header.</span>
        <textarea name="headers" rows={2} placeholder="Retry-After: 1" />
      </label>
      <label class="check">
        <input type="checkbox" name="malformedHeader" value="true" />
        Send a header line that no client can parse
      </label>
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary">
        Set the fault
      </button>
    </Form>
  )
}
