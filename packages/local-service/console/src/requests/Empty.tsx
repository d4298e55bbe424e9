/** A list without requests: says why, and what to do. */
import { linkTo } from "../address.js"
import { number } from "../format.js"
import { noFilter } from "./filter.js"
import { linkToPlace, type Place } from "./requestList.js"

export interface EmptyProps {
  /** Whether the list was read. */
  readonly isRead: boolean
  /** How many calls there are, without the filter. */
  readonly all: number
  readonly place: Place
}

export const Empty = ({ all, isRead, place }: EmptyProps) => {
  if (!isRead) return <p class="nothing quiet">Reading the requests…</p>
  if (all > 0) {
    return (
      <p class="nothing">
        No request matches. <a href={linkToPlace({ ...place, filter: noFilter })}>Show all {number(all)}</a>
      </p>
    )
  }
  return (
    <div class="nothing">
      <p>No requests yet.</p>
      <p class="quiet">
        <a href={linkTo("try")}>Speak a sentence</a>, or run your program with the address and the key that{" "}
        <code>speech serve</code> printed. Each request appears here as it arrives.
      </p>
    </div>
  )
}
