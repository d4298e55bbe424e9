/** A value that the parts of the page share. */
import { useEffect, useState } from "preact/hooks"

export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  readonly update: (change: (value: A) => A) => void
  readonly subscribe: (listener: () => void) => () => void
}

export const makeStore = <A>(initial: A): Store<A> => {
  let value = initial
  const listeners = new Set<() => void>()
  const set = (next: A) => {
    if (Object.is(next, value)) return
    value = next
    for (const listener of listeners) listener()
  }
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}

export const useStore = <A>(store: Store<A>): A => {
  const [, redraw] = useState({})
  const drawn = store.get()
  useEffect(() => {
    // The value may have changed between the first drawing and this effect.
    if (!Object.is(store.get(), drawn)) redraw({})
    return store.subscribe(() => redraw({}))
  }, [store])
  return drawn
}
