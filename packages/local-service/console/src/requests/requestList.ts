/** The filter and the open request, which the address holds: `#/requests/12?q=ferry`. */
import { useMemo } from "preact/hooks"
import { address, linkTo, show } from "../address.js"
import { useStore } from "../store.js"
import { noFilter, type RequestFilter, readFilter, writeFilter } from "./filter.js"

/** Shows the requests that hold a text. */
export const showRequests = (text: string): void => show(linkTo("requests", [], writeFilter({ ...noFilter, text })))

export interface Place {
  readonly filter: RequestFilter
  /** The number of the open request. */
  readonly open: number | undefined
}

/** What the address shows of the room. */
export const usePlace = (): Place => {
  const { path, query } = useStore(address)
  const [digits = ""] = path
  const filter = useMemo(() => readFilter(query), [query])
  return { filter, open: /^\d{1,15}$/.test(digits) ? Number(digits) : undefined }
}

/** The link to a request, or to the list. The filter stays. */
export const linkToPlace = ({ filter, open }: Place): string =>
  linkTo("requests", open === undefined ? [] : [open], writeFilter(filter))
