/**
 * The calls that a machine may make at once. Runs reserve them in the order in which they ask.
 */
import * as Effect from "effect/Effect"

export interface Slots {
  /** Waits until calls may begin, and reserves all that may. */
  readonly reserve: Effect.Effect<number>
  /** Gives up so many reservations. */
  readonly release: (count: number) => void
  /** Uses a reservation for a call. The result ends the call: once, however often it is used. */
  readonly begin: () => () => void
  /** Looks again whether calls may begin. */
  readonly changed: () => void
  /** Reserves nothing any more. */
  readonly close: () => void
}

/** `mayBegin`: how many calls the machine has room for, besides its number of slots. */
export const make = (concurrency: number, mayBegin: () => number): Effect.Effect<Slots> =>
  Effect.gen(function* () {
    const reserving = yield* Effect.makeSemaphore(1)
    const maybeFree = yield* Effect.makeLatch(true)
    let reserved = 0
    let calling = 0
    let closed = false

    const free = () => Math.min(concurrency - calling, mayBegin()) - reserved

    const waitUntilFree = Effect.suspend(() =>
      closed || free() <= 0 ? Effect.zipRight(maybeFree.close, Effect.as(maybeFree.await, false)) : Effect.succeed(true)
    ).pipe(Effect.repeat({ until: (isFree) => isFree }))

    const take = Effect.sync(() => {
      const count = free()
      reserved += count
      return count
    })

    return {
      reserve: Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(reserving.take(1)),
          restore(Effect.zipRight(waitUntilFree, take)).pipe(Effect.ensuring(reserving.release(1)))
        )
      ),
      release: (count) => {
        reserved -= count
        maybeFree.unsafeOpen()
      },
      begin: () => {
        reserved--
        calling++
        let isCalling = true
        return () => {
          if (!isCalling) return
          isCalling = false
          calling--
          maybeFree.unsafeOpen()
        }
      },
      changed: () => maybeFree.unsafeOpen(),
      close: () => {
        closed = true
      }
    }
  })
