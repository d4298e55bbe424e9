/** The segments of a recording: on its waveform, and as a list that plays them. */
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { TranscriptSegment } from "../../../src/internal/console/messages.js"
import { percent, position } from "../format.js"

/** Start and end are in seconds. */
export type TimedSegment = TranscriptSegment

export interface SegmentsProps {
  readonly segments: ReadonlyArray<TimedSegment>
  /** The index of the one that is played, or -1. */
  readonly active: number
  readonly onPlay: (start: number, end: number) => void
}

export const Segments = ({ active, onPlay, segments }: SegmentsProps) => {
  const list = useRef<HTMLOListElement>(null)
  const entries = useMemo(() => segments.map((segment, index) => entryOf(segment, index, onPlay)), [segments, onPlay])
  // Drawing thousands of entries again for each that is played would take too long.
  useEffect(() => {
    const entry = list.current?.children[active]
    const button = entry?.firstElementChild
    if (list.current === null || !(entry instanceof HTMLElement) || !(button instanceof HTMLElement)) return
    button.dataset.active = "true"
    button.setAttribute("aria-current", "true")
    reveal(list.current, entry)
    return () => {
      delete button.dataset.active
      button.removeAttribute("aria-current")
    }
  }, [active, entries])
  return segments.length === 0 ? null : (
    <ol class="segments" aria-label="Segments" ref={list}>
      {entries}
    </ol>
  )
}

const entryOf = ({ confidence, end, start, text }: TimedSegment, index: number, onPlay: SegmentsProps["onPlay"]) => (
  <li key={index}>
    <button type="button" onClick={() => onPlay(start, end)}>
      <span class="times">
        {position(start)}–{position(end)}
      </span>{" "}
      <bdi>{text}</bdi>
      {confidence !== null && <span class="quiet"> {percent(confidence)}</span>}
    </button>
  </li>
)

/** Scrolls the list to an entry, and not the page. */
const reveal = (list: HTMLElement, entry: HTMLElement): void => {
  const top = entry.offsetTop - list.offsetTop
  if (top < list.scrollTop || top + entry.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top
}

/** More marks than this hide the waveform. Then only the segment that is played has one. */
const maximumMarks = 120

export interface MarksProps {
  readonly segments: ReadonlyArray<TimedSegment>
  readonly active: number
  /** In seconds. 0 until it is known. */
  readonly duration: number
}

export const Marks = ({ active, duration, segments }: MarksProps) => {
  if (duration === 0) return null
  const share = (seconds: number) => `${Math.min(100, (100 * seconds) / duration)}%`
  const isMarked = (index: number) => segments.length <= maximumMarks || index === active
  return (
    <>
      {segments.map(
        ({ end, start }, index) =>
          isMarked(index) && (
            <div
              key={index}
              class="mark"
              data-active={index === active}
              style={{ left: share(start), width: share(end - start) }}
            />
          )
      )}
    </>
  )
}
