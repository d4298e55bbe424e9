/** A recording to hear and to see: its waveform, a cursor, its segments, and its spectrogram. */

import { useEffect, useId, useRef, useState } from "preact/hooks"
import WaveSurfer from "wavesurfer.js"
import type { TranscriptSegment } from "../../src/Console.js"
import { percent, position } from "./format.js"
import { waveform } from "./speech.js"
import { useStore } from "./store.js"
import { colourOf, painted } from "./theme.js"
import { waveformStyle } from "./waveformStyle.js"

const height = 80
const spectrogramHeight = 120
/** Drawn until the service has sent the waveform. */
const flat = [new Float32Array(2)]

/** In seconds. A spectrogram needs all samples in the memory of the page. */
const maximumSpectrogramSeconds = 300
/** Of a spectrogram, in Hz. */
const sampleRate = 16_000

export interface PlayerProps {
  readonly recording: Blob
  /** Name of the file to save. */
  readonly fileName: string
  readonly segments?: ReadonlyArray<TranscriptSegment> | undefined
  /** Plays as soon as it can. Default: false. */
  readonly autoplay?: boolean
  readonly label: string
}

let sheet: CSSStyleSheet | undefined
const adoptStyle = (wave: WaveSurfer): void => {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(waveformStyle)
  }
  const root = wave.getWrapper().getRootNode()
  if (root instanceof ShadowRoot) root.adoptedStyleSheets = [sheet]
}

const colours = () => ({
  waveColor: colourOf("wave-rest"),
  progressColor: colourOf("wave-played"),
  cursorColor: colourOf("wave-cursor")
})

/** The samples of the first channel, or `undefined` if this browser cannot decode the recording. */
const decode = async (recording: Blob): Promise<Float32Array | undefined> => {
  try {
    const context = new OfflineAudioContext(1, 1, sampleRate)
    return (await context.decodeAudioData(await recording.arrayBuffer())).getChannelData(0)
  } catch {
    return undefined
  }
}

export const Player = ({ autoplay = false, fileName, label, recording, segments = [] }: PlayerProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const below = useRef<HTMLDivElement>(null)
  const [wave, setWave] = useState<WaveSurfer>()
  const [at, setAt] = useState(0)
  const [duration, setDuration] = useState(0)
  const [playing, setPlaying] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [withSpectrogram, setWithSpectrogram] = useState(false)
  const [isShort, setShort] = useState(false)
  const [address, setAddress] = useState<string>()
  const drawing = useStore(painted)
  const spectrogramId = useId()
  const hasSpectrogram = withSpectrogram && isShort

  useEffect(() => {
    const container = frame.current
    if (container === null) return
    const address = URL.createObjectURL(recording)
    setAddress(address)
    // The browser plays from the file. With an element of our own, playback continues when the waveform arrives.
    const media = new Audio(address)
    const created = WaveSurfer.create({
      container,
      media,
      // Without peaks, the page would decode the whole recording.
      peaks: flat,
      height,
      barWidth: 2,
      barGap: 1,
      barRadius: 1,
      normalize: true,
      dragToSeek: true,
      hideScrollbar: true,
      ...colours()
    })
    adoptStyle(created)
    setAt(0)
    setDuration(0)
    setShort(false)
    setPlaying(false)
    setProblem(undefined)
    created.on("timeupdate", setAt)
    created.on("play", () => setPlaying(true))
    created.on("pause", () => setPlaying(false))
    created.on("finish", () => setPlaying(false))
    created.on("error", () => setProblem("This browser cannot play this recording. The service can still read it."))
    // A recording of the microphone has no duration until the service has decoded it.
    created.on("ready", (seconds) => setDuration(Number.isFinite(seconds) ? seconds : 0))
    created.once("ready", () => {
      // A browser may refuse to play before the first click on a page.
      if (autoplay) created.play().catch(() => undefined)
    })
    // The event above reports a failure.
    const draw = (peaks: Array<Float32Array>, seconds?: number) =>
      created.load(address, peaks, seconds).catch(() => undefined)
    const leaving = new AbortController()
    void waveform(recording, leaving.signal).then((outcome) => {
      if (leaving.signal.aborted) return
      if (!outcome.ok) return setProblem(outcome.failure.message)
      const seconds = outcome.value.durationMillis / 1000
      setShort(seconds <= maximumSpectrogramSeconds)
      void draw([Float32Array.from(outcome.value.peaks)], seconds)
    })
    setWave(created)
    return () => {
      leaving.abort()
      created.destroy()
      media.pause()
      media.removeAttribute("src")
      media.load()
      URL.revokeObjectURL(address)
    }
  }, [recording])

  useEffect(() => {
    wave?.setOptions(colours())
  }, [wave, drawing])

  useEffect(() => {
    const container = below.current
    if (!hasSpectrogram || wave === undefined || address === undefined || container === null) return
    let remove: (() => void) | undefined
    let unwanted = false
    const draw = async () => {
      const [{ default: Spectrogram }, samples] = await Promise.all([
        import("wavesurfer.js/plugins/spectrogram"),
        decode(recording)
      ])
      if (unwanted) return
      if (samples === undefined) return setProblem("This browser cannot decode this recording.")
      await wave.load(address, [samples], samples.length / sampleRate)
      if (unwanted) return
      const plugin = Spectrogram.create({
        container,
        height: spectrogramHeight,
        fftSamples: 512,
        labels: true,
        labelsBackground: "rgb(0 0 0 / 65%)",
        labelsColor: "#fff",
        labelsHzColor: "#fff",
        scale: "mel",
        useWebWorker: false
      })
      wave.registerPlugin(plugin)
      remove = () => wave.unregisterPlugin(plugin)
    }
    // A player that is removed meanwhile loads nothing.
    draw().catch(() => undefined)
    return () => {
      unwanted = true
      remove?.()
      container.replaceChildren()
    }
  }, [hasSpectrogram, wave])

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
        <ol class="segments" aria-label="Segments">
          {timed.map(({ confidence, end, start, text }, index) => (
            <li key={start}>
              <button
                type="button"
                data-active={index === active}
                aria-current={index === active ? "true" : undefined}
                onClick={() => void wave?.play(start, end).catch(() => undefined)}
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
      )}
    </div>
  )
}
