/** The filter of the list of requests, and the request that the address opens. */
import { useEffect, useState } from "preact/hooks"
import type { JournalEntry } from "../../src/Journal.js"
import { makeStore } from "./store.js"

export const filter = makeStore("")

/** Shows the requests that hold a text. */
export const showRequests = (text: string): void => {
  filter.set(text)
  document.getElementById("requests")?.scrollIntoView()
  document.getElementById("requests-filter")?.focus({ preventScroll: true })
}

/** The number of the open request, which the address holds: `#/requests/12`. */
const openFromAddress = (): number | undefined => {
  const [, digits] = /^#\/requests\/(\d{1,15})$/.exec(location.hash) ?? []
  return digits === undefined ? undefined : Number(digits)
}

export const useOpenRequest = (): number | undefined => {
  const [open, setOpen] = useState(openFromAddress)
  useEffect(() => {
    const read = () => setOpen(openFromAddress())
    window.addEventListener("hashchange", read)
    return () => window.removeEventListener("hashchange", read)
  }, [])
  return open
}

export const toggle = (entry: number, isOpen: boolean): void => {
  location.hash = isOpen ? "#/requests" : `#/requests/${entry}`
}

/** The words of an entry, for the filter. An entry is replaced when it changes, so they are made once. */
const words = new WeakMap<JournalEntry, string>()
const wordsOf = (entry: JournalEntry): string => {
  let made = words.get(entry)
  if (made === undefined) {
    const { id, number, operation, outcome, request, status } = entry
    made = [number, operation, outcome, status, id, request && JSON.stringify(request)].join(" ").toLowerCase()
    words.set(entry, made)
  }
  return made
}

export const matches = (entries: ReadonlyArray<JournalEntry>, text: string): ReadonlyArray<JournalEntry> => {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return entries
  return entries.filter((entry) => wanted.every((word) => wordsOf(entry).includes(word)))
}
