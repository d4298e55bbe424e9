/** The journal: each request, live, and the one that the address names. */
import { useMemo, useRef } from "preact/hooks"
import { show } from "../address.js"
import { plural } from "../format.js"
import { Room } from "../Room.js"
import { requests } from "../state.js"
import { useStore } from "../store.js"
import { useRoomKeys } from "../useRoomKeys.js"
import { CallList, type ListFocus } from "./CallList.js"
import { makeCallGrouping } from "./calls.js"
import { Empty } from "./Empty.js"
import { Chips, ClearButton, LiveState, SearchField } from "./FilterBar.js"
import { countCalls, filterCalls, writeFilter } from "./filter.js"
import { RequestPane } from "./RequestPane.js"
import { linkToPlace, usePlace } from "./requestList.js"

const group = makeCallGrouping()

export const Requests = () => {
  const entries = useStore(requests)
  const place = usePlace()
  const { filter, open } = place
  const calls = useMemo(() => group(entries ?? []), [entries])
  const found = useMemo(() => filterCalls(calls, filter), [calls, filter])
  const counts = useMemo(() => countCalls(calls), [calls])
  const search = useRef<HTMLInputElement>(null)
  const list = useRef<ListFocus>(null)
  const close = () => show(linkToPlace({ filter, open: undefined }))
  useRoomKeys({
    onSearch: () => search.current?.focus(),
    onMove: (rows) => list.current?.move(rows),
    onLeave: () => open !== undefined && close()
  })
  return (
    <Room
      name="requests"
      title="Requests"
      beside={
        <>
          <LiveState />
          <SearchField place={place} field={search} onLeave={() => list.current?.move(0)} />
          {calls.length > 0 && <ClearButton />}
        </>
      }
    >
      <div class="request-column">
        <Chips place={place} counts={counts} />
        {found.length === 0 ? (
          <Empty isRead={entries !== undefined} all={calls.length} place={place} />
        ) : (
          <CallList calls={found} filter={filter} open={open} focus={list} />
        )}
        <p class="hidden" aria-live="polite">
          {writeFilter(filter) !== "" && `${plural(found.length, "request")} found`}
        </p>
      </div>
      {open !== undefined && <RequestPane key={open} number={open} calls={calls} place={place} />}
    </Room>
  )
}
