import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Fault, type FaultRecord, type FaultReport, type FaultsService } from "../../Faults.js"
import type { JournalEntry } from "../../Journal.js"
import type { OperationName } from "../../OperationName.js"
import type { Changes } from "../journal/changes.js"
import { realClock } from "../realTime.js"
import { validateOrDie } from "../validation.js"
import { reportOn } from "./faultReport.js"
import { makeObservations, type Observations, type Observer } from "./observations.js"

/** The faults, with the operations' view of them. */
export interface ArmedFaults extends FaultsService {
  /** Counts a request that has arrived. `undefined` if no faults are set. */
  readonly arrived: (entry: Pick<JournalEntry, "number" | "at" | "operation">) => ObservedRequest | undefined
}

/** A request that arrived while faults were set. */
export interface ObservedRequest extends Observer {
  /** The fault to apply. */
  readonly fault: Fault | undefined
  /** The number of this fault, counted from 1. `undefined`: none. */
  readonly faultNumber: number | undefined
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
  let setAt = now()
  let observations: Observations | undefined
  const happens = (each: Armed, operation: OperationName, elapsed: number): boolean => {
    const { fault } = each
    if (fault.operation !== undefined && fault.operation !== operation) return false
    if (!lasts(fault, elapsed)) return false
    each.matched++
    if (!isChosen(fault, each.matched) || each.happened >= (fault.times ?? Number.POSITIVE_INFINITY)) return false
    return each.random() < (fault.probability ?? 1)
  }
  const records = (): ReadonlyArray<FaultRecord> => {
    const elapsed = now() - setAt
    return armed.map(({ fault, happened }) => ({ fault, happened, ...timeLeft(fault, elapsed) }))
  }
  /** The fault that a request meets, if any. */
  const next = (operation: OperationName): Armed | undefined => {
    const elapsed = now() - setAt
    // Filters instead of finding, because every fault counts the request.
    const [first] = armed.filter((each) => happens(each, operation, elapsed))
    if (first === undefined) return undefined
    first.happened++
    changed("faults")
    return first
  }
  return {
    set: (faults) =>
      Effect.map(validateOrDie(FaultList, faults), () => {
        const since = now()
        setAt = since
        armed = faults.map((fault) => ({ fault, random: randomNumbers(fault.seed ?? 0), matched: 0, happened: 0 }))
        observations = faults.length === 0 ? undefined : makeObservations(() => now() - since)
        changed("faults")
      }),
    list: Effect.sync(records),
    report: Effect.zipRight(
      settle(() => observations?.isInProgress() === true),
      Effect.sync(
        (): FaultReport => ({
          elapsedMillis: Math.round(now() - setAt),
          faults: records(),
          ...(observations?.report() ?? reportOn([]))
        })
      )
    ),
    arrived: (entry) => {
      if (observations === undefined) return undefined
      const met = next(entry.operation)
      const { body, status } = met?.fault ?? {}
      const faultNumber = met === undefined ? undefined : armed.indexOf(met) + 1
      const observer = observations.arrived(entry, {
        fault: faultNumber ?? null,
        isInjected: body !== undefined || status !== undefined
      })
      return { fault: met?.fault, faultNumber, ...observer }
    }
  }
}

/** A client may know that its request has ended before the service does, so a report waits a little. */
const settle = (isInProgress: () => boolean): Effect.Effect<void> =>
  Effect.sleep(5).pipe(
    Effect.repeat({ while: isInProgress, times: 20 }),
    Effect.when(isInProgress),
    Effect.withClock(realClock)
  )

/** Whether a fault lasts so many milliseconds after it was set. */
const lasts = ({ afterMillis = 0, forMillis = Number.POSITIVE_INFINITY }: Fault, elapsed: number): boolean =>
  elapsed >= afterMillis && elapsed - afterMillis < forMillis

/** When a fault begins and ends, in milliseconds from now, as `FaultRecord` says it. */
const timeLeft = ({ afterMillis = 0, forMillis }: Fault, elapsed: number): Omit<FaultRecord, "fault" | "happened"> => {
  const left = (millis: number) => Math.max(0, Math.ceil(millis - elapsed))
  return {
    ...(elapsed < afterMillis && { beginsInMillis: left(afterMillis) }),
    ...(forMillis !== undefined && { endsInMillis: left(afterMillis + forMillis) })
  }
}

/** Whether a fault matches the request of a number, counted from 1. */
const isChosen = ({ every = 1, nth = every }: Fault, count: number): boolean =>
  count >= nth && (count - nth) % every === 0

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
