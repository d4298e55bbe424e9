import { readFileSync } from "node:fs"
import { type AudioFormat, Pcm, Wav } from "@effect-speech/audio-codec"
import type { LongSpeech } from "@effect-speech/long-form"
import * as Either from "effect/Either"

const pauses: Readonly<Record<string, number>> = { paragraph: 600, line: 400, sentence: 250, clause: 120 }

export interface Joins {
  /** Frames of the file, and those of its pieces and their pauses, added up. */
  readonly frames: number
  readonly added: number
  /** Samples of a pause that are not silent. */
  readonly loud: number
  /** The largest difference of two samples: up to 10 ms before and after the ends of a piece, and inside of the pieces. */
  readonly jumpAtJoins: number
  readonly jumpInside: number
}

/** Reads the whole file, and compares it with the report of its speech. */
export const readJoins = (path: string, { pieces }: LongSpeech.Report): Joins & AudioFormat.AudioFormat => {
  const { bytes, format } = Either.getOrThrow(Wav.decode(readFileSync(path)))
  const samples = Pcm.decode(bytes, format.encoding)
  const at = (frame: number): number => samples[frame] ?? 0
  const near = Math.round(format.sampleRate / 100)
  const jumpAt = (frame: number): number => Math.abs(at(frame) - at(frame - 1))
  const found = { frames: samples.length, added: 0, loud: 0, jumpAtJoins: 0, jumpInside: 0 }
  for (const [index, { boundary, endFrame, startFrame }] of pieces.entries()) {
    const pause = index === pieces.length - 1 ? 0 : ((pauses[boundary] ?? 0) * format.sampleRate) / 1000
    const silentFrom = found.added + endFrame - startFrame
    found.added = silentFrom + pause
    for (let frame = silentFrom; frame < found.added; frame++) if (at(frame) !== 0) found.loud++
    for (let frame = startFrame - near; frame < endFrame + near; frame++) {
      const isNear = frame < startFrame + near || frame > endFrame - near
      const kind = isNear ? "jumpAtJoins" : "jumpInside"
      found[kind] = Math.max(found[kind], jumpAt(frame))
    }
  }
  return { ...found, ...format }
}
