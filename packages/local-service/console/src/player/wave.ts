/** Draws and plays a recording by wavesurfer.js. */
import type { RefObject } from "preact"
import { useEffect, useState } from "preact/hooks"
import type WaveSurfer from "wavesurfer.js"
import { waveform } from "../speech.js"
import { useStore } from "../store.js"
import { colourOf, painted } from "../theme.js"
import { waveformStyle } from "./waveformStyle.js"

const height = 72
/** Not shown if the service can't read the recording either. */
const notPlayable = "This browser cannot play this recording. The service can still read it."
/** Drawn until the service has sent the waveform. */
const flat = [new Float32Array(2)]

/** In seconds. A spectrogram needs all samples in the memory of the page. */
export const maximumSpectrogramSeconds = 300

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
    setShown({ ...initial, address })
    const leaving = new AbortController()
    let remove: (() => void) | undefined
    const begin = async () => {
      const [wave, drawn] = await Promise.all([
        makeWave(container, media, leaving.signal).then((wave) => {
          if (wave === undefined) return undefined
          remove = () => wave.destroy()
          change({ wave })
          follow(wave, change, autoplay)
          wave.on("error", () => setShown((before) => ({ ...before, problem: before.problem ?? notPlayable })))
          return wave
        }),
        waveform(recording, leaving.signal)
      ])
      if (wave === undefined || leaving.signal.aborted) return
      if (!drawn.ok) return change({ problem: drawn.failure.message })
      const seconds = drawn.value.durationMillis / 1000
      change({ isShort: seconds <= maximumSpectrogramSeconds })
      await wave.load(address, [Float32Array.from(drawn.value.peaks)], seconds)
    }
    // The event `error` reports a failure.
    begin().catch(() => undefined)
    return () => {
      leaving.abort()
      remove?.()
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

/** `undefined` if the player is left before the code has arrived. */
const makeWave = async (
  container: HTMLElement,
  media: HTMLMediaElement,
  leaving: AbortSignal
): Promise<WaveSurfer | undefined> => {
  const { default: WaveSurfer } = await import("wavesurfer.js")
  if (leaving.aborted) return undefined
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
    interact: false,
    hideScrollbar: true,
    ...colours()
  })
  adoptStyle(wave)
  return wave
}

const follow = (wave: WaveSurfer, change: (changes: Partial<Wave>) => void, autoplay: boolean): void => {
  let tenths = 0
  wave.on("timeupdate", (at) => {
    // It comes with each frame of the screen.
    if (Math.round(at * 10) === tenths) return
    tenths = Math.round(at * 10)
    change({ at })
  })
  wave.on("play", () => change({ playing: true }))
  wave.on("pause", () => change({ playing: false }))
  wave.on("finish", () => change({ playing: false }))
  // A recording of the microphone has no duration until the service has decoded it.
  wave.on("ready", (seconds) => change({ duration: Number.isFinite(seconds) ? seconds : 0 }))
  wave.once("ready", () => {
    // A browser may refuse to play before the first click on a page.
    if (autoplay) wave.play().catch(() => undefined)
  })
}

/** In seconds. */
export const positionOf = (wave: WaveSurfer): number => wave.getMediaElement()?.currentTime ?? 0

/** Moves the position, in seconds. While the browser still moves to another one, `setTime` alone may lose it. */
export const moveTo = (wave: WaveSurfer, at: number): void => {
  wave.setTime(at)
  const media = wave.getMediaElement()
  if (media !== null) media.currentTime = at
}
