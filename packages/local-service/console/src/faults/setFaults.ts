/** The calls that change the faults. */
import * as Schema from "effect/Schema"
import { type Fault, FaultRecord } from "../../../src/Faults.js"
import { type CallFailure, call } from "../api.js"
import { faults } from "../state.js"
import { isOn } from "./faultTimes.js"

/** Replaces the faults. Returns why the service refused them, if it did. */
export const setFaults = async (wanted: ReadonlyArray<Fault>): Promise<CallFailure | undefined> => {
  const outcome = await call("PUT", "platform/api/faults", Schema.Array(FaultRecord), { json: wanted })
  if (!outcome.ok) return outcome.failure
  faults.set(outcome.value)
  return undefined
}

/** The same for faults with the same fields, in any order. */
export const nameOf = (fault: Fault): string =>
  JSON.stringify(Object.entries(fault).sort(([one], [other]) => (one < other ? -1 : 1)))

/** The faults that can still fail a request. A change starts all counts again, so the others would begin again too. */
export const withEffect = (records: ReadonlyArray<FaultRecord>): ReadonlyArray<Fault> =>
  records.filter(isOn).map(({ fault }) => fault)
