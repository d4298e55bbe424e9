/** The rooms of the page, with what there is in each. */

import { address, linkTo, type Room, rooms } from "./address.js"
import { number } from "./format.js"
import { isFailed } from "./requests/outcome.js"
import { account, faults, requests } from "./state.js"
import { useStore } from "./store.js"

export const titles: Readonly<Record<Room, string>> = {
  try: "Try",
  requests: "Requests",
  runs: "Runs",
  faults: "Faults",
  account: "Account"
}

export const Navigation = () => {
  const { room: current } = useStore(address)
  return (
    <nav class="rail" aria-label="Rooms">
      <p class="brand">
        <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M3 10v4M7.5 7v10M12 3v18M16.5 7v10M21 10v4" />
        </svg>
        <span>Local speech service</span>
      </p>
      <ul>
        {rooms.map((room) => (
          <li key={room}>
            <a href={linkTo(room)} aria-current={room === current ? "page" : undefined}>
              {titles[room]} <Count room={room} />
            </a>
          </li>
        ))}
      </ul>
      <Foot />
    </nav>
  )
}

const Count = ({ room }: { readonly room: Room }) => {
  if (room === "requests") return <RequestCount />
  if (room === "faults") return <FaultCount />
  return null
}

const RequestCount = () => {
  const entries = useStore(requests)
  if (entries === undefined || entries.length === 0) return null
  const latest = entries.at(-1)
  return (
    <span class="count" data-bad={latest !== undefined && isFailed(latest)}>
      {number(entries.length)}
    </span>
  )
}

const FaultCount = () => {
  const records = useStore(faults) ?? []
  const on = records.filter(({ fault, happened }) => fault.times === undefined || happened < fault.times)
  return on.length === 0 ? null : (
    <span class="count" data-bad>
      {on.length} on
    </span>
  )
}

const Foot = () => {
  const current = useStore(account)
  return (
    <p class="foot quiet">
      <strong>{current === undefined ? "…" : number(current.credits)}</strong>
      <br />
      credits · nothing leaves this machine
    </p>
  )
}
