import { describe, expect, it } from "@effect/vitest"
import { Pcm, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { alaw, float, joined, mulaw, pcm8, telephony, uint32 } from "./wavFormats.js"
import { wavLaws } from "./wavLaws.js"

const uint16 = (value: number) => Uint8Array.of(value, value >>> 8)
const uint64 = (value: number) => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer)

describe("the header", () => {
  const fields = (tag: number, rate: number, size: number) =>
    joined(uint16(tag), uint16(1), uint32(rate), uint32(rate * size), uint16(size), uint16(8 * size))
  const ofPcm16 = joined("WAVEfmt ", uint32(16), fields(1, 8000, 2), "data")
  const withFact = (tag: number, rate: number, size: number, frames: number) =>
    joined("WAVEfmt ", uint32(18), fields(tag, rate, size), uint16(0), "fact", uint32(4), uint32(frames), "data")
  const last = 0xfffffffe - 36
  const unknown = uint32(0xffffffff)
  const ds64 = joined(
    "WAVEds64",
    uint32(28),
    uint64(last + 2 + 72),
    uint64(last + 2),
    uint64((last + 2) / 2),
    uint32(0)
  )

  it.each([
    ["16 bits: the canonical 44 bytes", telephony, 1000, joined("RIFF", uint32(1036), ofPcm16, uint32(1000))],
    ["float", float, 4000, joined("RIFF", uint32(4050), withFact(3, 24_000, 4, 1000), uint32(4000))],
    ["A-law", alaw, 4000, joined("RIFF", uint32(4050), withFact(6, 8000, 1, 4000), uint32(4000))],
    ["mu-law", mulaw, 4000, joined("RIFF", uint32(4050), withFact(7, 8000, 1, 4000), uint32(4000))],
    ["unknown length", telephony, undefined, joined("RIFF", unknown, ofPcm16, unknown)],
    ["float of unknown length", float, undefined, joined("RIFF", unknown, withFact(3, 24_000, 4, 0), unknown)],
    ["the largest RIFF", telephony, last, joined("RIFF", uint32(0xfffffffe), ofPcm16, uint32(last))],
    ["the smallest RF64", telephony, last + 2, joined("RF64", unknown, ds64, ofPcm16.subarray(4), unknown)]
  ])("has the bytes of its format and length: %s", (_, format, length, bytes) => {
    expect(Buffer.from(Wav.header(format, length)).toString("hex")).toBe(bytes.toString("hex"))
  })

  it.each([
    { ...telephony, channels: 0 },
    { ...telephony, channels: 40_000 },
    { ...telephony, sampleRate: 8000.5 }
  ])("refuses a format that no WAV file can have", (format) => {
    expect(() => Wav.header(format)).toThrow(RangeError)
  })

  it("refuses a length that is not whole frames", () => {
    expect(() => Wav.encode(new Uint8Array(3), telephony)).toThrow("whole frames of 2 bytes")
    for (const length of [-2, 1.5, Number.NaN]) expect(() => Wav.header(telephony, length)).toThrow(RangeError)
  })
})

describe("reading the header alone", () => {
  const format = { sampleRate: 8000, channels: 2, encoding: "pcm16" } as const

  it.each([
    ["the declared length", 4000, undefined, 4000],
    ["whole frames of a shorter file", 4000, 44 + 1003, 1000],
    ["the declared length in a longer file", 4000, 44 + 5000, 4000],
    ["no length in a streamed file", undefined, undefined, undefined],
    ["the length of a streamed file of known size", undefined, 44 + 1000, 1000]
  ])("gives %s", (_, declared, fileLength, byteLength) => {
    expect(Wav.decodeHeader(Wav.header(format, declared), fileLength)).toEqual(Either.right({ format, byteLength }))
  })

  it("fails if the bytes end before the samples begin", () => {
    expect(Wav.decodeHeader(Wav.header(format, 4000).subarray(0, 40))).toMatchObject({ left: { reason: "Malformed" } })
  })
})

