/**
 * The logarithmic encodings of telephony (ITU-T Recommendation G.711).
 *
 * A code has a sign bit, three bits of segment and four of step. mu-law (14 bits) and A-law (13 bits) are scaled to 16 bits,
 * as in all software.
 */

/** The value that mu-law adds before it takes the segment: 33 in 14 bits. */
const bias = 33 << 2

const decodeMulawCode = (code: number): number => {
  const inverted = ~code & 0xff
  const magnitude = ((((inverted & 0x0f) << 3) + bias) << ((inverted >> 4) & 7)) - bias
  return inverted & 0x80 ? 0 - magnitude : magnitude
}

const decodeAlawCode = (code: number): number => {
  // A-law inverts every other bit, so that silence is not a long row of zeros.
  const toggled = code ^ 0x55
  const segment = (toggled >> 4) & 7
  const step = ((toggled & 0x0f) << 4) + 8
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1)
  return toggled & 0x80 ? magnitude : -magnitude
}

const table = (decode: (code: number) => number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, code) => decode(code) / 0x8000)

/** The sample of each code, as a float. */
export const decodedMulaw: Float32Array = /* @__PURE__ */ table(decodeMulawCode)
export const decodedAlaw: Float32Array = /* @__PURE__ */ table(decodeAlawCode)

/** The code of a signed 16-bit sample. Samples beyond 32,635 have the largest. */
export const encodeMulaw = (sample: number): number => {
  const magnitude = Math.min(Math.abs(sample), 32_635) + bias
  const segment = 31 - Math.clz32(magnitude) - 7
  const code = (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)
  return ~(sample < 0 ? code | 0x80 : code) & 0xff
}

/** The code of a signed 16-bit sample. */
export const encodeAlaw = (sample: number): number => {
  // One step lower for a negative sample, so that the steps do not overlap at zero.
  const magnitude = (sample < 0 ? ~sample : sample) >> 4
  const segment = magnitude < 0x20 ? magnitude >> 4 : 31 - Math.clz32(magnitude) - 3
  const code = (segment << 4) | ((segment < 2 ? magnitude : magnitude >> (segment - 1)) & 0x0f)
  return (sample < 0 ? code : code | 0x80) ^ 0x55
}
