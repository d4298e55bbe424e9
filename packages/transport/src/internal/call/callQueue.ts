/** A call's place among the calls of a layer that run at the same time. */
export interface Place {
  /** Number of calls that waited when this one came. `undefined`: it does not wait. */
  readonly ahead: number | undefined
  /** Runs `begin` at the turn of the call. */
  readonly onTurn: (begin: () => void) => void
  /** Gives the place to the next call, or leaves the queue. Run it once. */
  readonly leave: () => void
}

/** Limits the calls of a layer. Calls that wait have their turn in the order in which they came. */
export const makeCallQueue = (concurrency: number): (() => Place) => {
  // No call waits while a place is free, so a new call overtakes none.
  let free = concurrency
  /** What the turn of each waiting call does, by its number. A number is used once. */
  const waiting = new Map<number, () => void>()
  let newest = 0
  let oldest = 1

  const release = (): void => {
    if (waiting.size === 0) {
      free++
      return
    }
    // Calls that left before their turn leave gaps.
    while (!waiting.has(oldest)) oldest++
    const begin = waiting.get(oldest)
    waiting.delete(oldest)
    begin?.()
  }
  const atOnce: Place = { ahead: undefined, onTurn: (begin) => begin(), leave: release }

  return () => {
    if (free > 0) {
      free--
      return atOnce
    }
    const ahead = waiting.size
    const number = ++newest
    let hasTurn = false
    let begin = (): void => undefined
    waiting.set(number, () => {
      hasTurn = true
      begin()
    })
    return {
      ahead,
      onTurn: (given) => {
        begin = given
        if (hasTurn) begin()
      },
      leave: () => {
        if (!waiting.delete(number)) release()
      }
    }
  }
}
