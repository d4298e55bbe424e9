/**
 * The quality of resampling, by tones.
 *
 * One long signal holds all tones. Only the middle of each tone counts, not the delay of a resampler or the step between
 * tones. A sine and a cosine are fitted to it. The rest is noise, distortion and images.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { at, bar, table, title } from "effect-speech-test-support/report"
import { execute, type Push, programVersions } from "./harness.js"
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

type Resample = (samples: Float32Array, from: number, to: number) => Float32Array | Promise<Float32Array>

const measure = async (resample: Resample, from: number, to: number) => {
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
  const frequencies = [997, ...passed.toSorted((a, b) => a - b), ...edge, ...stopped]

  const output = await resample(tonesOf(frequencies, from), from, to)
  const length = Math.round(toneLength * to)
  const skipped = Math.round(guard * to)
  const tones = frequencies.map((frequency, index) => ({
    frequency,
    ...fitTone(output.subarray(index * length + skipped, (index + 1) * length - skipped), frequency, to)
  }))
  const reference = at(tones, 0)
  const others = tones.slice(1)
  const inBand = others.slice(0, passed.length)
  const belowNyquist = others.slice(0, passed.length + edge.length)
  const beyond = others.slice(belowNyquist.length)
  const imaged = from > to ? inBand : belowNyquist
  const crossing = belowNyquist.findIndex(({ gain }) => decibels(gain) < -0.1)
  return {
    ripple: Math.max(...inBand.map(({ gain }) => Math.abs(decibels(gain)))),
    bandwidth: crossing === -1 ? 1 : interpolated(at(belowNyquist, crossing - 1), at(belowNyquist, crossing)) / low,
    alias: beyond.length === 0 ? undefined : decibels(Math.max(...beyond.map(({ level }) => level))),
    image: decibels(Math.max(...imaged.map(({ residual }) => residual))),
    distortion: decibels(reference.residual / reference.gain),
    worst: decibels(Math.max(...inBand.map(({ gain, residual }) => residual / gain)))
  }
}

type Tone = { readonly frequency: number; readonly gain: number }

/** The frequency between two tones where the gain is -0.1 dB. */
const interpolated = (before: Tone, after: Tone) => {
  const part = (decibels(before.gain) + 0.1) / (decibels(before.gain) - decibels(after.gain))
  return before.frequency + part * (after.frequency - before.frequency)
}

const inBlocks =
  (make: (from: number, to: number) => Promise<Push>): Resample =>
  async (samples, from, to) => {
    const push = await make(from, to)
    const output = new Float32Array(Math.ceil((samples.length * to) / from) + 8192)
    let filled = 0
    for (let offset = 0; offset < samples.length; offset += 8192) {
      const part = push(samples.subarray(offset, offset + 8192))
      output.set(part, filled)
      filled += part.length
    }
    return output
  }

const folder = temporaryFolder("bench-quality-")

const throughFiles =
  (run: (input: string, from: number, output: string, to: number) => void): Resample =>
  (samples, from, to) => {
    const input = join(folder, "tones.raw")
    const output = join(folder, "resampled.raw")
    writeFileSync(input, new Uint8Array(samples.buffer as ArrayBuffer))
    run(input, from, output, to)
    return new Float32Array(new Uint8Array(readFileSync(output)).buffer)
  }

const raw = (rate: number) => ["-t", "f32", "-r", `${rate}`, "-c", "1"]

const programs: Readonly<Record<string, Resample>> = {
  // As sox does by default for 16 bits.
  sox: throughFiles((input, from, output, to) =>
    execute("sox", "-D", ...raw(from), input, ...raw(to), output, "rate", "-h", `${to}`)
  ),
  // In floats: ffmpeg resamples a file of 16 bits in 16 bits.
  ffmpeg: throughFiles((input, from, output, to) =>
    execute(
      "ffmpeg",
      ...["-v", "error", "-y", "-f", "f32le", "-ar", `${from}`, "-ac", "1", "-i", input],
      ...["-f", "f32le", "-ar", `${to}`, output]
    )
  )
}

export const measureQuality = async () => {
  title("The quality of resampling, in dB without another unit")
  const installed = programVersions()
  const resamplers: Readonly<Record<string, Resample>> = {
    "Resampler.resample": (samples, from, to) => Resampler.resample(samples, { from, to }),
    "Speex, quality 5": inBlocks((from, to) => speex(from, to, 5)),
    ...Object.fromEntries(Object.entries(programs).filter(([name]) => name in installed))
  }
  for (const [from, to] of [[48_000, 8000] as const, [44_100, 8000] as const, [22_050, 24_000] as const]) {
    const results = []
    for (const [name, resample] of Object.entries(resamplers))
      results.push({ name, ...(await measure(resample, from, to)) })
    table([
      [`${from} Hz to ${to} Hz`, "ripple", "-0.1 dB at", "aliases", "images", "997 Hz THD+N", "worst THD+N"],
      ...results.map(({ alias, bandwidth, distortion, image, name, ripple, worst }) => [
        ...[name, ripple.toFixed(5), bandwidth.toFixed(3), alias?.toFixed(1) ?? ""],
        ...[image, distortion, worst].map((value) => value.toFixed(1))
      ])
    ])
    const { alias, bandwidth, image, ripple } = at(results, 0)
    bar("ripple of at most 0.001 dB", ripple <= 0.001, `${ripple.toFixed(5)} dB`)
    bar("-0.1 dB at 0.9 of the lower Nyquist frequency or above", bandwidth >= 0.9, bandwidth.toFixed(3))
    if (alias !== undefined) bar("aliases at -110 dB or below", alias <= -110, `${alias.toFixed(1)} dB`)
    bar("images at -120 dB or below", image <= -120, `${image.toFixed(1)} dB`)
    console.log("")
  }
}
