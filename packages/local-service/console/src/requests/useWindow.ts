/** Draws only the rows of a long list that are in sight. All rows have one height. */
import type { RefObject } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"

/** Rows above and below those in sight. */
const overscan = 6

/** The first row in sight, and how much of it is above the edge, in pixels. */
interface Anchor {
  readonly key: number
  readonly offset: number
}

/** Where a list is. It outlives the list. */
export interface Memory {
  current: { readonly subject: string; readonly anchor: Anchor | undefined } | undefined
}

export interface WindowOptions<Row> {
  readonly rows: ReadonlyArray<Row>
  /** What identifies a row while the list changes. */
  readonly keyOf: (row: Row) => number
  /** Height of a row in rem. */
  readonly rowRem: number
  /** What the list shows. If it changes, the list scrolls to its beginning. */
  readonly subject: string
  /** Where the list begins, if it showed the same subject then. */
  readonly leftAt: Memory
}

export interface Window {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
  /** In pixels. */
  readonly rowHeight: number
  /** Indices of the rows to draw. */
  readonly from: number
  readonly to: number
  /** Whether the beginning of the list is in sight. */
  readonly isAtTop: boolean
  /** Scrolls as little as it takes to show a row, or to the middle if it is far away. */
  readonly reveal: (index: number) => void
  readonly scrollToTop: () => void
}

const rootFontSize = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16

/** Rows that arrive above those in sight do not move them. */
export const useWindow = <Row>({ keyOf, leftAt, rowRem, rows, subject }: WindowOptions<Row>): Window => {
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = rowRem * rootFontSize()
  const [first, setFirst] = useState(0)
  const [height, setHeight] = useState(0)
  const anchor = useRef(leftAt.current?.subject === subject ? leftAt.current.anchor : undefined)
  const shownSubject = useRef(subject)

  const readScroll = () => {
    // A list that is hidden has no position.
    if (scroller.current === null || scroller.current.clientHeight === 0) return
    const top = scroller.current.scrollTop
    const index = Math.floor(top / rowHeight)
    const row = rows[index]
    anchor.current = top === 0 || row === undefined ? undefined : { key: keyOf(row), offset: top - index * rowHeight }
    leftAt.current = { subject, anchor: anchor.current }
    setFirst(index)
  }
  const scrollTo = (top: number) => {
    if (scroller.current === null) return
    scroller.current.scrollTop = top
    readScroll()
  }

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    setHeight(element.clientHeight)
    return () => observer.disconnect()
  }, [])

  useLayoutEffect(() => {
    if (shownSubject.current !== subject) {
      shownSubject.current = subject
      return scrollTo(0)
    }
    const { key, offset } = anchor.current ?? {}
    if (key === undefined || offset === undefined) return
    const index = rows.findIndex((row) => keyOf(row) === key)
    const shown = Math.floor((scroller.current?.scrollTop ?? 0) / rowHeight)
    if (index >= 0 && index !== shown) scrollTo(index * rowHeight + offset)
  }, [rows, subject, height])

  const inSight = Math.ceil(height / rowHeight)
  return {
    scroller,
    onScroll: readScroll,
    rowHeight,
    from: Math.max(0, first - overscan),
    to: Math.min(rows.length, first + inSight + overscan + 1),
    isAtTop: first === 0,
    reveal: (index) => {
      const element = scroller.current
      if (element === null) return
      const top = index * rowHeight
      const { clientHeight, scrollTop } = element
      if (top >= scrollTop && top + rowHeight <= scrollTop + clientHeight) return
      const isFar = top < scrollTop - 2 * rowHeight || top > scrollTop + clientHeight + rowHeight
      if (isFar) scrollTo(Math.max(0, top - (clientHeight - rowHeight) / 2))
      else scrollTo(top < scrollTop ? top : top + rowHeight - clientHeight)
    },
    scrollToTop: () => scrollTo(0)
  }
}
