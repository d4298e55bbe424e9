/** The rooms of the page, with what there is in each. */

import { address, linkTo, type Room, rooms } from "./address.js"
import { isOn } from "./faults/faultTimes.js"
import { useFaults } from "./faults/useFaults.js"
import { number, shortNumber } from "./format.js"
import { isFailed } from "./requests/outcome.js"
import { useRuns } from "./runs/runState.js"
import { account, keys, requests } from "./state.js"
import { useStore } from "./store.js"

export const titles: Readonly<Record<Room, string>> = {
  try: "Try",
  requests: "Requests",
  runs: "Runs",
  faults: "Faults",
  account: "Account"
}

/** Lines of 24 by 24. */
const drawings: Readonly<Record<Room, string>> = {
  try: "M7 4.5v15l12-7.5z",
  requests: "M4 6h16M4 12h16M4 18h10",
  runs: "M12 4 3.5 8.5 12 13l8.5-4.5zM3.5 13.5 12 18l8.5-4.5",
  faults: "M13 3 5 13.5h6L10.5 21 19 10.5h-6.5z",
  account: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c.8-3.4 3.7-5 7.5-5s6.7 1.6 7.5 5"
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
              <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
                <path d={drawings[room]} />
              </svg>
              <span>{titles[room]}</span> <Count room={room} />
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
  if (room === "runs") return <RunCount />
  if (room === "faults") return <FaultCount />
  return null
}

const RequestCount = () => {
  const entries = useStore(requests)
  if (entries === undefined || entries.length === 0) return null
  const latest = entries.at(-1)
  const hasFailed = latest !== undefined && isFailed(latest)
  return (
    <span class="count" data-bad={hasFailed} title={hasFailed ? "The latest request failed" : undefined}>
      {shortNumber(entries.length)}
      {hasFailed && <span class="hidden">, the latest failed</span>}
    </span>
  )
}

const RunCount = () => {
  const { length } = useRuns() ?? []
  return length === 0 ? null : <span class="count">{shortNumber(length)}</span>
}

const FaultCount = () => {
  const on = useFaults().filter(isOn)
  return on.length === 0 ? null : (
    <span class="count" data-bad>
      {on.length}
      <span class="word"> on</span>
    </span>
  )
}

const Foot = () => {
  const current = useStore(account)
  const active = useStore(keys)?.active
  return (
    <p class="foot quiet">
      <strong>{current === undefined ? "…" : number(current.credits)}</strong> credits
      <br />
      {current !== undefined && current.state !== "active" && (
        <>
          <span class="problem">account {current.state}</span>
          <br />
        </>
      )}
      {active === null ? (
        <span class="problem">no active key</span>
      ) : (
        active !== undefined && (
          <>
            key <bdi title={active.id}>{active.name}</bdi>
          </>
        )
      )}
      <br />
      {location.host}
      <br />
      nothing leaves this machine
    </p>
  )
}