describe("reading", () => {
  it.each(Object.entries(wavLaws))("holds a law: %s", (_, law) => {
    FastCheck.assert(law, { numRuns: 300 })
  })

  it("takes bits that do not fill their bytes for the upper ones", () => {
    const file = mutate(Wav.encode(new Uint8Array(6), { ...telephony, encoding: "pcm24" }), 34, 20)
    expect(Either.getOrThrow(Wav.decode(file)).format.encoding).toBe("pcm24")
  })

  it.effect("ends with the data chunk, whatever follows it", () =>
    Effect.gen(function* () {
      const file = Wav.encode(Uint8Array.of(1, 2, 3, 4), telephony)
      const decoded = yield* Wav.decodeStream(Stream.concat(Stream.make(file), Stream.never))
      expect([...(yield* PcmStream.collect(decoded))]).toEqual([1, 2, 3, 4])
    }).pipe(Effect.scoped)
  )

  it.effect("twice from the same stream is a defect, and not silence", () =>
    Effect.gen(function* () {
      const decoded = yield* Wav.decodeStream(Stream.make(Wav.encode(Uint8Array.of(1, 2), telephony)))
      yield* PcmStream.collect(decoded)
      expect(String(yield* Effect.sandbox(PcmStream.collect(decoded)).pipe(Effect.flip))).toContain("only once")
    }).pipe(Effect.scoped)
  )

  it("keeps an incomplete frame when the producer reuses its block", () => {
    const decoder = Pcm.makeDecoder(telephony)
    const block = Buffer.from([1, 0, 2])
    const first = [...decoder.push(block)]
    block.fill(0xff)
    expect([...first, ...decoder.push(Uint8Array.of(0, 3, 0))]).toEqual([1, 2, 3].map((sample) => sample / 0x8000))
  })

  const escapes = String.raw`"\u001b[\u009b2" and "\u0085\u007f\u00ff\u00e9"`
  it.each([
    ["nothing at all", Buffer.alloc(0), "NotWav"],
    ["an MP3", Buffer.from("ID3\x04\x00\x00\x00\x00\x00\x00\x00\x00", "latin1"), "NotWav"],
    ["bytes that a terminal obeys", Buffer.from("\x1b[\x9b21234\x85\x7f\xffé", "latin1"), "NotWav", escapes],
    ["a file without data", Wav.encode(new Uint8Array(0), telephony).subarray(0, 36), "Malformed"],
    ["data before the format", Buffer.from("RIFF\x00\x00\x00\x00WAVEdata\x00\x00\x00\x00", "latin1"), "Malformed"],
    ["an unsupported codec, which it names", mutate(Wav.header(telephony, 0), 20, 0x31), "Unsupported", "GSM 6.10"],
    ["no channels", mutate(Wav.header(telephony, 0), 22, 0), "Malformed"],
    ["a format that is too short", mutate(Wav.header(telephony, 0), 16, 14), "Malformed"],
    ["bits that are none of its codec's", mutate(Wav.header(float, 0), 34, 16), "Unsupported"],
    ["frames of another size than its samples", mutate(mutate(Wav.header(telephony, 0), 32, 4), 28, 0), "Unsupported"]
  ])("refuses %s with a reason and the place", (_, file, reason, found = "") => {
    const error = Either.getOrThrow(Either.flip(Wav.decode(file)))
    expect(error.reason).toBe(reason)
    expect(error.message).toContain(`at byte ${error.offset}`)
    expect(error.found).toContain(found)
    expect(JSON.parse(JSON.stringify(error)).message).toBe(error.message)
  })
})

function mutate(bytes: Uint8Array, offset: number, value: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[offset] = value
  return changed
}

const odd = Uint8Array.from({ length: 101 }, (_, index) => index)

it.effect("encodeStream gives the bytes of encode, as many as contentLength says", () =>
  Effect.gen(function* () {
    for (const format of [pcm8, mulaw]) {
      const audio = PcmStream.fromBytes(format, odd)
      const file = Buffer.concat([...(yield* Stream.runCollect(Wav.encodeStream(audio)))])
      expect(file).toEqual(Buffer.from(Wav.encode(odd, format)))
      expect(Wav.contentLength(audio)).toBe(file.byteLength)
    }
    const byteLength = 5_000_000_001
    expect(Wav.contentLength(PcmStream.make(pcm8, Stream.empty, { byteLength }))).toBe(
      Wav.header(pcm8, byteLength).byteLength + 5_000_000_002
    )
    expect(Wav.contentLength(PcmStream.make(pcm8, Stream.empty))).toBeUndefined()
  })
)
