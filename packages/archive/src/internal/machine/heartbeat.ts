/**
 * Which machines are alive: this one says so every 5 seconds, and watches the others.
 *
 * A machine is dead if its heartbeat has not changed for 35 seconds by the clock of the machine that watches. Clocks are not
 * compared: one that jumps kills no machine.
 */
import { unnoticed } from "@effect-speech/common/Contained"
import * as MonotonicClock from "@effect-speech/common/MonotonicClock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ArchiveStoreFailed } from "../../ArchiveError.js"
import { deadAfterMillis } from "../store/machines.js"
import type { Heartbeat, StoreService } from "../store/Store.js"
import { isOutage } from "../store/storeFailed.js"

const heartbeatInterval = 5_000

/** After an outage of the database, machines have this time for a heartbeat before one is taken for dead. In milliseconds. */
const waitAfterOutage = 2 * heartbeatInterval

/** The heartbeat of each machine as it was last seen, and since when it is unchanged. */
export type Seen = ReadonlyMap<string, { readonly at: number; readonly since: number }>

/** What was seen, with what is seen now. Times are of `MonotonicClock`. */
export const see = (seen: Seen, heartbeats: ReadonlyArray<Heartbeat>, now: number): Seen =>
  new Map(
    heartbeats.map(({ at, machine }) => {
      const known = seen.get(machine)
      return [machine, known?.at === at ? known : { at, since: now }]
    })
  )

/** The machines whose heartbeat has been unchanged for 35 seconds. */
export const deadOf = (seen: Seen, now: number): ReadonlyArray<string> =>
  [...seen].flatMap(([machine, { since }]) => (now - since >= deadAfterMillis ? machine : []))

export interface Life {
  /** Done once this machine must not work any more: another process has taken the store over, or the store is damaged. */
  readonly ended: Deferred.Deferred<never, ArchiveStoreFailed>
  /** Reports an effect that the store refused. The machine works on after an outage, and never after anything else. */
  readonly report: (error: ArchiveStoreFailed) => Effect.Effect<void>
  /** The other machines that are dead. `undefined` while they can't be known, during and after an outage. */
  readonly dead: Effect.Effect<ReadonlyArray<string> | undefined>
}

export const make = (store: StoreService, machine: string): Effect.Effect<Life, ArchiveStoreFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<never, ArchiveStoreFailed>()
    let outage = false
    let seen: Seen = new Map()
    let knownFrom = 0

    const report = (error: ArchiveStoreFailed) =>
      Effect.suspend(() => {
        if (!isOutage(error)) return Effect.asVoid(Deferred.fail(ended, error))
        if (outage) return Effect.void
        outage = true
        return unnoticed(
          Effect.logWarning(`The store is not available. Calls begin again when it is. ${error.message}`)
        )
      })

    const available = Effect.gen(function* () {
      if (!outage) return
      outage = false
      seen = new Map()
      knownFrom = (yield* MonotonicClock.millis) + waitAfterOutage
      yield* unnoticed(Effect.logInfo("The store is available again."))
    })

    const beat = Effect.gen(function* () {
      const known = yield* store.heartbeat(machine)
      yield* available
      if (!known) yield* Deferred.fail(ended, takenOver(store.name))
    }).pipe(Effect.catchAll(report))

    yield* store.join(machine)
    yield* beat.pipe(Effect.delay(heartbeatInterval), Effect.forever, Effect.interruptible, Effect.forkScoped)

    return {
      ended,
      report,
      dead: Effect.gen(function* () {
        const heartbeats = yield* Effect.catchAll(store.machines, (error) => Effect.as(report(error), undefined))
        const now = yield* MonotonicClock.millis
        if (heartbeats === undefined || outage || now < knownFrom) return undefined
        seen = see(seen, heartbeats, now)
        return deadOf(seen, now).filter((each) => each !== machine)
      })
    }
  })

const takenOver = (store: string) =>
  new ArchiveStoreFailed({
    store,
    message: `Another process works on the store ${store} now, and this one has stopped: the lock file was removed, or the database restored. Let one process work on a file.`
  })
