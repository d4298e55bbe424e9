/** Counts the sizes of things, and forgets the oldest if all together are larger than a limit. */
export interface Limited<Thing> {
  /** Adds to the size of a thing. A thing that grows stays as old as it is. */
  readonly add: (thing: Thing, size: number) => void
  readonly remove: (thing: Thing) => void
  readonly total: () => number
}

/** `forget` runs for each thing that must go, also for the newest if it alone is too large. */
export const makeLimited = <Thing>(maximum: number, forget: (thing: Thing) => void): Limited<Thing> => {
  /** The oldest first. */
  const sizes = new Map<Thing, number>()
  let total = 0
  const remove = (thing: Thing) => {
    total -= sizes.get(thing) ?? 0
    sizes.delete(thing)
  }
  return {
    add: (thing, size) => {
      sizes.set(thing, (sizes.get(thing) ?? 0) + size)
      total += size
      for (const oldest of sizes.keys()) {
        if (total <= maximum) break
        remove(oldest)
        forget(oldest)
      }
    },
    remove,
    total: () => total
  }
}
