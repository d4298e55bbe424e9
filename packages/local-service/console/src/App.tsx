/** The page. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { address, type Room } from "./address.js"
import { signedIn } from "./api.js"
import { when } from "./format.js"
import { lazy } from "./lazy.js"
import { follow } from "./live.js"
import { Navigation } from "./Navigation.js"
import { FailureNote, Notices, say } from "./notices.js"
import { enter, SignIn } from "./SignIn.js"
import { about, readAbout, trouble } from "./state.js"
import { useStore } from "./store.js"
import { Try } from "./try/Try.js"

const otherRooms = {
  requests: lazy(async () => (await import("./requests/Requests.js")).Requests),
  runs: lazy(async () => (await import("./runs/Runs.js")).Runs),
  faults: lazy(async () => (await import("./faults/Faults.js")).Faults),
  account: lazy(async () => (await import("./account/Account.js")).Account)
} as const satisfies Partial<Record<Room, unknown>>

export const App = () => {
  const session = useStore(signedIn)
  useEffect(() => {
    void enter()
    // The link may be opened in a tab that shows the page already.
    const onHash = () => {
      if (/^#[^/]/.test(location.hash)) void enter()
    }
    window.addEventListener("hashchange", onHash)
    return () => window.removeEventListener("hashchange", onHash)
  }, [])
  return (
    <>
      {session === undefined ? <Connecting /> : session ? <Console /> : <SignIn />}
      <Notices />
    </>
  )
}

const Connecting = () => (
  <main class="connecting quiet" aria-busy="true">
    <p>Connecting to the service…</p>
  </main>
)

/** How long the first room has the network for itself, in milliseconds. */
const prepareMillis = 500

const Console = () => {
  const { room } = useStore(address)
  useScrollPositions(room)
  useEffect(() => {
    void readAbout()
    const preparing = setTimeout(() => {
      for (const each of Object.values(otherRooms)) each.prepare()
    }, prepareMillis)
    const leave = follow()
    return () => {
      clearTimeout(preparing)
      leave()
    }
  }, [])
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("main h1")?.focus()}>
        Skip to the content
      </button>
      <Navigation />
      <main>
        <Trouble />
        {/* Stays, so that a call goes on, and its result is there, while another room is shown. */}
        <div hidden={room !== "try"}>
          <Try />
        </div>
        <Other room={room} />
      </main>
    </div>
  )
}

const Other = ({ room }: { readonly room: Room }) => {
  if (room === "try") return null
  const { Room: Shown } = otherRooms[room]
  return <Shown key={room} />
}

/** Says that the service does not respond, until it does. */
const Trouble = () => {
  const current = useStore(trouble)
  const before = useRef(current)
  useEffect(() => {
    if (before.current?.since !== undefined && current === undefined) say("The service responds again.")
    before.current = current
  }, [current])
  if (current === undefined) return null
  if (current.since === undefined) {
    return (
      <div class="trouble">
        <FailureNote failure={current} />
      </div>
    )
  }
  return (
    <p class="dead" role="alert">
      <strong>The service does not respond</strong> since {when(current.since)}. What you see is older. <Restart />
    </p>
  )
}

/** How to start the service at the address of this page: `--port` gives the first of three ports in a row. */
const Restart = () => {
  const service = useStore(about)
  const first = Number(location.port) - 2
  const ports = service && [service.sttBaseUrl, service.ttsBaseUrl].map((url) => Number(new URL(url).port))
  if (ports === undefined) return <>Start it again with the same options.</>
  if (ports[0] !== first || ports[1] !== first + 1) {
    return <>It chose its ports by itself, so start it again and open the new link that it prints.</>
  }
  return (
    <>
      Start it again, with the same options: <code>speech serve --port {first}</code>. This page then goes on by itself,
      or asks you to sign in.
    </>
  )
}

/** Each room keeps its own position while another one is shown. */
const useScrollPositions = (room: Room): void => {
  const shown = useRef(room)
  const positions = useRef(new Map<Room, number>())
  useEffect(() => {
    const remember = () => positions.current.set(shown.current, window.scrollY)
    window.addEventListener("scroll", remember, { passive: true })
    return () => window.removeEventListener("scroll", remember)
  }, [])
  useLayoutEffect(() => {
    if (shown.current === room) return
    shown.current = room
    window.scrollTo(0, positions.current.get(room) ?? 0)
  }, [room])
}
