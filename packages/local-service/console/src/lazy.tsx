/** A room that is no part of the first load. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { trouble } from "./state.js"
import { useStore } from "./store.js"

export interface LazyRoom {
  readonly Room: ComponentType
  /** Loads the room before it is shown, so that it is there even if the service stops. */
  readonly prepare: () => void
}

export const lazy = (load: () => Promise<ComponentType>): LazyRoom => {
  let Loaded: ComponentType | undefined
  const read = async (): Promise<boolean> => {
    try {
      Loaded ??= await load()
      return true
    } catch {
      return false
    }
  }

  const Room = () => {
    const [failed, setFailed] = useState(false)
    const [, redraw] = useState({})
    const isReachable = useStore(trouble) === undefined
    const Shown = Loaded
    useEffect(() => {
      // Not `Loaded`: the room may be there since it was drawn without it.
      if (Shown !== undefined) return
      let isShown = true
      void read().then((isLoaded) => {
        if (!isShown) return
        setFailed(!isLoaded)
        redraw({})
      })
      return () => {
        isShown = false
      }
    }, [isReachable])
    if (Shown !== undefined) return <Shown />
    if (failed)
      return <p class="empty">This room could not be loaded from the service. It loads when the service responds.</p>
    return <div aria-busy="true" />
  }
  return { Room, prepare: () => void read() }
}
