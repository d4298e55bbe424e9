import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Container, Wav } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"

// Headers that no encoder at hand writes are made byte by byte, from text and numbers.
type Bytes = ReadonlyArray<number>
const ascii = (text: string): Bytes => Array.from(text, (character) => character.charCodeAt(0))
const join = (...parts: ReadonlyArray<string | Bytes>): Array<number> =>
  parts.flatMap((part) => (typeof part === "string" ? ascii(part) : part))
const repeat = (count: number, ...parts: ReadonlyArray<string | Bytes>): Array<number> =>
  Array.from({ length: count }, () => join(...parts)).flat()
const zeros = (length: number) => repeat(length, [0])
const ones = (length: number) => repeat(length, [255])
const bigEndian = (value: number, length: number): Bytes =>
  Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)) % 256)
const littleEndian = (value: number, length: number) => bigEndian(value, length).toReversed()
const uint32 = (value: number) => bigEndian(value, 4)

/** The header of a recording, and what was read for it. */
const readCounting = (bytes: Uint8Array, byteLength: number | undefined) => {
  const counted = { reads: 0, length: 0 }
  const read = (offset: number, length: number) => {
    counted.reads++
    counted.length += length
    return Effect.succeed(bytes.subarray(offset, offset + length))
  }
  return { header: Effect.runSync(Container.readHeader({ byteLength, read })), ...counted }
}
const readHeader = (bytes: Uint8Array, byteLength: number | undefined) => readCounting(bytes, byteLength).header
const readWhole = (bytes: Uint8Array) => readHeader(bytes, bytes.byteLength)
const read = (...parts: ReadonlyArray<string | Bytes>) => readWhole(Uint8Array.from(join(...parts)))
const durationOf = (...parts: ReadonlyArray<string | Bytes>) => read(...parts).durationMillis

const reasonOf = (bytes: Uint8Array) => {
  const container = Container.sniff(bytes)
  if (container === undefined) return "no container"
  const checked = Container.checkStructure(container, Container.fromBytes(bytes, bytes.byteLength))
  return Effect.runSync(Effect.match(checked, { onFailure: ({ reason }) => reason, onSuccess: () => "whole" }))
}
const reason = (...parts: ReadonlyArray<string | Bytes>) => reasonOf(Uint8Array.from(join(...parts)))

const recording = (name: string) => new Uint8Array(readFileSync(new URL(`recordings/${name}`, import.meta.url)))

const synchsafe = (value: number) => [21, 14, 7, 0].map((shift) => (value >>> shift) & 127)
/** Bytes of a picture, in which nothing looks like a frame. */
const picture = (length: number) => Array.from({ length }, (_, index) => (index * 31) % 251)
const id3 = (length: number, version = 4, flags = 0) =>
  join("ID3", [version, 0, flags], synchsafe(length), picture(length))
const apeEdge = (size: number, flags: number) =>
  join("APETAGEX", littleEndian(2000, 4), littleEndian(size + 32, 4), zeros(7), [flags], zeros(8))
/** An APE tag has a header (bit 7) that is marked (bit 5), and a footer. */
const ape = (length: number) => join(apeEdge(length, 0xa0), picture(length), apeEdge(length, 0x80))
const id3v1 = join("TAG", zeros(125))

/** A tone of 0.2 s, encoded by ffmpeg, as `ffprobe` describes it; but of Opus, ffprobe shows the rate of the decoder. */
const encoded = [
  { name: "cbr.mp3", container: "mp3", sampleRate: 8000, channels: 1, durationMillis: 360 },
  { name: "xing.mp3", container: "mp3", sampleRate: 16_000, channels: 2, durationMillis: 288 },
  { name: "tone.m4a", container: "m4a", sampleRate: 8000, channels: 1, durationMillis: 200 },
  { name: "stereo.m4a", container: "m4a", sampleRate: 44_100, channels: 2, durationMillis: 200 },
  { name: "fragments.m4a", container: "m4a", sampleRate: 8000, channels: 1, durationMillis: undefined },
  { name: "tone.flac", container: "flac", sampleRate: 8000, channels: 1, durationMillis: 200 },
  { name: "vorbis.ogg", container: "ogg", sampleRate: 8000, channels: 1, durationMillis: 200 },
  { name: "opus.ogg", container: "ogg", sampleRate: 8000, channels: 1, durationMillis: 200 },
  { name: "opus.webm", container: "webm", sampleRate: 8000, channels: 1, durationMillis: 208 },
  { name: "streamed.webm", container: "webm", sampleRate: 8000, channels: 1, durationMillis: undefined }
] as const

