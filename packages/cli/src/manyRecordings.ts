/**
 * Several recordings in one command: a failure of one does not stop the others.
 */
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { applying, note, plural } from "./message.js"

/** Number of recordings, or of pieces, that are sent at the same time. */
export const defaultConcurrency = 4

export type Outcome<A, E> = "skipped" | Either.Either<A, E>

/** The facts of a recording that was not sent. */
export const notTried = {
  _tag: "NotTried",
  message: "It was not sent: the service refused the account for an earlier recording."
}

const isAccountRefused = (error: object): boolean => "category" in error && error.category === "account"

/**
 * The outcome of each item, in order. After the service has refused the account, each further recording would be sent whole and fail
 * the same way, so it is skipped.
 */
export const attemptEach = <Item, A, E extends object, R>(
  items: Iterable<Item>,
  attempt: (item: Item) => Effect.Effect<A, E, R>,
  concurrency: number = defaultConcurrency
): Stream.Stream<readonly [Item, Outcome<A, E>], never, R> => {
  let isRefused = false
  const noticeRefusal = (error: E) =>
    Effect.sync(() => {
      isRefused ||= isAccountRefused(error)
    })
  const outcomeOf = (item: Item) =>
    Effect.suspend(
      (): Effect.Effect<Outcome<A, E>, never, R> =>
        isRefused ? Effect.succeed("skipped") : Effect.either(Effect.tapError(attempt(item), noticeRefusal))
    )
  return Stream.mapEffect(
    Stream.fromIterable(items),
    (item) => Effect.map(outcomeOf(item), (outcome) => [item, outcome] as const),
    { concurrency }
  )
}

/** Recordings of one folder are alike, and so are the notes on them: each is printed once. */
export class Notes {
  readonly #notes = new Map<string, { readonly firstFile: string; readonly count: number }>()

  add(file: string, notes: ReadonlyArray<string>): void {
    for (const note of notes) {
      const { count, firstFile } = this.#notes.get(note) ?? { firstFile: file, count: 0 }
      this.#notes.set(note, { firstFile, count: count + 1 })
    }
  }

  readonly say: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(
      this.#notes,
      ([text, { count, firstFile }]) => note(`${firstFile}${count === 1 ? "" : ` and ${count - 1} more`}: ${text}`),
      { discard: true }
    )
  )
}

/** How many failed, if any. */
export const failedOf = (failed: number, all: number, skipped: number): ReadonlyArray<string> =>
  applying(
    failed > 0 &&
      `${failed} of ${plural(all, "recording")} failed${skipped === 0 ? "" : `, and ${skipped} were not sent, since they would fail alike`}.`
  )
