/** What a fault does at this moment. Its times go on between two readings of the list. */
import type { FaultRecord } from "../../../src/Faults.js"

/**
 * - `on`: it fails the requests that it matches
 * - `waiting`: it has not begun
 * - `spent`: it has failed as often as it should
 * - `over`: its time is over
 */
export type FaultState = "on" | "waiting" | "spent" | "over"

export const stateOf = ({ beginsInMillis = 0, endsInMillis, fault, happened }: FaultRecord): FaultState => {
  if (fault.times !== undefined && happened >= fault.times) return "spent"
  if (endsInMillis === 0) return "over"
  return beginsInMillis > 0 ? "waiting" : "on"
}

/** Whether it can still fail a request. */
export const isOn = (record: FaultRecord): boolean => ["on", "waiting"].includes(stateOf(record))

/** The record as it is so many milliseconds after it was read. */
export const laterBy = (millis: number, record: FaultRecord): FaultRecord => {
  const { beginsInMillis, endsInMillis, ...rest } = record
  const begins = (beginsInMillis ?? 0) - millis
  return {
    ...rest,
    ...(begins > 0 && { beginsInMillis: begins }),
    ...(endsInMillis !== undefined && { endsInMillis: Math.max(0, endsInMillis - millis) })
  }
}
