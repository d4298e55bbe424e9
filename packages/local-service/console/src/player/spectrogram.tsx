/** The spectrogram of a recording, with its frequencies. */
import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { Wave } from "./wave.js"

const spectrogramHeight = 128

/** Of a spectrogram, in Hz. */
const sampleRate = 16_000

/** The samples of the first channel, or `undefined` if this browser cannot decode the recording. */
const decode = async (recording: Blob): Promise<Float32Array | undefined> => {
  try {
    const context = new OfflineAudioContext(1, 1, sampleRate)
    return (await context.decodeAudioData(await recording.arrayBuffer())).getChannelData(0)
  } catch {
    return undefined
  }
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

/** In Hz. */
const labelled = [500, 1000, 2000, 4000]

/** The pitch of a frequency in mel, as wavesurfer.js computes it. */
const melOf = (frequency: number): number => 2595 * Math.log10(1 + frequency / 700)

/** The frequencies of a spectrogram, at its left edge. */
export const FrequencyAxis = () => (
  <>
    {labelled.map((frequency) => (
      <span
        key={frequency}
        class="frequency"
        style={{ bottom: `${(100 * melOf(frequency)) / melOf(sampleRate / 2)}%` }}
      >
        {frequency < 1000 ? `${frequency} Hz` : `${frequency / 1000} kHz`}
      </span>
    ))}
  </>
)