describe("a recording", () => {
  it.each(encoded)("has a header, and is whole unless it is cut: $name", ({ name, ...expected }) => {
    const bytes = recording(name)
    expect(readWhole(bytes)).toEqual(expected)
    expect(reasonOf(bytes)).toBe("whole")
    const cut = expected.container === "flac" ? "whole" : "Truncated"
    expect(reasonOf(bytes.subarray(0, -5))).toBe(cut)
  })

  it.each([
    ["a WAV file", "RIFF....WAVE", "wav"],
    ["a big-endian WAV file", "RIFX....WAVE", "wav"],
    ["a large WAV file", "RF64....WAVE", "wav"],
    ["a large WAV file of broadcasters", "BW64....WAVE", "wav"],
    ["another RIFF file", "RIFF....AVI ", undefined],
    ["an MP3 with a tag", "ID3\x04", "mp3"],
    ["an MP3 without a tag", [0xff, 0xfb, 0x90, 0], "mp3"],
    ["MPEG layer II", [0xff, 0xfd, 0x90, 0], "mp3"],
    ["an MP3 frame of a reserved bitrate", [0xff, 0xfb, 0xf0, 0], undefined],
    ["AAC without a container", [0xff, 0xf1, 0x6c, 0x40], undefined],
    ["text in UTF-16, which looks like MPEG layer I", [0xff, 0xfe, 0x41, 0], undefined],
    ["an M4A", "\0\0\0\x1cftypM4A ", "m4a"],
    ["nothing", [], undefined]
  ] as const)("is recognised by its first bytes: %s", (_, beginning, container) => {
    expect(Container.sniff(Uint8Array.from(join(beginning)))).toBe(container)
  })

  it("as WAV has the header of its format, also if its size is unknown or large", () => {
    const format = { sampleRate: 8000, channels: 2, encoding: "alaw" } as const
    for (const length of [3200, undefined, 2 ** 33]) {
      const header = { container: "wav", sampleRate: 8000, channels: 2, durationMillis: 200 }
      expect(read([...Wav.header(format, length)], zeros(3200))).toEqual(header)
    }
    expect(read([...Wav.header(format, 3200)].with(20, 49), zeros(3200))).toEqual({ container: "wav" })
  })

  const tagsBefore = [
    ["ID3", id3(300)],
    ["ID3 of version 2.2", id3(300, 2)],
    ["an empty ID3", id3(0)],
    ["two tags of ID3", join(id3(20), id3(300, 3))],
    ["ID3 as long as a picture", id3(300_000)],
    ["APE", ape(1000)],
    ["APE and ID3", join(ape(10), id3(10))]
  ] as const

  it.each(tagsBefore)("is known behind a tag: %s", (_, tag) => {
    for (const { name, ...expected } of encoded) {
      const bytes = Uint8Array.from([...tag, ...recording(name)])
      expect(readWhole(bytes)).toEqual(expected)
      expect(Container.sniff(bytes)).toBe(expected.container)
      expect(Effect.runSync(Container.detect(Container.fromBytes(bytes, bytes.byteLength)))).toBe(expected.container)
      expect(reasonOf(bytes)).toBe("whole")
    }
  })

  it("is known behind a tag whose end is at hand, and is an MP3 if it is not", () => {
    const bytes = Uint8Array.from([...id3(300), ...recording("tone.flac")])
    expect(Container.sniff(bytes.subarray(0, 100))).toBe("mp3")
    expect(Container.neededToSniff(bytes.subarray(0, 100))).toBeGreaterThan(310)
    expect(Container.neededToSniff(bytes.subarray(0, 400))).toBeLessThanOrEqual(400)
    expect(Container.neededToSniff(Uint8Array.from(zeros(100)))).toBeLessThanOrEqual(64)
  })

  it.each([
    ["AAC", [0xff, 0xf1, 0x6c, 0x40, 1, 2, 3, 4]],
    ["Monkey's Audio", "MAC \x96\x0f"],
    ["Musepack", "MPCKSH"],
    ["TrueAudio", "TTA1\x01\0"]
  ] as const)("is not an MP3 because of a tag before it: %s", (_, other) => {
    expect(read(id3(20), other, zeros(2000))).toEqual({ container: undefined })
  })

  it("is described from 256 KiB at most, wherever they lie in it", () => {
    for (const { name } of encoded) {
      const front = id3(70_000)
      const audio = repeat(3, [...recording(name)])
      const all = Uint8Array.from(join(front, zeros(60_000), picture(60_000), audio, zeros(70_000)))
      for (const start of [0, front.length, front.length + 120_000]) {
        const bytes = all.subarray(start)
        expect(readCounting(bytes, bytes.byteLength).length).toBeLessThanOrEqual(256 * 1024)
      }
    }
  })

  const isHeader = ({ channels = 1, container, durationMillis = 0, sampleRate = 1 }: Container.Header) =>
    [undefined, ...Container.containers].includes(container) &&
    Number.isSafeInteger(channels) &&
    channels > 0 &&
    Number.isFinite(sampleRate) &&
    sampleRate > 0 &&
    Number.isFinite(durationMillis) &&
    durationMillis >= 0

  it("that is cut and damaged has a header of possible values, and a structure that is whole or not", () => {
    const change = FastCheck.tuple(FastCheck.nat(600), FastCheck.nat(255))
    const damage = FastCheck.array(change, { maxLength: 8 })
    FastCheck.assert(
      FastCheck.property(FastCheck.constantFrom(...encoded), FastCheck.nat(3000), damage, ({ name }, cut, changes) => {
        const damaged = recording(name).subarray(0, cut)
        for (const [at, byte] of changes) damaged[at] = byte
        expect(isHeader(readWhole(damaged))).toBe(true)
        expect(["whole", "Truncated", "Damaged", "no container"]).toContain(reasonOf(damaged))
      }),
      { numRuns: 500 }
    )
  })

  it("of endless boxes or elements takes no more than a thousand reads", () => {
    const boxes = new Uint8Array(Buffer.alloc(8_000_000, Buffer.from(join(uint32(8), "ftyp"))))
    const elements = new Uint8Array(8_000_000).fill(0xae)
    elements.set([0x1a, 0x45, 0xdf, 0xa3, 0x80])
    const { header, reads } = readCounting(boxes, boxes.byteLength)
    expect(header).toEqual({ container: "m4a" })
    expect(reads).toBeLessThanOrEqual(1000)
    expect(reasonOf(boxes)).toBe("Damaged")
    expect(readCounting(elements, elements.byteLength)).toMatchObject({ header: { container: "webm" } })
    expect(readCounting(elements, elements.byteLength).reads).toBeLessThanOrEqual(2)
  })

  it("of unknown size can't be checked", () => {
    const source = Container.fromBytes(new Uint8Array(10), undefined)
    expect(() => Container.checkStructure("mp3", source)).toThrow(RangeError)
  })
})

