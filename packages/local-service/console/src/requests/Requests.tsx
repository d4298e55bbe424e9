/** The journal: each request, live. */
import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { JournalEntry } from "../../../src/Journal.js"
import { number, plural } from "../format.js"
import { phase } from "../live.js"
import { Room } from "../Room.js"
import { requests } from "../state.js"
import { useStore } from "../store.js"
import { Table } from "../Table.js"
import { RequestRow } from "./RequestRow.js"
import { filter, matches, useOpenRequest } from "./requestList.js"

/** The page draws this many requests at once. */
const pageSize = 50

export const Requests = () => {
  const entries = useStore(requests)
  const text = useStore(filter)
  const open = useOpenRequest()
  const found = [...matches(entries ?? [], text)].reverse()
  const [page, setPage] = usePage(found, open, text)
  const isUnknown = open !== undefined && entries !== undefined && !entries.some((entry) => entry.number === open)
  return (
    <Room name="requests" title="Requests" beside={<Filter text={text} />}>
      {isUnknown && (
        <p class="notice">The journal has no request {open}. It keeps the latest requests, and a reset empties it.</p>
      )}
      {entries === undefined ? (
        <p class="empty">Reading the requests…</p>
      ) : found.length === 0 ? (
        <p class="empty">
          {entries.length === 0
            ? "No requests yet. Press Speak, or run your program with the address and the key that speech serve printed."
            : `No request holds “${text}”. Clear the filter to see all ${number(entries.length)}.`}
        </p>
      ) : (
        <Pages found={found} open={open} wanted={page} onPage={setPage} />
      )}
      <p class="hidden" aria-live="polite">
        {text !== "" && `${plural(found.length, "request")} found`}
      </p>
    </Room>
  )
}

/** The key `/` goes to the filter, from anywhere but a field. */
const useFilterKey = (field: RefObject<HTMLInputElement | null>): void =>
  useEffect(() => {
    const focusFilter = (event: KeyboardEvent) => {
      const { target } = event
      const isTyping =
        target instanceof HTMLElement &&
        (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=range])"))
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.querySelector("dialog[open]") !== null) return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener("keydown", focusFilter)
    return () => document.removeEventListener("keydown", focusFilter)
  }, [])

const Filter = ({ text }: { readonly text: string }) => {
  const current = useStore(phase)
  const field = useRef<HTMLInputElement>(null)
  useFilterKey(field)
  return (
    <>
      <span class="phase" role="status" data-phase={current}>
        {current}
      </span>
      <span class="spring" />
      <label class="inline">
        <span>Filter</span>
        <input
          id="requests-filter"
          ref={field}
          type="search"
          placeholder="Press /"
          aria-keyshortcuts="/"
          value={text}
          onInput={(event) => {
            filter.set(event.currentTarget.value)
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") filter.set("")
          }}
        />
      </label>
    </>
  )
}

/** The page of the list to show, and the function that changes it. A link to a request shows the page that holds it, once. */
const usePage = (found: ReadonlyArray<JournalEntry>, open: number | undefined, text: string) => {
  const [page, setPage] = useState(0)
  const shownFor = useRef<number | undefined>(undefined)
  useEffect(() => setPage(0), [text])
  useEffect(() => {
    if (open === undefined || shownFor.current === open) return
    const index = found.findIndex((entry) => entry.number === open)
    if (index < 0) return
    if (Math.floor(index / pageSize) !== page) return setPage(Math.floor(index / pageSize))
    const isFirst = shownFor.current === undefined
    shownFor.current = open
    // At the top of the window, the row does not move when the parts above it arrive.
    if (isFirst) document.getElementById(`request-${open}`)?.scrollIntoView({ block: "start" })
  })
  return [page, setPage] as const
}

const columns = [
  ["#"],
  ["Time", "wide-only"],
  ["Operation", "wide-only"],
  ["Text or model"],
  ["Status"],
  ["Took", "wide-only end"]
] as const

interface PagesProps {
  /** Latest first. */
  readonly found: ReadonlyArray<JournalEntry>
  /** The number of the open request. */
  readonly open: number | undefined
  /** The page to show. There may be fewer by now. */
  readonly wanted: number
  readonly onPage: (page: number) => void
}

const Pages = ({ found, onPage, open, wanted }: PagesProps) => {
  const last = Math.max(0, Math.ceil(found.length / pageSize) - 1)
  const page = Math.min(wanted, last)
  const from = page * pageSize
  const shown = found.slice(from, from + pageSize)
  const turnTo = (name: string, next: number) => (
    <button
      type="button"
      aria-disabled={next < 0 || next > last}
      onClick={() => next >= 0 && next <= last && onPage(next)}
    >
      {name}
    </button>
  )
  return (
    <>
      <Table caption="Requests, latest first" columns={columns}>
        {shown.map((entry) => (
          <RequestRow key={entry.number} entry={entry} isOpen={entry.number === open} />
        ))}
      </Table>
      {found.length > pageSize && (
        <nav class="pages" aria-label="Pages of requests">
          {turnTo("Newer", page - 1)}
          <span class="quiet">
            {number(from + 1)}–{number(from + shown.length)} of {number(found.length)}
          </span>
          {turnTo("Older", page + 1)}
        </nav>
      )}
    </>
  )
}
