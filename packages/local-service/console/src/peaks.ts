/** The peaks of a long recording, so that the page neither stands still nor keeps all its samples. */

/** In seconds. A recording up to this length is drawn from its samples, which a spectrogram needs. */
export const longSeconds = 300

/** In Hz. */
const sampleRate = 8000
const points = 4000
/** In samples: some milliseconds of work. */
const block = 1_000_000

export interface Peaks {
  readonly peaks: Float32Array
  /** In seconds. */
  readonly duration: number
}

/** `undefined`: the recording is short, or this browser cannot decode it. */
export const peaksOfLong = async (recording: Blob): Promise<Peaks | undefined> => {
  const decoded = await decode(recording)
  if (decoded === undefined || decoded.duration <= longSeconds) return undefined
  const samples = decoded.getChannelData(0)
  const peaks = new Float32Array(points)
  let sinceRest = 0
  for (let point = 0; point < points; point++) {
    const end = Math.floor(((point + 1) * samples.length) / points)
    let peak = 0
    for (let at = Math.floor((point * samples.length) / points); at < end; at++) {
      const sample = samples[at] ?? 0
      if (Math.abs(sample) > Math.abs(peak)) peak = sample
    }
    peaks[point] = peak
    sinceRest += samples.length / points
    if (sinceRest < block) continue
    sinceRest = 0
    await new Promise((next) => setTimeout(next, 0))
  }
  return { peaks, duration: decoded.duration }
}

const decode = async (recording: Blob): Promise<AudioBuffer | undefined> => {
  try {
    return await new OfflineAudioContext(1, 1, sampleRate).decodeAudioData(await recording.arrayBuffer())
  } catch {
    return undefined
  }
}