describe("an M4A", () => {
  const box = (name: string, ...content: ReadonlyArray<string | Bytes>) =>
    join(uint32(8 + join(...content).length), name, ...content)
  /** A box whose size has 64 bits. */
  const wideBox = (name: string, content: Bytes) => join(uint32(1), name, bigEndian(16 + content.length, 8), content)
  const type = box("ftyp", "M4A ", zeros(4))
  const movieHeader = (timescale: number, duration: number) =>
    box("mvhd", zeros(12), uint32(timescale), uint32(duration))
  const longMovieHeader = (timescale: number, duration: Bytes) =>
    box("mvhd", [1], zeros(3 + 16), uint32(timescale), duration)
  interface Entry {
    readonly channels?: number
    readonly config?: number
    readonly descriptors?: Bytes
    readonly rate?: number
  }
  /** An entry of a sample description, with an AudioSpecificConfig if one is given. */
  const entry = ({ channels = 2, config, descriptors, rate = 16_000 }: Entry) => {
    const esds = descriptors ?? (config && join([3, 22, 0, 0, 0, 4, 17], zeros(13), [5, 2], bigEndian(config, 2)))
    const format = join(zeros(16), bigEndian(channels, 2), zeros(6), bigEndian(rate, 2), zeros(2))
    return box("mp4a", format, esds ? box("esds", zeros(4), esds) : "")
  }
  const track = (kind: string, about: Entry) => {
    const description = box("stsd", zeros(4), uint32(1), entry(about))
    return box("trak", box("mdia", box("hdlr", zeros(8), kind), box("minf", box("stbl", description))))
  }
  const movie = box("moov", movieHeader(1000, 500))

  it.each([
    ["in milliseconds", movieHeader(1000, 2500), 2500],
    ["the longest of 32 bits", movieHeader(1, 2 ** 32 - 2), (2 ** 32 - 2) * 1000],
    ["of 64 bits", longMovieHeader(8000, bigEndian(2 ** 33, 8)), (2 ** 33 / 8000) * 1000],
    ["of fragments", movieHeader(1000, 0), undefined],
    ["without a timescale", movieHeader(0, 1000), undefined],
    ["unknown", movieHeader(1, 2 ** 32 - 1), undefined],
    ["unknown in 64 bits", longMovieHeader(8000, ones(8)), undefined],
    ["cut short", movieHeader(1000, 2500).slice(0, -1), undefined],
    ["too short for 64 bits", longMovieHeader(7, zeros(3)), undefined]
  ])("has the duration of its movie header: %s", (_, header, millis) => {
    expect(durationOf(type, box("moov", header))).toBe(millis)
  })

  const config = (objectType: number, rate: number, channels: number) =>
    (objectType << 11) | (rate << 7) | (channels << 3)
  // Lengths may take several bytes.
  const long = join([3, 0x80, 0x80, 22, 0, 0, 0, 4, 0x81, 17], zeros(13), [5, 2], bigEndian(config(2, 8, 1), 2))

  it.each([
    ["of its entry", { channels: 6 }, 6],
    ["of its AAC: mono", { config: config(2, 8, 1) }, 1],
    ["of its AAC: 5.1", { config: config(2, 8, 6) }, 6],
    ["of its AAC: 7.1", { config: config(2, 8, 7) }, 8],
    ["of its entry, if AAC leaves them open", { config: config(2, 8, 0), channels: 5 }, 5],
    ["of its entry, if AAC writes out its rate", { config: config(2, 15, 1), channels: 5 }, 5],
    ["two of parametric stereo", { config: config(29, 8, 1) }, 2],
    ["of its AAC, behind long lengths", { descriptors: long }, 1],
    ["of its entry, without the first descriptor", { descriptors: [6, ...long.slice(1)], channels: 5 }, 5],
    ["of its entry, without the second descriptor", { descriptors: long.with(7, 6), channels: 5 }, 5],
    ["of its entry, if the descriptor is cut", { descriptors: [3], channels: 5 }, 5]
  ])("has the channels %s", (_, about, channels) => {
    const header = read(type, box("moov", movieHeader(1000, 1), track("soun", about)))
    expect(header).toMatchObject({ sampleRate: 16_000, channels })
  })

  const sound = track("soun", {})
  const video = track("vide", { rate: 1 })
  const media = box("mdhd", zeros(12), uint32(8000), uint32(20_000))
  const lasting = box("trak", box("mdia", media, box("hdlr", zeros(8), "soun")))
  const fragments = box("mvex", zeros(32))

  it.each([
    ["of its header, which counts all samples", 2021, [sound, box("free", zeros(32))], 2021],
    ["unless it has fragments beside the samples that its header counts", 2021, [sound, fragments], undefined],
    ["of its track, if the movie states none", 0, [lasting], 2500],
    ["unless it has fragments beside those of its track", 0, [lasting, fragments], undefined]
  ])("has a duration: %s", (_, duration, content, millis) => {
    expect(durationOf(type, box("moov", movieHeader(1000, duration), ...content))).toBe(millis)
  })

  it.each(["moov", "wide", "free", "mdat", "skip"])("is known by its first box, as QuickTime writes it: %s", (name) => {
    const first = name === "moov" ? [] : box(name, zeros(8))
    expect(read(first, movie)).toEqual({ container: "m4a", durationMillis: 500 })
  })

  it.each([
    ["a tag", id3v1, "whole"],
    ["zeros", zeros(100), "whole"],
    ["free space that is cut", box("free", zeros(100)).slice(0, 50), "whole"],
    ["samples that are cut", box("mdat", zeros(100)).slice(0, 50), "Truncated"]
  ])("with %s behind its samples is checked", (_, rest, structure) => {
    expect(reason(type, box("mdat", zeros(20)), movie, rest)).toBe(structure)
    expect(reason(type, movie, box("mdat", zeros(20)), rest)).toBe(structure)
  })

  it("has the rate of its first audio track", () => {
    const tracks = [video, track("soun", { rate: 8000 }), track("soun", { rate: 48_000 })]
    const audible = read(type, box("moov", movieHeader(1000, 500), ...tracks))
    expect(audible).toMatchObject({ sampleRate: 8000, durationMillis: 500 })
    const silent = read(type, box("moov", movieHeader(1000, 500), video))
    expect(silent).toEqual({ container: "m4a", durationMillis: 500 })
  })

  const wide = wideBox("free", zeros(5))
  const tooLong = box("moov", movieHeader(1000, 500).with(3, 255), box("free", zeros(300)))

  it.each([
    ["after others of any size", join(box("free", zeros(5)), wide, movie), 500, "whole"],
    ["with a size of 64 bits", wideBox("moov", movie.slice(8)), 500, "whole"],
    ["up to the end", join(zeros(4), movie.slice(4)), 500, "whole"],
    ["with a child that is longer than it", tooLong, 500, "whole"],
    ["before zeros", join(movie, zeros(20)), 500, "Damaged"],
    ["behind a box that is cut", wide.slice(0, 12), undefined, "Truncated"],
    ["that is cut", movie.slice(0, -1), undefined, "Truncated"],
    ["behind a box of 2 bytes", join(uint32(2), "free", movie), undefined, "Damaged"],
    ["behind a box of 7 bytes", join(uint32(7), "free", movie), undefined, "Damaged"],
    ["behind a box of 4 bytes that leads to another", join(uint32(4), uint32(8), "free", movie), undefined, "Damaged"],
    ["that is empty", join(box("moov", box("free")), movieHeader(1000, 500)), undefined, "whole"],
    ["that is too short", box("moov", box("mvhd", zeros(12)), box("free", zeros(30))), undefined, "whole"]
  ])("has the duration of a movie %s", (_, content, millis, structure) => {
    expect(durationOf(type, content)).toBe(millis)
    expect(reason(type, content)).toBe(structure)
  })

  it("is read from its beginning, and not beyond the box that describes it", () => {
    expect(readHeader(Uint8Array.from(join(type, movie)), undefined).durationMillis).toBe(500)
    const bytes = Uint8Array.from(join(type, movie, repeat(50, box("free"))))
    const { header, reads } = readCounting(bytes, bytes.byteLength)
    expect(header.durationMillis).toBe(500)
    expect(reads).toBeLessThan(8)
  })
})

