import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Fault, type FaultsService } from "../../Faults.js"
import type { OperationName } from "../../OperationName.js"
import type { Changes } from "../journal/changes.js"
import { validateOrDie } from "../validation.js"

/** The faults, with the operations' view of them. */
export interface ArmedFaults extends FaultsService {
  /** Counts a request that has arrived, and returns the fault to apply. */
  readonly next: (operation: OperationName) => Fault | undefined
}

export class Faults extends Context.Tag("@effect-speech/local-service/internal/Faults")<Faults, ArmedFaults>() {}

const FaultList = Schema.Array(Fault)

interface Armed {
  readonly fault: Fault
  readonly random: () => number
  matched: number
  happened: number
}

export interface FaultsOptions extends Pick<Changes, "changed"> {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

export const makeFaults = ({ changed, now }: FaultsOptions): ArmedFaults => {
  let armed: ReadonlyArray<Armed> = []
  let setAt = 0
  const happens = (each: Armed, operation: OperationName, elapsed: number): boolean => {
    const { fault } = each
    if (fault.operation !== undefined && fault.operation !== operation) return false
    if (!lasts(fault, elapsed)) return false
    each.matched++
    if (each.matched < (fault.nth ?? 1) || each.happened >= (fault.times ?? Number.POSITIVE_INFINITY)) return false
    return each.random() < (fault.probability ?? 1)
  }
  return {
    set: (faults) =>
      Effect.map(validateOrDie(FaultList, faults), () => {
        setAt = now()
        armed = faults.map((fault) => ({ fault, random: randomNumbers(fault.seed ?? 0), matched: 0, happened: 0 }))
        changed("faults")
      }),
    list: Effect.sync(() => armed.map(({ fault, happened }) => ({ fault, happened }))),
    next: (operation) => {
      // Filters instead of finding, because every fault counts the request.
      const elapsed = armed.length === 0 ? 0 : now() - setAt
      const [first] = armed.filter((each) => happens(each, operation, elapsed))
      if (first === undefined) return undefined
      first.happened++
      changed("faults")
      return first.fault
    }
  }
}

/** Whether a fault lasts so many milliseconds after it was set. */
const lasts = ({ afterMillis = 0, forMillis = Number.POSITIVE_INFINITY }: Fault, elapsed: number): boolean =>
  elapsed >= afterMillis && elapsed - afterMillis < forMillis

/** Random numbers from 0 to 1: mulberry32 by Tommy Ettinger, in the public domain. */
const randomNumbers = (seed: number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
