/**
 * The quiet points of a recording: where nobody speaks, and where it is best cut into pieces.
 *
 * Loudness is taken in windows of 10 ms, as the root mean square of one channel's samples.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A pause, in frames from the beginning of the recording: from `start` on, up to before `end`. */
export interface Pause {
  readonly start: number
  readonly end: number
}

export interface PauseOptions {
  /** What is quieter is silence, below 0 dB, which is a mean square of 1: -40 unless given. A full sine has -3 dB. */
  readonly thresholdDecibels?: number | undefined
  /** The shortest silence that is a pause, in milliseconds: 300 unless given. */
  readonly minimumMillis?: number | undefined
}

const windowMillis = 10

/** Takes a signal apart into windows, of which the last may be shorter. */
const makeWindows = (sampleRate: number) => {
  if (!(sampleRate >= 1)) throw new RangeError(`A sample rate is at least 1 Hz, not ${sampleRate}.`)
  const length = Math.max(1, Math.round((sampleRate * windowMillis) / 1000))
  let energy = 0
  let filled = 0
  const take = (): number => {
    const mean = energy / filled
    energy = 0
    filled = 0
    return mean
  }
  return {
    length,
    /** The mean energy of each window that is complete with these samples. */
    push: (samples: Float32Array): ReadonlyArray<number> => {
      const energies: Array<number> = []
      for (const sample of samples) {
        energy += sample * sample
        filled++
        if (filled === length) energies.push(take())
      }
      return energies
    },
    /** How many samples the unfinished window has. */
    rest: () => filled,
    flush: (): ReadonlyArray<number> => (filled === 0 ? [] : [take()])
  }
}

/** Finds pauses in samples that come in blocks. */
export interface PauseFinder {
  /** The pauses that ended within these samples. */
  readonly push: (samples: Float32Array) => ReadonlyArray<Pause>
  /** The pause that lasts to the end. Nothing may be pushed after it. */
  readonly flush: () => ReadonlyArray<Pause>
}

/** @throws RangeError for a threshold of 0 dB or more, or a rate below 1 Hz. */
export const makePauseFinder = (sampleRate: number, options: PauseOptions = {}): PauseFinder => {
  const { minimumMillis = 300, thresholdDecibels = -40 } = options
  if (!(thresholdDecibels < 0)) {
    throw new RangeError(`A threshold of silence lies below 0 dB, and ${thresholdDecibels} does not.`)
  }
  const quiet = 10 ** (thresholdDecibels / 10)
  const minimum = (minimumMillis / 1000) * sampleRate
  const windows = makeWindows(sampleRate)
  let position = 0
  let start: number | undefined

  const end = (): ReadonlyArray<Pause> => {
    const pause = start !== undefined && position - start >= minimum ? [{ start, end: position }] : []
    start = undefined
    return pause
  }
  const add = (energy: number, length: number): ReadonlyArray<Pause> => {
    const pauses = energy < quiet ? [] : end()
    if (energy < quiet) start ??= position
    position += length
    return pauses
  }
  return {
    push: (samples) => windows.push(samples).flatMap((energy) => add(energy, windows.length)),
    flush: () => {
      const rest = windows.rest()
      return [...windows.flush().flatMap((energy) => add(energy, rest)), ...end()]
    }
  }
}

/** The pauses of a whole recording of one channel. */
export const pauses = (samples: Float32Array, sampleRate: number, options?: PauseOptions): ReadonlyArray<Pause> => {
  const finder = makePauseFinder(sampleRate, options)
  return [...finder.push(samples), ...finder.flush()]
}

/** The pauses of a stream of blocks, each as soon as it has ended. */
export const pausesStream =
  (sampleRate: number, options?: PauseOptions) =>
  <E, R>(blocks: Stream.Stream<Float32Array, E, R>): Stream.Stream<Pause, E, R> =>
    Stream.suspend(() => {
      const finder = makePauseFinder(sampleRate, options)
      return Stream.mapConcat(blocks, finder.push).pipe(
        Stream.concat(Stream.unwrap(Effect.sync(() => Stream.fromIterable(finder.flush()))))
      )
    })

/** Cuts a recording into pieces, each as soon as it is complete. */
export interface Splitter {
  /** The pieces that are complete with these samples. */
  readonly push: (samples: Float32Array) => ReadonlyArray<Float32Array>
  /** The last piece, which may be short. Nothing may be pushed after it. */
  readonly flush: () => ReadonlyArray<Float32Array>
}

/** How long a quiet point is, at whose middle a piece ends, in windows: 200 ms. */
const quietWindows = 20

/**
 * Cuts at the quietest 200 ms of the second half of what a piece may last, so that it works for quiet recordings and
 * for noisy ones. No piece is longer than `maximumMillis`, at least 1,000; together they are the recording. It holds the
 * memory of one piece.
 *
 * @throws RangeError for a maximum below a second, or a rate below 1 Hz.
 */
export const makeSplitter = (sampleRate: number, maximumMillis: number): Splitter => {
  if (!(maximumMillis >= 1000)) {
    throw new RangeError(`A piece of a recording lasts at least 1000 ms, not ${maximumMillis}.`)
  }
  const windows = makeWindows(sampleRate)
  const maximum = Math.floor((maximumMillis * sampleRate) / 1000 / windows.length)
  const piece = new Float32Array(maximum * windows.length)
  let filled = 0
  let energies: Array<number> = []

  /** The window before which to cut: where there is no quietest one, at the end. */
  const quietest = (): number => {
    let best = maximum
    let lowest = Number.POSITIVE_INFINITY
    for (let first = Math.floor(maximum / 2); first + quietWindows <= maximum; first++) {
      let energy = 0
      for (let index = first; index < first + quietWindows; index++) energy += energies[index] as number
      // Of equals the last, so that a long silence makes few pieces.
      if (energy <= lowest) {
        lowest = energy
        best = first + quietWindows / 2
      }
    }
    return best
  }
  const cut = (): Float32Array => {
    const cutAt = quietest()
    const length = cutAt * windows.length
    const complete = piece.slice(0, length)
    piece.copyWithin(0, length)
    filled -= length
    energies = energies.slice(cutAt)
    return complete
  }
  return {
    push: (samples) => {
      const pieces: Array<Float32Array> = []
      for (let offset = 0; offset < samples.length; ) {
        if (filled === piece.length) pieces.push(cut())
        const part = samples.subarray(offset, offset + piece.length - filled)
        piece.set(part, filled)
        for (const energy of windows.push(part)) energies.push(energy)
        filled += part.length
        offset += part.length
      }
      return pieces
    },
    flush: () => {
      const rest = filled === 0 ? [] : [piece.slice(0, filled)]
      filled = 0
      return rest
    }
  }
}

/** A stream of blocks as a stream of pieces, cut as {@link makeSplitter} cuts. */
export const splitStream =
  (sampleRate: number, maximumMillis: number) =>
  <E, R>(blocks: Stream.Stream<Float32Array, E, R>): Stream.Stream<Float32Array, E, R> =>
    Stream.suspend(() => {
      const splitter = makeSplitter(sampleRate, maximumMillis)
      return Stream.mapConcat(blocks, splitter.push).pipe(
        Stream.concat(Stream.unwrap(Effect.sync(() => Stream.fromIterable(splitter.flush()))))
      )
    })