describe("an MP3", () => {
  const versions = { "1": 3, "2": 2, "2.5": 0 }
  type Version = keyof typeof versions
  /** The header of a frame. */
  const frame = (version: Version, bitrate: number, rate: number, mono: boolean, padded = 0, layer = 3) => {
    const bits = (0x7ff << 21) | (versions[version] << 19) | ((4 - layer) << 17) | (1 << 16)
    return uint32((bits | (bitrate << 12) | (rate << 10) | (padded << 9) | (mono ? 3 << 6 : 0)) >>> 0)
  }
  /** A frame of zeros behind its header, with `content` at an offset. */
  const filled = (header: Bytes, length: number, at = 4, ...content: ReadonlyArray<string | Bytes>) => {
    const bytes = join(header, zeros(length - header.length))
    const inserted = join(...content)
    bytes.splice(at, inserted.length, ...inserted)
    return bytes
  }
  const header128 = frame("1", 9, 0, false)
  const one = filled(header128, 417)
  const two = repeat(2, one)
  /** A frame of another bitrate. */
  const other = filled(frame("1", 10, 0, false), 522)
  const millisOf = (bytes: number) => (bytes * 8) / 128
  const ofTwo = { container: "mp3", sampleRate: 44_100, channels: 2, durationMillis: millisOf(2 * 417) }
  const emptyTag = join("ID3", [4, 0, 0], zeros(4))

  it.each([
    { version: "1", layer: 3, bitrate: 9, rate: 0, mono: false, length: 417, sampleRate: 44_100, kilobits: 128 },
    { version: "1", layer: 3, bitrate: 14, rate: 1, mono: true, length: 960, sampleRate: 48_000, kilobits: 320 },
    { version: "1", layer: 3, bitrate: 1, rate: 2, mono: true, length: 144, sampleRate: 32_000, kilobits: 32 },
    { version: "2", layer: 3, bitrate: 8, rate: 0, mono: false, length: 208, sampleRate: 22_050, kilobits: 64 },
    { version: "2", layer: 3, bitrate: 1, rate: 1, mono: true, length: 24, sampleRate: 24_000, kilobits: 8 },
    { version: "2.5", layer: 3, bitrate: 4, rate: 2, mono: true, length: 288, sampleRate: 8000, kilobits: 32 },
    { version: "2.5", layer: 3, bitrate: 14, rate: 0, mono: false, length: 1044, sampleRate: 11_025, kilobits: 160 },
    { version: "1", layer: 2, bitrate: 10, rate: 1, mono: false, length: 576, sampleRate: 48_000, kilobits: 192 },
    { version: "2", layer: 2, bitrate: 8, rate: 0, mono: true, length: 417, sampleRate: 22_050, kilobits: 64 },
    { version: "1", layer: 1, bitrate: 4, rate: 1, mono: true, length: 128, sampleRate: 48_000, kilobits: 128 },
    { version: "2", layer: 1, bitrate: 5, rate: 1, mono: false, length: 160, sampleRate: 24_000, kilobits: 80 }
  ] as const)(
    "of MPEG $version layer $layer at $kilobits kbit/s and $sampleRate Hz has the duration of its size",
    ({ bitrate, kilobits, layer, length, mono, rate, sampleRate, version }) => {
      const single = filled(frame(version, bitrate, rate, mono, 0, layer), length)
      const bytes = join(emptyTag, repeat(10, single))
      const header = { container: "mp3", sampleRate, channels: mono ? 1 : 2 }
      expect(read(bytes)).toEqual({ ...header, durationMillis: (10 * length * 8) / kilobits })
      expect(readHeader(Uint8Array.from(bytes), undefined)).toEqual(header)
      const slot = layer === 1 ? 4 : 1
      const padded = join(filled(frame(version, bitrate, rate, mono, 1, layer), length + slot), single)
      expect(read(emptyTag, padded)).toEqual({ ...header, durationMillis: ((2 * length + slot) * 8) / kilobits })
      expect(reason(emptyTag, padded)).toBe("whole")
    }
  )

  it.each([
    { version: "1", bitrate: 9, mono: false, length: 417, xing: 36, samples: 1152, sampleRate: 44_100 },
    { version: "1", bitrate: 9, mono: true, length: 417, xing: 21, samples: 1152, sampleRate: 44_100 },
    { version: "2", bitrate: 8, mono: false, length: 208, xing: 21, samples: 576, sampleRate: 22_050 },
    { version: "2", bitrate: 8, mono: true, length: 208, xing: 13, samples: 576, sampleRate: 22_050 }
  ] as const)(
    "of MPEG $version (mono: $mono) has as many frames as its encoder states",
    ({ bitrate, length, mono, samples, sampleRate, version, xing }) => {
      const header = frame(version, bitrate, 0, mono)
      const stated = (at: number, ...content: ReadonlyArray<string | Bytes>) =>
        durationOf(filled(header, length, at, ...content), filled(header, length))
      const lasting = ((1000 * samples) / sampleRate) * 1000
      for (const name of ["Xing", "Info"]) {
        const withFlags = (flags: number) => stated(xing, name, uint32(flags), uint32(1000))
        expect(withFlags(1)).toBeCloseTo(lasting)
        expect(withFlags(3)).toBeCloseTo(lasting)
        // Without the number of frames the size decides.
        expect(withFlags(2)).toBe((2 * length * 8) / (version === "1" ? 128 : 64))
      }
      expect(stated(36, "VBRI", zeros(10), uint32(1000))).toBeCloseTo(lasting)
    }
  )

  it("has the number of frames only if it is there to the last byte", () => {
    const lasting = ((1000 * 1152) / 44_100) * 1000
    for (const content of [join("Xing", uint32(1), uint32(1000)), join("VBRI", zeros(10), uint32(1000))]) {
      const length = 36 + content.length
      const whole = filled(header128, 417, 36, content).slice(0, length)
      expect(durationOf(whole)).toBe(lasting)
      expect(durationOf(whole.slice(0, -1))).toBe(millisOf(length - 1))
    }
  })

  it("of changing bitrate without a number of frames has no duration", () => {
    expect(read(one, other)).toEqual({ ...ofTwo, durationMillis: undefined })
  })

  it("begins behind its tag, whatever looks like a frame in it", () => {
    const inTag = repeat(2, filled(frame("1", 1, 2, true), 144))
    for (const footer of [0, 10]) {
      const tag = join("ID3", [4, 0, footer === 0 ? 0 : 0x10, 0, 0, 2, 44], inTag, zeros(12 + footer))
      expect(read(tag, two)).toEqual(ofTwo)
      expect(reason(tag, two)).toBe("whole")
    }
  })

  it("begins behind bits that only look like a frame", () => {
    const stray = join(emptyTag, frame("1", 1, 2, true))
    expect(read(stray, two)).toEqual(ofTwo)
    expect(read(stray, zeros(400))).toEqual({ container: "mp3" })
    // The first bit of every frame is set.
    const unset = filled(frame("1", 1, 2, true).with(0, 0x7f), 144)
    expect(read(emptyTag, unset, unset, two)).toEqual(ofTwo)
  })

  it.each([
    ["zeros", zeros(3000)],
    ["a byte of zero", zeros(1)],
    ["something else", picture(5000)],
    ["a tag and something else", join(id3(20), picture(5000))],
    ["zeros and a tag", join(zeros(100), id3(20))]
  ])("is known behind %s", (_, before) => {
    const frames = repeat(40, one)
    expect(read(before, frames)).toEqual({ ...ofTwo, durationMillis: millisOf(frames.length) })
    expect(Container.sniff(Uint8Array.from(join(before, frames)))).toBe("mp3")
    expect(reason(before, frames)).toBe("whole")
  })

  it("of layer I is known by several frames", () => {
    const frames = repeat(6, filled(frame("1", 4, 1, true, 0, 1), 128))
    const header = { container: "mp3", sampleRate: 48_000, channels: 1 }
    expect(read(frames)).toEqual({ ...header, durationMillis: millisOf(frames.length) })
    const text = Array.from("plain text in UTF-16, ".repeat(300), (character) => [character.charCodeAt(0), 0]).flat()
    expect(read([0xff, 0xfe], text)).toEqual({ container: undefined })
  })

  const lyrics = join("LYRICSBEGIN", "words ".repeat(20))
  const footer = join([4, 0, 16], synchsafe(50))
  const tagsBehind = [
    ["ID3v1", id3v1],
    ["enhanced ID3v1", join("TAG+", zeros(223), id3v1)],
    ["a picture in APE", ape(40_000)],
    ["APE of version 1", join(picture(100), apeEdge(100, 0))],
    ["APE and ID3v1", join(ape(500), id3v1)],
    ["Lyrics3 and ID3v1", join(lyrics, "000131LYRICS200", id3v1)],
    ["Lyrics3 of version 1 and ID3v1", join(lyrics, "LYRICSEND", id3v1)],
    ["ID3 of version 2.4 with a footer", join("ID3", footer, zeros(50), "3DI", footer)],
    ["zeros and a tag", join(zeros(700), id3v1)]
  ] as const

  it.each(tagsBehind)(
    "of constant bitrate has the duration of its frames, without the tags behind them: %s",
    (_, tag) => {
      const frames = repeat(60, one)
      expect(read(frames, tag)).toEqual({ ...ofTwo, durationMillis: millisOf(frames.length) })
      expect(reason(frames, tag)).toBe("whole")
    }
  )

  /** A frame in which an encoder states so many frames and bytes. */
  const xing = (frames: number, bytes: number) =>
    filled(header128, 417, 36, "Xing", uint32(3), uint32(frames), uint32(bytes))
  /** Frames of two bitrates. */
  const changing = (count: number) => repeat(count / 2, one, other)
  const lasting = (frames: number) => ((frames * 1152) / 44_100) * 1000

  it.each(tagsBehind)("has the stated frames if the stated bytes count its frames, or also its tags: %s", (_, tag) => {
    const frames = changing(100)
    const before = id3(5000)
    const whole = 417 + frames.length
    for (const size of [whole, frames.length, whole + tag.length, whole + tag.length + before.length]) {
      const bytes = join(before, xing(100, size), frames, tag)
      expect(durationOf(bytes)).toBeCloseTo(lasting(100))
      expect(reason(bytes)).toBe("whole")
    }
  })

  const stated = xing(100, 417 + 46_950)

  it.each([
    ["cut", xing(1000, 417 + 469_500), changing(600), undefined, "Truncated"],
    ["put together with another", stated, join(changing(100), stated, changing(100)), undefined, "whole"],
    ["followed by something else", stated, join(changing(100), "else", picture(20_000)), lasting(100), "Damaged"],
    ["of one bitrate, and cut", xing(1000, 417_417), repeat(99, one), millisOf(100 * 417), "Truncated"]
  ])("has no more frames than its size allows if it is %s", (_, header, frames, millis, structure) => {
    const found = durationOf(header, frames)
    if (millis === undefined) expect(found).toBeUndefined()
    else expect(found).toBeCloseTo(millis)
    expect(reason(header, frames)).toBe(structure)
  })

  it("that was cut by a few short frames behind its header has not the duration of the header", () => {
    const file = recording("xing.mp3")
    expect(readWhole(file).durationMillis).toBe(288)
    for (const part of [0.5, 0.7]) {
      const cut = readWhole(file.subarray(0, file.byteLength * part))
      expect(cut.durationMillis ?? 0).toBeLessThan(288 * part + 36)
    }
  })

  it("has no duration if its bitrate is constant at its beginning alone", () => {
    const frames = repeat(60, one)
    expect(durationOf(frames, changing(100), frames)).toBeUndefined()
    expect(durationOf(frames, frames, changing(40))).toBeUndefined()
  })

  it("may be one frame, with less than the header of another behind it", () => {
    expect(read(one)).toEqual({ ...ofTwo, durationMillis: millisOf(417) })
    expect(read(one, zeros(3))).toMatchObject({ sampleRate: 44_100 })
    expect(read(one, zeros(4))).toEqual({ container: "mp3" })
  })

  it.each([
    ["version", 1 << 19, 3 << 19],
    ["layer", 0, 3 << 17],
    ["bitrate", 15 << 12, 15 << 12],
    ["free bitrate", 0, 15 << 12],
    ["sample rate", 3 << 10, 3 << 10]
  ])("has no reserved %s", (_, bits, instead) => {
    const header = header128.reduce((value, byte) => value * 256 + byte, 0)
    expect(read(filled(uint32(((header & ~instead) | bits) >>> 0), 417)).container).toBeUndefined()
  })

  const stating = (bytes: number) => filled(header128, 417, 36, "Xing", uint32(2), uint32(bytes))

  it.each([
    ["two frames", two, "whole"],
    ["a tag behind its frames", join(two, id3v1), "whole"],
    ["padding behind its frames", join(two, zeros(9)), "whole"],
    ["one frame", one, "Truncated"],
    ["a frame that is cut", two.slice(0, -1), "Truncated"],
    ["a third frame that is cut", join(two, one.slice(0, 300)), "Truncated"],
    ["a third frame that is cut, and a tag behind it", join(two, one.slice(0, 300), id3v1), "whole"],
    ["zeros instead of the last frame that its encoder states", join(stating(3 * 417), one, zeros(417)), "Damaged"],
    ["fewer bytes than its encoder states", join(stating(999), one), "Truncated"],
    ["something else between its frames", join(two, "else", one), "Damaged"]
  ])("of %s is checked", (_, bytes, structure) => {
    expect(reason(bytes)).toBe(structure)
  })
})

