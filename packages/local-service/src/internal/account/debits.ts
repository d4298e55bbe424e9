import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Account } from "../../Accounts.js"
import type { OperationName } from "../../OperationName.js"
import { setImmediate } from "../realTime.js"
import type { AccountStore } from "./accountStore.js"
import type { DataDirectory } from "./dataDirectory.js"

export interface Cost {
  readonly operation: OperationName
  readonly units: number
  readonly credits: number
}

interface Debit {
  readonly cost: Cost
  readonly isDisconnected: () => boolean
  done: (exit: Effect.Effect<void>) => void
}

/**
 * Writes debits to the database: those of a turn of the event loop together, because a statement for each would cost as much as its
 * speech. `publish` runs after each write.
 */
export const makeDebits = (
  store: AccountStore,
  { hasRoom, now, publish }: Pick<DataDirectory, "hasRoom"> & { now: () => Date; publish: Effect.Effect<void> }
) => {
  /** The debits of this turn. */
  const waiting = new Set<Debit>()
  let isScheduled = false
  let hasFailed = false
  const today = () => now().toISOString().slice(0, 10)

  const writeTurn = store.exclusively(
    Effect.suspend(() => {
      const date = today()
      isScheduled = false
      // The socket is destroyed in this turn, and its close interrupts the call in the next.
      const debits = [...waiting].filter(({ isDisconnected }) => !isDisconnected())
      for (const one of debits) waiting.delete(one)
      // Each sum is a statement of its own, so one can be on disk although another is not.
      return Effect.forEach(
        sumsOf(debits),
        (sum) =>
          Effect.flatMap(Effect.exit(Effect.orDie(write(store, date, sum))), (exit) =>
            Effect.map(publish, () => {
              hasFailed = Exit.isFailure(exit)
              for (const { cost, done } of debits) if (cost.operation === sum.operation) done(exit)
            })
          ),
        { discard: true }
      )
    })
  )

  const tryNothing = store.exclusively(
    Effect.suspend(() => write(store, today(), { operation: "synthesize", calls: 0, units: 0, credits: 0 })).pipe(
      Effect.orDie,
      Effect.onExit((exit) =>
        Effect.sync(() => {
          hasFailed = Exit.isFailure(exit)
        })
      )
    )
  )

  return {
    /**
     * Fails as a debit would. A failed debit breaks off a response, so a call runs this before it begins one. It writes a debit of
     * nothing, but only if the last debit failed or the disk has little room: otherwise it would cost as much as a debit.
     */
    tried: Effect.suspend(() => (hasFailed || !hasRoom() ? tryNothing : Effect.void)),
    /** Returns when the debit is on disk. If the client is disconnected by then, it debits nothing, and waits to be interrupted. */
    debit: (cost: Cost, isDisconnected: () => boolean): Effect.Effect<void> =>
      Effect.async((resume) => {
        const one: Debit = { cost, isDisconnected, done: resume }
        waiting.add(one)
        if (!isScheduled) setImmediate(() => Effect.runFork(writeTurn))
        isScheduled = true
        return Effect.suspend(() =>
          waiting.delete(one)
            ? Effect.void
            : Effect.async<void>((ended) => {
                one.done = ended
              })
        )
      }),
    /** Ends the debits that are not written yet, without a debit. */
    forget: (): void => {
      for (const { done } of waiting) done(Effect.void)
      waiting.clear()
    }
  }
}

export type Debits = ReturnType<typeof makeDebits>

interface Sum extends Cost {
  readonly calls: number
}

const sumsOf = (debits: ReadonlyArray<Debit>): ReadonlyArray<Sum> => {
  const sums = new Map<OperationName, Sum>()
  for (const { cost } of debits) {
    const { operation } = cost
    const { calls, credits, units } = sums.get(operation) ?? { calls: 0, credits: 0, units: 0 }
    sums.set(operation, { operation, calls: calls + 1, credits: credits + cost.credits, units: units + cost.units })
  }
  return [...sums.values()]
}

const write = (store: AccountStore, date: string, { calls, credits, operation, units }: Sum) =>
  Effect.map(
    store.sql`
      INSERT INTO usage (date, operation, calls, units, credits)
      SELECT ${date}, ${operation}, ${calls}, ${units}, min(${credits}, credits) FROM account WHERE true
      ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
        units = units + excluded.units, credits = usage.credits + excluded.credits`,
    () => {
      store.account = new Account({ ...store.account, credits: Math.max(0, store.account.credits - credits) })
    }
  )
