/** Faults that one click sets. */
import { useState } from "preact/hooks"
import type { Fault, FaultRecord } from "../../../src/Faults.js"
import { describeFault } from "./describeFault.js"
import { isOn } from "./faultTimes.js"
import { nameOf } from "./setFaults.js"

const presets: ReadonlyArray<Fault> = [
  { operation: "synthesize", times: 1, status: 502 },
  { every: 3, status: 503, headers: { "Retry-After": "1" } },
  { forMillis: 20_000, status: 503 },
  { delayMillis: 2000 },
  { operation: "synthesize", truncateAtByte: 20_000 },
  { reset: "answer" }
]

export interface PresetsProps {
  readonly records: ReadonlyArray<FaultRecord>
  readonly onChange: (fault: Fault, isOn: boolean) => Promise<void>
}

export const Presets = ({ onChange, records }: PresetsProps) => {
  /** Changed, until the service has taken it: a drawing in between would show the state before. */
  const [changing, setChanging] = useState<{ readonly fault: Fault; readonly isOn: boolean }>()
  const change = async (fault: Fault, wanted: boolean) => {
    setChanging({ fault, isOn: wanted })
    await onChange(fault, wanted)
    setChanging(undefined)
  }
  return (
    <ul class="plain lines">
      {presets.map((fault) => {
        const isSet = records.some((record) => nameOf(record.fault) === nameOf(fault) && isOn(record))
        const on = changing?.fault === fault ? changing.isOn : isSet
        return (
          <li key={nameOf(fault)}>
            <label class="check preset">
              <input
                type="checkbox"
                role="switch"
                aria-checked={on}
                checked={on}
                onChange={(event) => void change(fault, event.currentTarget.checked)}
              />
              {describeFault(fault)}
            </label>
          </li>
        )
      })}
    </ul>
  )
}