describe("an Ogg", () => {
  interface Page {
    /** -1 if no packet ends in the page. */
    readonly position: number
    readonly number?: number
    readonly serial?: number
    /** 1 continues a packet, 2 is the first page of a stream, 4 the last. */
    readonly flags?: number
  }
  /** A page of several packets of up to 254 bytes. One of 255 bytes continues in the next page. */
  const page = ({ flags = 0, number = 0, position, serial = 7 }: Page, ...packets: ReadonlyArray<Bytes>) =>
    join(
      join("OggS", [0, flags], position < 0 ? ones(8) : littleEndian(position, 8), uint32(serial)),
      join(
        littleEndian(number, 4),
        zeros(4),
        [packets.length],
        packets.map(({ length }) => length),
        packets.flat()
      )
    )
  const at = (position: number, packet: Bytes = [], flags = 0) => page({ position, flags }, packet)
  const opus = (rate: number) => join("OpusHead", [1, 1], littleEndian(312, 2), littleEndian(rate, 4))
  const speex = join("Speex   ", zeros(28), littleEndian(8000, 4), zeros(8), littleEndian(1, 4))
  const vorbis = join([1], "vorbis", zeros(4), [2], littleEndian(8000, 4))
  const begun = at(0, speex)

  it("of Opus has the rate before encoding, or else that of the decoder", () => {
    const header = { container: "ogg", channels: 1, durationMillis: 1000 }
    expect(read(at(0, opus(8000)), at(48_000 + 312))).toEqual({ ...header, sampleRate: 8000 })
    expect(read(at(0, opus(0)), at(48_000 + 312))).toEqual({ ...header, sampleRate: 48_000 })
    expect(durationOf(at(0, opus(8000)), at(100))).toBe(0)
  })

  it.each([
    ["of its own stream", [begun, at(4000), page({ position: 8000, serial: 8 }, [])], 500],
    ["that ends a packet", [begun, at(4000), at(-1)], 500],
    ["that has a whole header", [begun, at(4000), at(8000).slice(0, 26)], 500],
    ["if it has only one", [at(4000, speex)], 500],
    ["if it is empty", [begun], 0],
    ["unless no packet ends", [at(-1, speex)], undefined]
  ])("ends with the last page %s", (_, pages, millis) => {
    expect(read(...pages)).toEqual({ container: "ogg", sampleRate: 8000, channels: 1, durationMillis: millis })
  })

  const comments = ascii("comments")
  const wholeSpeex = join(speex.slice(0, 52), zeros(4), littleEndian(160, 4), zeros(4), littleEndian(2, 4), zeros(12))
  const flac = join("\x7fFLAC\x01\0\0\x01fLaC\0\0\0\x22", zeros(10), uint32((8000 << 12) | (15 << 4)), zeros(20))
  const flacFrame = (sizes: number, ...size: Bytes) => [255, 0xf8, sizes << 4, 0, 0, ...size, 1]
  // Blocks of 256 and 2048 samples, by two modes: 41 bits each, behind their number less 1 in 6 bits, then the framing bit.
  const wholeVorbis = join(vorbis, zeros(12), [0xb8, 1])
  const mode = (block: number) => join([block], zeros(40))
  const setupBits = join(repeat(40, [1, 0, 0]).slice(0, 80), [1, 0, 0, 0, 0, 0], mode(0), mode(1), [1])
  const setup = Array.from({ length: Math.ceil(setupBits.length / 8) }, (_, index) =>
    setupBits.slice(8 * index, 8 * index + 8).reduce((byte, bit, place) => byte | (bit << place), 0)
  )
  const fill = (first: Bytes) => join(first, zeros(20))
  const ofOpus = [[0x08], [0x01], [0x1b, 3], [0x80]].map(fill)
  const ofFlac = [flacFrame(5), flacFrame(9), flacFrame(7, 1, 0), flacFrame(6, 99)].map(fill)

  it.each([
    // 20 ms; two frames of 10 ms; three of 60 ms; 2.5 ms.
    ["Opus", opus(8000), [comments], ofOpus, 960 + 960 + 3 * 2880 + 120, 48_000, 312],
    ["Speex", wholeSpeex, [comments], [fill([1]), fill([2])], 640, 8000, 0],
    ["FLAC", flac, [comments], ofFlac, 4608 + 512 + 257 + 100, 8000, 0],
    // Short, short, long: nothing, a half of each of two short ones, a quarter of both.
    ["Vorbis", wholeVorbis, [comments, setup], [fill([0]), fill([0]), fill([2])], 128 + 576, 8000, 0]
  ] as const)(
    "that was cut from a longer one has its own duration: %s",
    (_, head, headers, packets, units, clock, skipped) => {
      for (const start of [0, 100_000, 5_000_000]) {
        const duration = durationOf(
          page({ position: 0, number: 0, flags: 2 }, head),
          page({ position: 0, number: 1 }, ...headers),
          page({ position: start + units, number: 2 }, ...packets),
          page({ position: start + 10 * clock + skipped, number: 3, flags: 4 }, fill([1]))
        )
        expect(duration).toBeCloseTo(10_000)
      }
    }
  )

  it("that was cut from a longer one may divide its headers and its first packets between pages", () => {
    const long = Array.from({ length: 255 }, (_, index) => index % 200)
    const file = join(
      page({ position: 0, number: 0, flags: 2 }, wholeSpeex),
      page({ position: -1, number: 1 }, long, long),
      page({ position: 0, number: 2, flags: 1 }, comments),
      page({ position: -1, number: 3 }, long),
      page({ position: 80_000 + 640, number: 4, flags: 1 }, comments, comments, long),
      page({ position: 160_000, number: 5, flags: 5 }, comments)
    )
    expect(durationOf(file)).toBe(10_000)
    expect(reason(file)).toBe("whole")
  })

  it("has the format and the duration of its first audio stream, whatever runs beside it", () => {
    const file = join(
      page({ position: 0, serial: 9, flags: 2 }, join([0x80], "theora", zeros(20))),
      page({ position: 0, flags: 2 }, wholeSpeex),
      page({ position: 0, serial: 9, number: 1 }, comments),
      page({ position: 0, number: 1 }, comments),
      page({ position: 640, number: 2 }, comments, comments),
      page({ position: 8000, number: 3, flags: 4 }, comments),
      page({ position: 99, serial: 9, number: 2, flags: 4 }, comments)
    )
    expect(read(file)).toEqual({ container: "ogg", sampleRate: 8000, channels: 1, durationMillis: 1000 })
    expect(reason(file)).toBe("whole")
  })

  const headersOf = (serial: number) =>
    join(page({ position: 0, serial, flags: 2 }, wholeSpeex), page({ position: 0, serial, number: 1 }, comments))

  it("that was put together from several has no duration", () => {
    const link = (serial: number) =>
      join(
        headersOf(serial),
        page({ position: 320, serial, number: 2 }, comments),
        page({ position: 8000, serial, number: 3, flags: 4 }, comments)
      )
    expect(durationOf(link(7))).toBe(1000)
    expect(durationOf(link(7), link(8))).toBeUndefined()
    expect(durationOf(link(7), link(7))).toBeUndefined()
    expect(reason(link(7), link(8))).toBe("whole")
  })

  /** Pages of a second and some 4 kB, with so many of them. */
  const long = (serial: number, seconds: number) =>
    join(
      headersOf(serial),
      ...Array.from({ length: seconds }, (_, index) =>
        page({ position: 8000 * (index + 1), serial, number: index + 2 }, ...Array(25).fill(picture(160)))
      )
    )

  it.each([
    ["one", long(7, 120), 120_000],
    ["another one", join(long(7, 60), long(8, 60)), undefined],
    ["the same one again", join(long(7, 60), long(7, 60)), undefined],
    ["a longer one of its serial", join(long(7, 20), long(7, 100)), undefined],
    ["a shorter one of its serial", join(long(7, 100), long(7, 20)), undefined],
    ["another one of a page", join(long(7, 100), long(8, 1)), undefined]
  ])("of many pages is known to be %s", (_, bytes, millis) => {
    expect(bytes.length).toBeGreaterThan(400_000)
    expect(durationOf(bytes)).toBe(millis)
  })

  it("whose end can't be read has no duration", () => {
    const bytes = Uint8Array.from(join(begun, at(4000), at(8000)))
    expect(readWhole(bytes).durationMillis).toBe(1000)
    expect(readHeader(bytes.subarray(0, -1), bytes.length).durationMillis).toBeUndefined()
  })

  it("has the format of its first packet, if that is whole and of a known codec", () => {
    const packets = [opus(8000), speex, vorbis]
    expect(packets.map((packet) => read(at(0, packet)).channels)).toEqual([1, 1, 2])
    for (const packet of [...packets.map((whole) => whole.slice(0, -1)), join("other", ones(60))]) {
      expect(read(at(0, packet))).toEqual({ container: "ogg" })
    }
  })

  it.each([
    ["a last page", [begun, at(1, [], 4)], "whole"],
    ["no page that is marked as the last", [begun, at(1)], "whole"],
    ["a tag", [begun, at(1, [1], 4), id3v1], "whole"],
    ["zeros", [begun, at(1, [1]), zeros(500)], "whole"],
    ["something else behind the last page of all streams", [begun, at(1, [1], 4), "else"], "whole"],
    ["a page that is cut", [begun, at(1, [1, 2], 4).slice(0, -1)], "Truncated"],
    ["a page whose header is cut", [begun, at(1, [], 4).slice(0, 20)], "Truncated"],
    ["something else", [begun, "something else"], "Damaged"]
  ])("with %s at its end is checked", (_, pages, structure) => {
    expect(reason(...pages)).toBe(structure)
  })
})

