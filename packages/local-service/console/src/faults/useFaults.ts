import { useEffect, useState } from "preact/hooks"
import type { FaultRecord } from "../../../src/Faults.js"
import { faults } from "../state.js"
import { useStore } from "../store.js"
import { laterBy } from "./faultTimes.js"

let readAt = performance.now()
faults.subscribe(() => {
  readAt = performance.now()
})

const tickMillis = 500

/** The faults at this moment. Draws again while a time goes on. */
export const useFaults = (): ReadonlyArray<FaultRecord> => {
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
