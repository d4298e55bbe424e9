/** A recording to hear and to see: its waveform, a cursor, its segments, and its spectrogram. */
import type { ComponentChildren } from "preact"
import { useCallback, useMemo, useRef, useState } from "preact/hooks"
import type { TranscriptSegment } from "../../../src/internal/console/messages.js"
import { position } from "../format.js"
import { Marks, Segments, type TimedSegment } from "./Segments.js"
import { FrequencyAxis, useSpectrogram } from "./spectrogram.js"
import { maximumSpectrogramSeconds, moveTo, positionOf, useWave, type Wave } from "./wave.js"

export interface PlayerProps {
  readonly recording: Blob
  /** Name of the file to save. */
  readonly fileName: string
  readonly segments?: ReadonlyArray<TranscriptSegment> | undefined
  /** Plays as soon as it can. Default: false. */
  readonly autoplay?: boolean
  readonly label: string
  /** More buttons, beside that which saves. */
  readonly children?: ComponentChildren
}

/** A step of the arrow keys, in seconds; with Shift the longer one. */
const steps = { short: 1, long: 10 }

const none: ReadonlyArray<TranscriptSegment> = []

export const Player = ({ autoplay = false, children, fileName, label, recording, segments = none }: PlayerProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const [shown, change] = useWave(frame, recording, autoplay)
  const [withSpectrogram, setWithSpectrogram] = useState(false)
  const { at, duration, isShort, problem, wave } = shown
  const hasSpectrogram = withSpectrogram && isShort
  /** Neither the browser nor the service can read it. */
  const isUnreadable = problem !== undefined && duration === 0
  const below = useSpectrogram(shown, recording, hasSpectrogram, (problem) => change({ problem }))

  const timed = useMemo(
    () =>
      segments.map((segment): TimedSegment => ({ ...segment, start: segment.start / 1000, end: segment.end / 1000 })),
    [segments]
  )
  const active = timed.findIndex(({ end, start }) => at >= start && at < end)
  // The position changes many times a second, and the marks only with the segment that is played.
  const marks = useMemo(() => <Marks active={active} duration={duration} segments={timed} />, [active, duration, timed])
  const playPart = useCallback(
    (start: number, end: number) => void wave?.play(start, end).catch(() => undefined),
    [wave]
  )

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work on the controls inside.
    <div class="player" onKeyDown={(event) => playByKey(event, shown)}>
      <div class="picture" hidden={isUnreadable}>
        <div class="waveform" ref={frame} aria-hidden="true" />
        {marks}
        <Position label={label} shown={shown} />
      </div>
      {hasSpectrogram && (
        <div class="spectrogram" aria-hidden="true">
          <div ref={below} />
          <FrequencyAxis />
        </div>
      )}
      {problem && <p class="quiet">{problem}</p>}
      {!isUnreadable && (
        <>
          <div class="transport">
            <PlayButton label={label} shown={shown} />
            <span class="times">
              {position(at)} / {position(duration)}
            </span>
            <span class="spring" />
            <Rate label={label} shown={shown} />
          </div>
          <div class="transport">
            <a class="button" href={shown.address ?? "#/"} download={fileName}>
              Save
            </a>
            {children}
            <span class="spring" />
            <SpectrogramSwitch shown={shown} isOn={hasSpectrogram} onChange={setWithSpectrogram} />
          </div>
        </>
      )}
      <Segments active={active} segments={timed} onPlay={playPart} />
    </div>
  )
}

const seek = ({ duration, wave }: Wave, seconds: number): void => {
  if (wave !== undefined) moveTo(wave, Math.max(0, Math.min(duration, positionOf(wave) + seconds)))
}

/** The arrow keys move the position, and the space bar plays unless it presses a button. */
const playByKey = (event: KeyboardEvent, shown: Wave): void => {
  const { target } = event
  const isField = target instanceof HTMLSelectElement || event.altKey || event.ctrlKey || event.metaKey
  if (isField || shown.duration === 0) return
  const step = event.shiftKey ? steps.long : steps.short
  if (event.key === "ArrowLeft") seek(shown, -step)
  else if (event.key === "ArrowRight") seek(shown, step)
  else if (event.key === " " && target instanceof HTMLInputElement && target.type === "range") {
    void shown.wave?.playPause().catch(() => undefined)
  } else return
  event.preventDefault()
}

interface ControlProps {
  readonly label: string
  readonly shown: Wave
}

/** Lies over the waveform: press or drag there to move the position. */
const Position = ({ label, shown: { at, duration, wave } }: ControlProps) => (
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
    onInput={(event) => wave && moveTo(wave, event.currentTarget.valueAsNumber)}
  />
)

const PlayButton = ({ label, shown: { duration, playing, wave } }: ControlProps) => (
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
)

const rates = [0.5, 1, 1.5, 2]

const Rate = ({ label, shown: { wave } }: ControlProps) => (
  <select
    aria-label={`Speed of ${label}`}
    disabled={wave === undefined}
    onChange={(event) => wave?.setPlaybackRate(Number(event.currentTarget.value))}
  >
    {rates.map((rate) => (
      <option key={rate} value={rate} selected={rate === 1}>
        {rate}×
      </option>
    ))}
  </select>
)

interface SpectrogramSwitchProps {
  readonly shown: Wave
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

const SpectrogramSwitch = ({ isOn, onChange, shown: { duration, isShort } }: SpectrogramSwitchProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isOn}
      disabled={!isShort}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    Spectrogram{duration > maximumSpectrogramSeconds && ` (up to ${maximumSpectrogramSeconds / 60} minutes)`}
  </label>
)
