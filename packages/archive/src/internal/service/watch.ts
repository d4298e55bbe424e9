/**
 * Watching a run: its status whenever it changes, through an outage of the database, until it stops.
 */

import * as MonotonicClock from "@effect-speech/common/MonotonicClock"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ArchiveRunNotFound, ArchiveStoreFailed } from "../../ArchiveError.js"
import type { OutputReport, RunStatus } from "../../Run.js"
import { whileAway } from "../machine/calls.js"
import type { Machine } from "../machine/machine.js"
import type { AgreeError } from "../output/agree.js"
import { deadAfterMillis } from "../store/machines.js"
import type { RunRow, StoreService } from "../store/Store.js"
import { isOutage } from "../store/storeFailed.js"
import type { ArchiveService } from "./ArchiveService.js"

/** How often a run is looked at that may have stopped, and how often its files are counted. In milliseconds. */
const pollInterval = 200
const countInterval = 500

export interface Watch {
  /** A read for who watches: repeated through an outage. It fails once the machine of this process can't work any more. */
  readonly watched: <A, E>(effect: Effect.Effect<A, E | ArchiveStoreFailed>) => Effect.Effect<A, E | ArchiveStoreFailed>
  /** The row of a run that has stopped. Waits for it. */
  readonly untilStopped: (run: string) => Effect.Effect<RunRow, ArchiveRunNotFound | ArchiveStoreFailed>
  /** Waits a little, and asks again, while this holds. */
  readonly whileTrue: (holds: Effect.Effect<boolean, ArchiveStoreFailed>) => Effect.Effect<void, ArchiveStoreFailed>
  /** The last status of a run that this process has begun has what was found in its output. */
  readonly progress: (endings: {
    /** Done when the output of the run agrees. */
    readonly of: (run: string) => Deferred.Deferred<OutputReport, AgreeError> | undefined
    /** The run goes on. */
    readonly finishAtItsEnd: (run: string) => Effect.Effect<void>
  }) => ArchiveService["progress"]
}

export const make = (store: StoreService, machine: Machine | undefined): Watch => {
  const watched: Watch["watched"] = (effect) => {
    const repeated = Effect.retry(effect, { schedule: whileAway, while: isOutageOf })
    return machine === undefined ? repeated : Effect.raceFirst(repeated, Deferred.await(machine.ended))
  }

  /** Returns when it is time to count again, or as soon as the run has stopped. */
  const nextCount = (run: string, seen: Seen): Effect.Effect<void, ArchiveRunNotFound | ArchiveStoreFailed> =>
    Effect.gen(function* () {
      // Counting a million files takes most of a second: a tenth of the time is spent on it.
      const at = seen.at + Math.max(countInterval, 9 * seen.took)
      for (let left = at - (yield* MonotonicClock.millis); left > 0; left = at - (yield* MonotonicClock.millis)) {
        yield* Effect.sleep(Math.min(pollInterval, left))
        if (!(yield* seen.goesOn(yield* watched(store.run(run))))) return
      }
    })

  return {
    watched,
    untilStopped: (run) =>
      Effect.gen(function* () {
        const goesOn = makeGoesOn()
        let row = yield* watched(store.run(run))
        while (yield* goesOn(row)) {
          yield* Effect.sleep(pollInterval)
          row = yield* watched(store.run(run))
        }
        return row
      }),
    whileTrue: (holds) =>
      Effect.gen(function* () {
        while (yield* watched(holds)) yield* Effect.sleep(pollInterval)
      }),
    progress: (endings) => (run) =>
      Stream.paginateChunkEffect(undefined as Seen | undefined, (seen) =>
        Effect.gen(function* () {
          if (seen !== undefined) yield* nextCount(run, seen)
          const begunAt = yield* MonotonicClock.millis
          let status = yield* watched(store.status(run))
          const ended = endings.of(run)
          const goesOn = seen?.goesOn ?? makeGoesOn()
          let isOver = !(yield* goesOn(status))
          if (isOver && ended !== undefined) {
            const output = yield* Deferred.await(ended)
            status = { ...(yield* watched(store.status(run))), output }
            // Somebody has resumed it meanwhile.
            if (yield* goesOn(status)) {
              isOver = false
              yield* endings.finishAtItsEnd(run)
            }
          }
          const at = yield* MonotonicClock.millis
          return [
            seen !== undefined && sameStatus(seen.status, status) ? Chunk.empty() : Chunk.of(status),
            isOver ? Option.none() : Option.some({ status, at, took: at - begunAt, goesOn })
          ] as const
        })
      )
  }
}

interface Seen {
  readonly status: RunStatus
  readonly at: number
  readonly took: number
  readonly goesOn: GoesOn
}

type GoesOn = (run: Pick<RunStatus, "state" | "updatedAt">) => Effect.Effect<boolean>

/**
 * Whether a run goes on. The process that lists its files says so every 5 seconds. If it has not for 35 seconds, by the clock of the one
 * who watches, it has ended.
 */
const makeGoesOn = (): GoesOn => {
  let touched: { readonly at: number; readonly since: number } | undefined
  return ({ state, updatedAt }) =>
    Effect.map(MonotonicClock.millis, (now) => {
      if (state !== "listing") return state === "running"
      if (touched?.at !== updatedAt) touched = { at: updatedAt, since: now }
      return now - touched.since < deadAfterMillis
    })
}

const isOutageOf = (error: unknown): boolean => error instanceof ArchiveStoreFailed && isOutage(error)

/** A heartbeat alone is no change. */
const sameStatus = (one: RunStatus, other: RunStatus) =>
  JSON.stringify({ ...one, heartbeatAt: 0 }) === JSON.stringify({ ...other, heartbeatAt: 0 })
