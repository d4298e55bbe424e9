import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Fault, FaultsService } from "../../Faults.js"
import type { OperationName } from "../../OperationName.js"
import { FaultList } from "../platform/platformRequests.js"
import { validateOrDie } from "../validateOrDie.js"

/** The faults as the operations meet them. */
export interface ArmedFaults extends FaultsService {
  /** What is to become of a request that has arrived. */
  readonly next: (operation: OperationName) => Effect.Effect<Fault | undefined>
}

export class Faults extends Context.Tag("@effect-speech/local-service/internal/Faults")<Faults, ArmedFaults>() {}

interface Armed {
  readonly fault: Fault
  readonly chance: () => number
  met: number
  happened: number
}

export const makeFaults = (): ArmedFaults => {
  let armed: ReadonlyArray<Armed> = []
  const happens = (each: Armed, operation: OperationName): boolean => {
    const { fault } = each
    if (fault.operation !== undefined && fault.operation !== operation) return false
    each.met++
    if (each.met < (fault.nth ?? 1) || each.happened >= (fault.times ?? Number.POSITIVE_INFINITY)) return false
    return each.chance() < (fault.probability ?? 1)
  }
  return {
    set: (faults) =>
      Effect.map(validateOrDie(FaultList, faults), () => {
        armed = faults.map((fault) => ({ fault, chance: chances(fault.seed ?? 0), met: 0, happened: 0 }))
      }),
    list: Effect.sync(() => armed.map(({ fault, happened }) => ({ fault, happened }))),
    next: (operation) =>
      Effect.sync(() => {
        // Each counts the request, also where another is what happens.
        const [first] = armed.filter((each) => happens(each, operation))
        if (first !== undefined) first.happened++
        return first?.fault
      })
  }
}

/** Numbers from 0 to 1: mulberry32 of Tommy Ettinger, which is in the public domain. */
const chances = (seed: number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
