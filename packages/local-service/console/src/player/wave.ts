/** Draws and plays a recording by wavesurfer.js. */
import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import WaveSurfer from "wavesurfer.js"
import { waveform } from "../speech.js"
import { useStore } from "../store.js"
import { colourOf, painted } from "../theme.js"
import { waveformStyle } from "./waveformStyle.js"

const height = 80
const spectrogramHeight = 120
/** Drawn until the service has sent the waveform. */
const flat = [new Float32Array(2)]

/** In seconds. A spectrogram needs all samples in the memory of the page. */
export const maximumSpectrogramSeconds = 300
/** Of a spectrogram, in Hz. */
const sampleRate = 16_000

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

/** The state of a player. */
export interface Wave {
  readonly wave: WaveSurfer | undefined
  /** The address of the recording in the page. */
  readonly address: string | undefined
  /** In seconds: the position, and the duration. 0 until it is known. */
  readonly at: number
  readonly duration: number
  readonly playing: boolean
  /** Whether the recording is short enough for a spectrogram. `false` until its duration is known. */
  readonly isShort: boolean
  /** Why something can't be drawn or played. */
  readonly problem: string | undefined
}

const initial: Wave = {
  wave: undefined,
  address: undefined,
  at: 0,
  duration: 0,
  playing: false,
  isShort: false,
  problem: undefined
}

/** Draws the waveform of a recording into `frame`, and follows its playback. */
export const useWave = (frame: RefObject<HTMLDivElement | null>, recording: Blob, autoplay: boolean) => {
  const [shown, setShown] = useState(initial)
  const drawing = useStore(painted)
  const change = (changes: Partial<Wave>) => setShown((before) => ({ ...before, ...changes }))

  useEffect(() => {
    const container = frame.current
    if (container === null) return
    const address = URL.createObjectURL(recording)
    // The browser plays from the file. With an element of our own, playback continues when the waveform arrives.
    const media = new Audio(address)
    const wave = makeWave(container, media)
    setShown({ ...initial, wave, address })
    follow(wave, change)
    wave.once("ready", () => {
      // A browser may refuse to play before the first click on a page.
      if (autoplay) wave.play().catch(() => undefined)
    })
    const leaving = new AbortController()
    void waveform(recording, leaving.signal).then((outcome) => {
      if (leaving.signal.aborted) return
      if (!outcome.ok) return change({ problem: outcome.failure.message })
      const seconds = outcome.value.durationMillis / 1000
      change({ isShort: seconds <= maximumSpectrogramSeconds })
      // The event `error` reports a failure.
      wave.load(address, [Float32Array.from(outcome.value.peaks)], seconds).catch(() => undefined)
    })
    return () => {
      leaving.abort()
      wave.destroy()
      media.pause()
      media.removeAttribute("src")
      media.load()
      URL.revokeObjectURL(address)
    }
  }, [recording])

  useEffect(() => {
    shown.wave?.setOptions(colours())
  }, [shown.wave, drawing])

  return [shown, change] as const
}

const makeWave = (container: HTMLElement, media: HTMLMediaElement): WaveSurfer => {
  const wave = WaveSurfer.create({
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
  adoptStyle(wave)
  return wave
}

const follow = (wave: WaveSurfer, change: (changes: Partial<Wave>) => void): void => {
  wave.on("timeupdate", (at) => change({ at }))
  wave.on("play", () => change({ playing: true }))
  wave.on("pause", () => change({ playing: false }))
  wave.on("finish", () => change({ playing: false }))
  wave.on("error", () => change({ problem: "This browser cannot play this recording. The service can still read it." }))
  // A recording of the microphone has no duration until the service has decoded it.
  wave.on("ready", (seconds) => change({ duration: Number.isFinite(seconds) ? seconds : 0 }))
}

/** Draws the spectrogram of a recording while `isShown`. Returns where. */
export const useSpectrogram = (
  { address, wave }: Wave,
  recording: Blob,
  isShown: boolean,
  onProblem: (problem: string) => void
): RefObject<HTMLDivElement | null> => {
  const below = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const container = below.current
    if (!isShown || wave === undefined || address === undefined || container === null) return
    let remove: (() => void) | undefined
    let unwanted = false
    const draw = async () => {
      const [{ default: Spectrogram }, samples] = await Promise.all([
        import("wavesurfer.js/plugins/spectrogram"),
        decode(recording)
      ])
      if (unwanted) return
      if (samples === undefined) return onProblem("This browser cannot decode this recording.")
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
  }, [isShown, wave])
  return below
}
