/** A call's place among the calls of a layer that run at the same time. */
export interface Place {
  /** Whether the call may start now. */
  readonly isReady: boolean
  /** Number of calls that wait for a running call to end, and start before this one. `undefined`: it need not wait for one. */
  readonly ahead: number | undefined
  /** Runs `begin` when the call may start. */
  readonly whenReady: (begin: () => void) => void
  /** Gives the place to the next call, or leaves the queue. Run it once. */
  readonly leave: () => void
}

/** Taken when the module loads, so that fake timers of a test do not stop the calls. */
const { setImmediate } = globalThis

/**
 * Limits the calls of a layer. Calls that wait start in the order in which they came. A place is used again after
 * a turn of the event loop: until then the connection of its call is not free, and undici would open another one. So a call
 * that follows another one in the same turn waits for its place, even if others are free.
 */
export const makeCallQueue = (
  concurrency: number,
  afterThisTurn: (run: () => void) => unknown = setImmediate
): (() => Place) => {
  let free = concurrency
  /** Number of places that are free after this turn. */
  let resting = 0
  /** Starts each waiting call, by its number. A number is used once. */
  const waiting = new Map<number, () => void>()
  let newest = 0
  let oldest = 1

  const passOn = (): void => {
    resting--
    if (waiting.size === 0) {
      free++
      return
    }
    // Calls that left while they waited leave gaps.
    while (!waiting.has(oldest)) oldest++
    const begin = waiting.get(oldest)
    waiting.delete(oldest)
    begin?.()
  }
  const release = (): void => {
    resting++
    // One for each place: undici frees the connections of this turn in the same order.
    afterThisTurn(passOn)
  }
  const atOnce: Place = { isReady: true, ahead: undefined, whenReady: (begin) => begin(), leave: release }

  return () => {
    if (free > 0 && resting <= waiting.size) {
      free--
      return atOnce
    }
    const ahead = waiting.size - resting
    const number = ++newest
    let isReady = false
    let begin = (): void => undefined
    waiting.set(number, () => {
      isReady = true
      begin()
    })
    return {
      isReady: false,
      ahead: ahead < 0 ? undefined : ahead,
      whenReady: (given) => {
        begin = given
        if (isReady) begin()
      },
      leave: () => {
        if (!waiting.delete(number)) release()
      }
    }
  }
}
