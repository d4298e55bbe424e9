/** What a fault does at this moment. Its times go on between two readings of the list. */
import { useEffect, useState } from "preact/hooks"
import type { FaultRecord } from "../../../src/Faults.js"
import { faults } from "../state.js"
import { useStore } from "../store.js"

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

let readAt = performance.now()
faults.subscribe(() => {
  readAt = performance.now()
})

const tickMillis = 500

/** The faults at this moment. Draws again while a time goes on. */
export const useFaultTimes = (): ReadonlyArray<FaultRecord> => {
  const records = useStore(faults) ?? []
  const [, redraw] = useState({})
  const now = records.map((record) => laterBy(performance.now() - readAt, record))
  const isTimed = now.some((record) => record.beginsInMillis !== undefined || (record.endsInMillis ?? 0) > 0)
  useEffect(() => {
    if (!isTimed) return
    const ticking = setInterval(() => redraw({}), tickMillis)
    return () => clearInterval(ticking)
  }, [isTimed])
  return now
}
