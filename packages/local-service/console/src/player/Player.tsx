/** A recording to hear and to see: its waveform, a cursor, its segments, and its spectrogram. */
import { useId, useRef, useState } from "preact/hooks"
import type { TranscriptSegment } from "../../../src/internal/console/messages.js"
import { percent, position } from "../format.js"
import { maximumSpectrogramSeconds, useSpectrogram, useWave, type Wave } from "./wave.js"

export interface PlayerProps {
  readonly recording: Blob
  /** Name of the file to save. */
  readonly fileName: string
  readonly segments?: ReadonlyArray<TranscriptSegment> | undefined
  /** Plays as soon as it can. Default: false. */
  readonly autoplay?: boolean
  readonly label: string
}

export const Player = ({ autoplay = false, fileName, label, recording, segments = [] }: PlayerProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const [shown, change] = useWave(frame, recording, autoplay)
  const [withSpectrogram, setWithSpectrogram] = useState(false)
  const spectrogramId = useId()
  const { address, at, duration, isShort, problem, wave } = shown
  const hasSpectrogram = withSpectrogram && isShort
  const below = useSpectrogram(shown, recording, hasSpectrogram, (problem) => change({ problem }))

  const timed = segments.map((segment) => ({ ...segment, start: segment.start / 1000, end: segment.end / 1000 }))
  const active = timed.findIndex(({ end, start }) => at >= start && at < end)
  const share = (seconds: number) => `${Math.min(100, (100 * seconds) / (duration || 1))}%`

  return (
    <div class="player">
      <div class="picture">
        <div class="waveform" ref={frame} aria-hidden="true" />
        {duration > 0 &&
          timed.map(({ end, start }, index) => (
            <div
              key={start}
              class="mark"
              data-active={index === active}
              style={{ left: share(start), width: share(end - start) }}
            />
          ))}
      </div>
      {hasSpectrogram && <div class="spectrogram" id={spectrogramId} ref={below} aria-hidden="true" />}
      {problem && <p class="quiet">{problem}</p>}
      <Transport label={label} shown={shown} />
      <div class="transport">
        <label class="check">
          <input
            type="checkbox"
            checked={hasSpectrogram}
            disabled={!isShort}
            onChange={(event) => setWithSpectrogram(event.currentTarget.checked)}
          />
          Spectrogram{duration > maximumSpectrogramSeconds && ` (up to ${maximumSpectrogramSeconds / 60} minutes)`}
        </label>
        <a class="button" href={address ?? "#/"} download={fileName}>
          Save
        </a>
      </div>
      {timed.length > 0 && (
        <Segments
          active={active}
          segments={timed}
          onPlay={(start, end) => void wave?.play(start, end).catch(() => undefined)}
        />
      )}
    </div>
  )
}

/** The button that plays, and the position. */
const Transport = ({ label, shown }: { readonly label: string; readonly shown: Wave }) => {
  const { at, duration, playing, wave } = shown
  return (
    <div class="transport">
      <button
        type="button"
        class="round"
        aria-label={playing ? `Pause ${label}` : `Play ${label}`}
        disabled={duration === 0}
        onClick={() => void wave?.playPause().catch(() => undefined)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M5 3l8 5-8 5z"} />
        </svg>
      </button>
      <input
        type="range"
        class="seek"
        aria-label={`Position in ${label}`}
        aria-valuetext={`${position(at)} of ${position(duration)}`}
        min={0}
        max={duration || 1}
        step={0.1}
        value={at}
        disabled={duration === 0}
        onInput={(event) => wave?.setTime(event.currentTarget.valueAsNumber)}
      />
      <span class="times">
        {position(at)} / {position(duration)}
      </span>
    </div>
  )
}

interface SegmentsProps {
  /** Start and end are in seconds. */
  readonly segments: ReadonlyArray<TranscriptSegment>
  /** The index of the one that is played, or -1. */
  readonly active: number
  readonly onPlay: (start: number, end: number) => void
}

const Segments = ({ active, onPlay, segments }: SegmentsProps) => (
  <ol class="segments" aria-label="Segments">
    {segments.map(({ confidence, end, start, text }, index) => (
      <li key={start}>
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
