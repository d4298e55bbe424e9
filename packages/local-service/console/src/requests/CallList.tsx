/** The list of calls, the latest first. The arrow keys go through it. */
import type { RefObject } from "preact"
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks"
import { show } from "../address.js"
import { number, plural } from "../format.js"
import { CallRow } from "./CallRow.js"
import type { Call } from "./calls.js"
import { writeFilter } from "./filter.js"
import { linkToPlace, type Place } from "./requestList.js"
import { type Memory, useWindow, type Window } from "./useWindow.js"

/** As in the style sheet. On a phone, a title has two lines. */
const rowRem = { usual: 4, phone: 5.25 }
const phone = matchMedia("(max-width: 720px)")

/** Where the list was when another room was shown. */
const leftAt: Memory = { current: undefined }

const keyOf = ({ first }: Call): number => first.number

/** Moves the focus through the list. */
export interface ListFocus {
  /** By so many rows. The first move goes to the row that Tab reaches. */
  readonly move: (rows: number) => void
}

export interface CallListProps extends Place {
  /** Latest first. At least one. */
  readonly calls: ReadonlyArray<Call>
  readonly focus: RefObject<ListFocus | null>
}

export const CallList = ({ calls, filter, focus, open }: CallListProps) => {
  const list = useWindow({
    rows: calls,
    keyOf,
    rowRem: phone.matches ? rowRem.phone : rowRem.usual,
    subject: writeFilter(filter),
    leftAt
  })
  const { isAtTop, onScroll, rowHeight, scroller, scrollToTop } = list
  const { currentIndex, goTo, hrefOf, openIndex, setCurrent } = useCurrent({ calls, filter, focus, list, open })
  const fresh = useFresh(calls, isAtTop)
  const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1)
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: currentIndex + 1,
    ArrowUp: currentIndex - 1,
    PageDown: currentIndex + pageRows,
    PageUp: currentIndex - pageRows,
    Home: 0,
    End: calls.length - 1
  }
  return (
    <div class="request-list">
      {fresh > 0 && (
        <button type="button" class="fresh" onClick={scrollToTop}>
          {number(fresh)} new
        </button>
      )}
      <div class="request-scroller" ref={scroller} onScroll={onScroll}>
        <ol
          class="request-rows"
          aria-label={`Requests, latest first: ${plural(calls.length, "call")}`}
          style={{ height: `${calls.length * rowHeight}px` }}
          onKeyDown={(event) => {
            const index = moves[event.key]
            if (index === undefined || event.ctrlKey || event.metaKey || event.altKey) return
            event.preventDefault()
            goTo(index)
          }}
        >
          {drawnRows(calls, list, currentIndex).map(([call, index]) => (
            <CallRow
              key={keyOf(call)}
              rowKey={keyOf(call)}
              call={call}
              isOpen={index === openIndex}
              isCurrent={index === currentIndex}
              href={hrefOf(call)}
              top={index * rowHeight}
              position={index + 1}
              size={calls.length}
              onFocus={() => setCurrent(keyOf(call))}
            />
          ))}
        </ol>
      </div>
    </div>
  )
}

/** The rows in sight, and the current one, which may have the focus, with their indices. */
const drawnRows = (
  calls: ReadonlyArray<Call>,
  { from, to }: Window,
  currentIndex: number
): ReadonlyArray<readonly [Call, number]> => {
  const inSight = calls.slice(from, to).map((call, at) => [call, from + at] as const)
  const current = calls[currentIndex]
  return current === undefined || (currentIndex >= from && currentIndex < to)
    ? inSight
    : [...inSight, [current, currentIndex]]
}

interface CurrentOptions extends CallListProps {
  readonly list: Window
}

/** The row that Tab reaches, which the keys move. */
const useCurrent = ({ calls, filter, focus, list: { reveal, scroller }, open }: CurrentOptions) => {
  const [current, setCurrent] = useState<number>()
  const indexOf = (test: (call: Call) => boolean) => calls.findIndex(test)
  const openIndex = open === undefined ? -1 : indexOf(({ attempts }) => attempts.some((each) => each.number === open))
  const currentIndex = Math.max(
    0,
    indexOf((call) => keyOf(call) === current)
  )
  const hrefOf = ({ latest }: Call) => linkToPlace({ filter, open: latest.number })
  const wantsFocus = useRef(false)
  const goTo = (index: number) => {
    const at = Math.max(0, Math.min(calls.length - 1, index))
    const call = calls[at]
    if (call === undefined) return
    wantsFocus.current = true
    reveal(at)
    setCurrent(keyOf(call))
    if (open !== undefined) show(hrefOf(call), { replace: true })
  }
  useImperativeHandle(focus, () => ({
    move: (rows) => {
      const hasBegun = open !== undefined || scroller.current?.contains(document.activeElement)
      goTo(hasBegun ? currentIndex + rows : currentIndex)
    }
  }))
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    const link = scroller.current?.querySelector<HTMLElement>(`[data-key="${current}"] > .request-title`)
    link?.focus({ preventScroll: true })
  })
  useOpen({
    open,
    openIndex,
    onOpen: (index) => {
      const call = calls[index]
      if (call === undefined) return
      reveal(index)
      setCurrent(keyOf(call))
    },
    onClose: () => goTo(currentIndex)
  })
  return { currentIndex, goTo, hrefOf, openIndex, setCurrent }
}

interface OpenOptions {
  readonly open: number | undefined
  /** Where the open request is in the list, or -1. */
  readonly openIndex: number
  readonly onOpen: (index: number) => void
  readonly onClose: () => void
}

/** A request that is opened, by any link, is brought into sight once. When it is closed, its row has the focus. */
const useOpen = ({ onClose, onOpen, open, openIndex }: OpenOptions): void => {
  const shown = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (open === undefined) {
      if (shown.current !== undefined && document.activeElement === document.body) onClose()
      shown.current = undefined
      return
    }
    if (shown.current === open || openIndex < 0) return
    shown.current = open
    onOpen(openIndex)
  })
}

/** How many calls with new requests there are above the rows in sight. */
const useFresh = (calls: ReadonlyArray<Call>, isAtTop: boolean): number => {
  const newest = calls[0]?.latest.number ?? 0
  const seen = useRef(newest)
  if (isAtTop) seen.current = newest
  if (newest <= seen.current) return 0
  const index = calls.findIndex(({ latest }) => latest.number <= seen.current)
  return index < 0 ? calls.length : index
}
