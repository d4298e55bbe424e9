/** The segments of a recording: on its waveform, and as a list that plays them. */
import { useEffect, useRef } from "preact/hooks"
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
  useEffect(() => {
    if (list.current !== null) reveal(list.current, active)
  }, [active])
  return segments.length === 0 ? null : (
    <ol class="segments" aria-label="Segments" ref={list}>
      {segments.map(({ confidence, end, start, text }, index) => (
        <li key={index}>
          <button
            type="button"
            data-active={index === active}
            aria-current={index === active ? "true" : undefined}
            onClick={() => onPlay(start, end)}
          >
            <span class="times">
              {position(start)}–{position(end)}
            </span>{" "}
            <bdi>{text}</bdi>
            {confidence !== null && <span class="quiet"> {percent(confidence)}</span>}
          </button>
        </li>
      ))}
    </ol>
  )
}

/** Scrolls the list to an entry, and not the page. */
const reveal = (list: HTMLOListElement, index: number): void => {
  const entry = list.children[index]
  if (!(entry instanceof HTMLElement)) return
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
