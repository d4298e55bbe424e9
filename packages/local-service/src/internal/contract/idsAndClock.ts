import { createHash, randomUUID } from "node:crypto"
import * as Uuid from "@effect-speech/common/Uuid"
import * as Context from "effect/Context"
import type { ReproducibleOptions } from "../../LocalServiceOptions.js"
import { monotonicMillis, wallMillis } from "../realTime.js"

/** Makes the ids and reads the clock for everything that the service sends or records. */
export class IdsAndClock extends Context.Tag("@effect-speech/local-service/internal/IdsAndClock")<
  IdsAndClock,
  {
    /** Makes a UUID. */
    readonly nextId: () => string
    readonly now: () => Date
    /** Starts to measure. The result returns the milliseconds since then: 0 if the time is fixed. */
    readonly startTimer: () => () => number
    /** Starts again from the initial options, changed by `options`. */
    readonly restart: (options?: ReproducibleOptions) => void
  }
>() {}

export const makeIdsAndClock = (initial: ReproducibleOptions): IdsAndClock["Type"] => {
  let options = initial
  let count = 0
  return {
    nextId: () => (options.seed === undefined ? randomUUID() : seededUuid(`${options.seed}:${count++}`)),
    now: () => options.fixedTime ?? new Date(wallMillis()),
    startTimer: () => {
      if (options.fixedTime !== undefined) return () => 0
      const startedAt = monotonicMillis()
      return () => monotonicMillis() - startedAt
    },
    restart: (next) => {
      options = { ...initial, ...next }
      count = 0
    }
  }
}

/** A UUID of version 4 (RFC 9562, 5.4) with bits of a digest in place of random ones. */
const seededUuid = (source: string): string => Uuid.fromBytes(createHash("sha256").update(source).digest(), 4)
