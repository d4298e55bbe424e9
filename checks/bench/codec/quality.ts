/**
 * The quality of resampling, by tones.
 *
 * One long signal holds all tones. Only the middle of each tone counts, not the delay of a resampler or the step between
 * tones. A sine and a cosine are fitted to it. The rest is noise, distortion and images.
 */
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { bar, table, title } from "effect-speech-test-support/report"
import type { Push } from "./harness.js"
import { speex } from "./peers/index.js"

/** In seconds: the length of a tone, and what is left out at each end, which is longer than the longest filter. */
const toneLength = 0.24
const guard = 0.06
const amplitude = 0.5

const decibels = (ratio: number) => 20 * Math.log10(ratio)

const spread = (count: number, value: (part: number) => number) =>
  Array.from({ length: count }, (_, index) => value(index / (count - 1)))

const tonesOf = (frequencies: ReadonlyArray<number>, rate: number) => {
  const length = Math.round(toneLength * rate)
  const samples = new Float32Array(frequencies.length * length)
  frequencies.forEach((frequency, index) => {
    for (let frame = 0; frame < length; frame++) {
      samples[index * length + frame] = amplitude * Math.sin((2 * Math.PI * frequency * frame) / rate)
    }
  })
  return samples
}

/**
 * The gain of a tone in the output, its residual, and both together, relative to the input. The mean square of the output does
 * not do: a tone beside the Nyquist frequency swells and fades.
 */
const fitTone = (samples: Float32Array, frequency: number, rate: number) => {
  const angle = (2 * Math.PI * frequency) / rate
  let [ss, sc, cc, sx, cx] = [0, 0, 0, 0, 0]
  for (const [index, x] of samples.entries()) {
    const s = Math.sin(angle * index)
    const c = Math.cos(angle * index)
    ss += s * s
    sc += s * c
    cc += c * c
    sx += s * x
    cx += c * x
  }
  const determinant = ss * cc - sc * sc
  const sine = (sx * cc - cx * sc) / determinant
  const cosine = (cx * ss - sx * sc) / determinant
  let rest = 0
  for (const [index, x] of samples.entries()) {
    rest += (x - sine * Math.sin(angle * index) - cosine * Math.cos(angle * index)) ** 2
  }
  const gain = Math.hypot(sine, cosine) / amplitude
  const residual = Math.sqrt((2 * rest) / samples.length) / amplitude
  return { gain, residual, level: Math.hypot(gain, residual) }
}

/** Ripple, aliases and images of a resampler, in dB. If it raises the rate, there are no aliases. */
const measure = (push: Push, from: number, to: number) => {
  const low = Math.min(from, to) / 2
  const passed = [
    ...spread(60, (part) => 20 * ((0.85 * low) / 20) ** part),
    ...spread(40, (part) => low * (0.02 + 0.83 * part))
  ]
  const edge = spread(60, (part) => low * (0.8525 + 0.147 * part))
  const stopped =
    from > to
      ? [
          ...spread(60, (part) => low * (1.0005 + 0.2 * part)),
          ...spread(60, (part) => low * 1.2 + (from / 2 - low * 1.2) * 0.9995 * part)
        ]
      : []
  const frequencies = [...passed, ...edge, ...stopped]
  const output = inBlocks(push, tonesOf(frequencies, from))
  const length = Math.round(toneLength * to)
  const skipped = Math.round(guard * to)
  const tones = frequencies.map((frequency, index) =>
    fitTone(output.subarray(index * length + skipped, (index + 1) * length - skipped), frequency, to)
  )
  const inBand = tones.slice(0, passed.length)
  const imaged = from > to ? inBand : tones
  return {
    ripple: Math.max(...inBand.map(({ gain }) => Math.abs(decibels(gain)))),
    alias: decibels(Math.max(...tones.slice(passed.length + edge.length).map(({ level }) => level))),
    image: decibels(Math.max(...imaged.map(({ residual }) => residual)))
  }
}

const inBlocks = (push: Push, samples: Float32Array) => {
  const parts: Array<Float32Array> = []
  for (let offset = 0; offset < samples.length; offset += 8192)
    parts.push(push(samples.subarray(offset, offset + 8192)))
  // The last tone ends where the resampler would need more.
  parts.push(push(new Float32Array(8192)))
  return Float32Array.from(parts.flatMap((part) => [...part]))
}

export const measureQuality = async () => {
  title("The quality of resampling, in dB")
  for (const [from, to] of [[48_000, 8000] as const, [44_100, 8000] as const, [22_050, 24_000] as const]) {
    const ours = measure(Resampler.unsafeMake({ from, to }).push, from, to)
    const others = measure(await speex(from, to, 5), from, to)
    const row = (name: string, { alias, image, ripple }: typeof ours) =>
      [name, ripple.toFixed(5), from > to ? alias.toFixed(1) : "", image.toFixed(1)] as const
    table([
      [`${from} Hz to ${to} Hz`, "ripple", "aliases", "images"],
      row("Resampler.unsafeMake", ours),
      row("Speex, quality 5", others)
    ])
    bar("ripple of at most 0.001 dB", ours.ripple <= 0.001, `${ours.ripple.toFixed(5)} dB`)
    if (from > to) bar("aliases at -110 dB or below", ours.alias <= -110, `${ours.alias.toFixed(1)} dB`)
    bar("images at -120 dB or below", ours.image <= -120, `${ours.image.toFixed(1)} dB`)
  }
}
