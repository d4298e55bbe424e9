/** The filter of the list of requests, and the request that the address opens. */
import type { JournalEntry } from "../../../src/Journal.js"
import { address, linkTo, show } from "../address.js"
import { makeStore, useStore } from "../store.js"

export const filter = makeStore("")

/** Shows the requests that hold a text. */
export const showRequests = (text: string): void => {
  filter.set(text)
  show(linkTo("requests"))
}

/** The number of the open request, which the address holds: `#/requests/12`. */
export const useOpenRequest = (): number | undefined => {
  const { path, room } = useStore(address)
  const [digits = ""] = path
  return room === "requests" && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
}

export const toggle = (entry: number, isOpen: boolean): void =>
  show(isOpen ? linkTo("requests") : linkTo("requests", [entry]))

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