describe("a WebM", () => {
  const id = (value: number) => bigEndian(value, Math.ceil((32 - Math.clz32(value)) / 8))
  /** An element, whose size is written in one byte. */
  const element = (name: number, ...content: ReadonlyArray<Bytes>) =>
    join(id(name), [0x80 | content.flat().length], ...content)
  /** An element, whose size is written in eight bytes. */
  const wideElement = (name: number, ...content: ReadonlyArray<Bytes>) =>
    join(id(name), [1], bigEndian(content.flat().length, 7), ...content)
  const beginning = element(0x1a45dfa3)
  const segment = (...content: ReadonlyArray<Bytes>) => join(beginning, wideElement(0x18538067, ...content))
  const float32 = (value: number) => [...new Uint8Array(Float32Array.of(value).buffer)].toReversed()
  const float64 = (value: number) => [...new Uint8Array(Float64Array.of(value).buffer)].toReversed()
  const info = (...content: ReadonlyArray<Bytes>) => element(0x1549a966, ...content)
  const duration = (ticks: Bytes) => element(0x4489, ticks)
  const audio = (...content: ReadonlyArray<Bytes>) => element(0xe1, ...content)
  const tracks = (...content: ReadonlyArray<Bytes>) =>
    element(0x1654ae6b, ...content.map((track) => element(0xae, track)))
  const sound = (rate: Bytes) => audio(element(0xb5, rate), element(0x9f, [2]))
  const lasting = info(duration(float64(1500)))

  it.each([
    ["of 64 bits", [duration(float64(1500))], 1500],
    ["of 32 bits", [duration(float32(1500))], 1500],
    ["in ticks of its own", [element(0x2ad7b1, bigEndian(500_000, 3)), duration(float32(1500))], 750],
    ["below 0", [duration(float64(-1))], undefined],
    ["of 24 bits", [duration(zeros(3))], undefined],
    ["that is missing", [], undefined]
  ])("has a format, and a duration %s", (_, content, durationMillis) => {
    const header = { container: "webm", sampleRate: 16_000, channels: 2, durationMillis }
    expect(read(segment(info(...content), tracks(sound(float32(16_000)))))).toEqual(header)
  })

  it("has the format of its first audio track. Default: 8 kHz, one channel", () => {
    const stereo = sound(float64(48_000))
    expect(read(segment(tracks([], stereo)))).toMatchObject({ sampleRate: 48_000, channels: 2 })
    expect(read(segment(tracks(audio(), stereo)))).toMatchObject({ sampleRate: 8000, channels: 1 })
    expect(read(segment(tracks([])))).toEqual({ container: "webm" })
  })

  const cluster = (...blocks: ReadonlyArray<Bytes>) => element(0x1f43b675, ...blocks)
  const clusterAt = (ticks: number, ...blocks: ReadonlyArray<Bytes>) => cluster(element(0xe7, uint32(ticks)), ...blocks)
  const blockAt = (ticks: number) => element(0xa3, [0x81, ...bigEndian(ticks, 2), 0, 7, 7])
  const blockInGroup = element(0xa0, element(0xa1, [0x81, ...bigEndian(1000, 2), 0, 7]))
  const comments = join(element(0xec, zeros(100)), wideElement(0x1254c367, zeros(100_000)))

  it.each([
    ["at 0", [clusterAt(0, blockAt(0))], 1500],
    ["at 20 ms", [clusterAt(0, blockAt(20))], 1500],
    ["before 0", [clusterAt(0, blockAt(65_536 - 7))], 1500],
    ["at 30 s", [clusterAt(30_000, blockAt(0))], undefined],
    ["at 30 s, in a group", [clusterAt(29_000, blockInGroup)], undefined],
    ["behind comments of 100 kB", [comments, clusterAt(9, blockAt(0))], 1500]
  ])("has the duration that it states if its samples begin %s", (_, content, millis) => {
    expect(durationOf(segment(lasting, ...content))).toBe(millis)
  })

  it("has no duration of 0, and none if it is cut or if another recording follows it", () => {
    expect(durationOf(segment(info(duration(float64(0)))))).toBeUndefined()
    expect(durationOf(segment(lasting), zeros(50))).toBe(1500)
    expect(durationOf(segment(lasting, zeros(50)).slice(0, -1))).toBeUndefined()
    expect(durationOf(segment(lasting), segment(lasting))).toBeUndefined()
  })

  it("is read up to its first samples, or to an id or a size that is too long", () => {
    expect(durationOf(segment(lasting))).toBe(1500)
    for (const wrong of [
      [0x08, 0, 0, 0, 1, 0x80],
      [0, 0x80]
    ]) {
      expect(durationOf(segment(wrong, lasting))).toBeUndefined()
    }
  })

  /** An element of unknown size. */
  const open = (name: number) => join(id(name), [0xff])
  const streamed = (...content: ReadonlyArray<Bytes>) => join(beginning, open(0x18538067), ...content)
  const recorded = (...blocks: ReadonlyArray<Bytes>) => streamed(open(0x1f43b675), ...blocks)
  const block = blockAt(0)

  it.each([
    ["a whole segment", segment(lasting), "whole"],
    ["a segment of unknown size", streamed(lasting), "whole"],
    ["a segment that is cut", segment(lasting).slice(0, -1), "Truncated"],
    ["no segment", join(beginning, lasting), "Damaged"],
    ["nothing behind its beginning", beginning, "Damaged"],
    ["blocks", segment(cluster(block, block), cluster(block)), "whole"],
    ["blocks of a browser that records", recorded(block, block), "whole"],
    ["zeros instead of its last block", segment(cluster(block, zeros(20))), "Damaged"],
    ["zeros instead of its last cluster", segment(cluster(block), zeros(20)), "Damaged"],
    ["zeros behind the blocks of a browser", recorded(block, zeros(20)), "Damaged"],
    ["a block that is cut", recorded(block, block.slice(0, -1)), "Truncated"],
    ["a block whose size is cut", recorded(block, block.slice(0, 1)), "Truncated"],
    ["a block of unknown size", recorded([0xa3, 0xff], zeros(20)), "Damaged"]
  ])("with %s is checked", (_, bytes, structure) => {
    expect(reason(bytes)).toBe(structure)
  })
})

describe("a FLAC", () => {
  const info = (frames: number, beyond = 0, rate = 8000) => {
    const packed = (rate << 12) | (0 << 9) | (15 << 4) | beyond
    return join("fLaC", [0, 0, 0, 34], zeros(10), uint32(packed), uint32(frames))
  }
  const header = { container: "flac", sampleRate: 8000, channels: 1 }

  it.each([
    ["of so many frames", info(4000), { ...header, durationMillis: 500 }],
    ["of more frames than 32 bits hold", info(4000, 1), { ...header, durationMillis: 500 + 2 ** 32 / 8 }],
    ["of an unknown number of frames", info(0), header],
    ["without a rate", info(4000, 0, 0), { container: "flac", channels: 1 }],
    ["with nothing but a header", info(4000).with(4, 0x80), { ...header, durationMillis: 500 }],
    ["whose first block is another", info(4000).with(4, 1), { container: "flac" }],
    ["that is cut", info(4000).slice(0, -1), { container: "flac" }]
  ])("%s has the header of its first block", (_, bytes, expected) => {
    expect(read(bytes)).toEqual(expected)
  })
})
