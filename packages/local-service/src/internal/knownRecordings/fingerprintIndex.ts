import { fingerprintCount } from "./fingerprints.js"

/** Number of places of one fingerprint to read, the latest first. A common fingerprint proves little. */
const longestChain = 64

/** Maps fingerprints to their places in the known speech. */
export interface FingerprintIndex {
  /** Adds a place: the number of its anchor, and its offset in it. */
  readonly add: (fingerprint: number, owner: number, place: number) => void
  /** Removes the oldest places. */
  readonly removeOldest: (count: number) => void
  readonly visit: (fingerprint: number, visitor: (owner: number, place: number) => void) => void
}

/**
 * A ring of places, in the order in which they were added. Each has the number of the one before it with the same fingerprint,
 * so a place that has left ends its chain.
 */
export const makeFingerprintIndex = (): FingerprintIndex => {
  /** The numbers count from 1, since 0 ends a chain. */
  let first = 1
  let next = 1
  let capacity = 2 ** 12
  let before = new Float64Array(capacity)
  let owners = new Int32Array(capacity)
  let places = new Int32Array(capacity)
  const latest = new Float64Array(fingerprintCount)

  const grow = () => {
    const larger = { before: new Float64Array(2 * capacity), owners: new Int32Array(2 * capacity) }
    const largerPlaces = new Int32Array(2 * capacity)
    for (let number = first; number < next; number++) {
      const from = number % capacity
      const to = number % (2 * capacity)
      larger.before[to] = before[from] as number
      larger.owners[to] = owners[from] as number
      largerPlaces[to] = places[from] as number
    }
    before = larger.before
    owners = larger.owners
    places = largerPlaces
    capacity *= 2
  }

  return {
    add: (fingerprint, owner, place) => {
      if (next - first === capacity) grow()
      const at = next % capacity
      before[at] = latest[fingerprint] as number
      owners[at] = owner
      places[at] = place
      latest[fingerprint] = next++
    },
    removeOldest: (count) => {
      first += count
    },
    visit: (fingerprint, visitor) => {
      let number = latest[fingerprint] as number
      for (let count = 0; number >= first && count < longestChain; count++) {
        const at = number % capacity
        visitor(owners[at] as number, places[at] as number)
        number = before[at] as number
      }
    }
  }
}
