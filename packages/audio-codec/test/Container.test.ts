import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Container, Wav } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"

const recording = (name: string) => new Uint8Array(readFileSync(new URL(`recordings/${name}`, import.meta.url)))
const readHeader = (bytes: Uint8Array, byteLength: number | undefined) =>
  Effect.runSync(Container.readHeader(Container.fromBytes(bytes, byteLength)))
const reasonOf = (bytes: Uint8Array) => {
  const container = Container.sniff(bytes)
  if (container === undefined) return "no container"
  const checked = Container.checkStructure(container, Container.fromBytes(bytes, bytes.byteLength))
  return Effect.runSync(Effect.match(checked, { onFailure: ({ reason }) => reason, onSuccess: () => "whole" }))
}

// Headers that no encoder at hand writes are made byte by byte.
type Bytes = ReadonlyArray<number>
const ascii = (text: string): Bytes => Array.from(text, (character) => character.charCodeAt(0))
const zeros = (length: number): Bytes => Array.from({ length }, () => 0)
const ones = (length: number): Bytes => Array.from({ length }, () => 255)
const bigEndian = (value: number, length: number): Bytes =>
  Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)) % 256)
const littleEndian = (value: number, length: number) => bigEndian(value, length).toReversed()
const read = (...parts: ReadonlyArray<Bytes>) => {
  const bytes = Uint8Array.from(parts.flat())
  return readHeader(bytes, bytes.byteLength)
}
const durationOf = (...parts: ReadonlyArray<Bytes>) => read(...parts).durationMillis
const reason = (...parts: ReadonlyArray<Bytes>) => reasonOf(Uint8Array.from(parts.flat()))

const synchsafe = (value: number) => [21, 14, 7, 0].map((shift) => (value >>> shift) & 127)
const id3 = (length: number, version = 4): Bytes => [
  ...ascii("ID3"),
  version,
  0,
  0,
  ...synchsafe(length),
  ...Array.from({ length }, (_, index) => (index * 7) % 255)
]
const apeEdge = (size: number, flags: number) =>
  [ascii("APETAGEX"), littleEndian(2000, 4), littleEndian(size + 32, 4), zeros(4), zeros(3), [flags], zeros(8)].flat()
/** Bytes of a picture, in which nothing looks like a frame. */
const picture = (length: number) => Array.from({ length }, (_, index) => (index * 31) % 251)
/** An APE tag has a header (bit 7) that is marked (bit 5), and a footer. */
const ape = (length: number) => [...apeEdge(length, 0xa0), ...picture(length), ...apeEdge(length, 0x80)]
const id3v1 = [...ascii("TAG"), ...zeros(125)]

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
    expect(readHeader(bytes, bytes.byteLength)).toEqual(expected)
    expect(reasonOf(bytes)).toBe("whole")
    const cut = expected.container === "flac" ? "whole" : "Truncated"
    expect(reasonOf(bytes.subarray(0, -5))).toBe(cut)
  })

  it.each([
    ["a WAV file", ascii("RIFF....WAVE"), "wav"],
    ["a big-endian WAV file", ascii("RIFX....WAVE"), "wav"],
    ["a large WAV file", ascii("RF64....WAVE"), "wav"],
    ["a large WAV file of broadcasters", ascii("BW64....WAVE"), "wav"],
    ["another RIFF file", ascii("RIFF....AVI "), undefined],
    ["an MP3 with a tag", ascii("ID3\x04"), "mp3"],
    ["an MP3 without a tag", [0xff, 0xfb, 0x90, 0], "mp3"],
    ["MPEG layer II", [0xff, 0xfd, 0x90, 0], "mp3"],
    ["an MP3 frame of a reserved bitrate", [0xff, 0xfb, 0xf0, 0], undefined],
    ["AAC without a container", [0xff, 0xf1, 0x6c, 0x40], undefined],
    ["text in UTF-16, which looks like MPEG layer I", [0xff, 0xfe, 0x41, 0], undefined],
    ["an M4A", ascii("\0\0\0\x1cftypM4A "), "m4a"],
    ["nothing", [], undefined]
  ] as const)("is recognised by its first bytes: %s", (_, beginning, container) => {
    expect(Container.sniff(Uint8Array.from(beginning))).toBe(container)
  })

  it("as WAV has the header of its format, also if its size is unknown or large", () => {
    const format = { sampleRate: 8000, channels: 2, encoding: "alaw" } as const
    const samples = new Uint8Array(3200)
    const file = Wav.encode(format, samples)
    for (const whole of [file, [...Wav.header(format), ...samples], [...Wav.header(format, 2 ** 33), ...samples]]) {
      expect(read([...whole])).toEqual({ container: "wav", sampleRate: 8000, channels: 2, durationMillis: 200 })
    }
    file[20] = 49
    expect(read([...file])).toEqual({ container: "wav" })
  })

  const tagsBefore = [
    ["ID3", id3(300)],
    ["ID3 of version 2.2", id3(300, 2)],
    ["an empty ID3", id3(0)],
    ["two tags of ID3", [...id3(20), ...id3(300, 3)]],
    ["ID3 as long as a picture", id3(300_000)],
    ["APE", ape(1000)],
    ["APE and ID3", [...ape(10), ...id3(10)]]
  ] as const

  it.each(tagsBefore)("is known behind a tag: %s", (_, tag) => {
    for (const { name, ...expected } of encoded) {
      const bytes = Uint8Array.from([...tag, ...recording(name)])
      const header = readHeader(bytes, bytes.byteLength)
      expect(header).toEqual(expected)
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
    ["Monkey's Audio", ascii("MAC \x96\x0f")],
    ["Musepack", ascii("MPCKSH")],
    ["TrueAudio", ascii("TTA1\x01\0")]
  ])("is not an MP3 because of a tag before it: %s", (_, other) => {
    expect(read(id3(20), other, zeros(2000))).toEqual({ container: undefined })
  })

  it("is described from 256 KiB at most, wherever they lie in it", () => {
    for (const { name } of encoded) {
      const bytes = recording(name)
      const [front, back] = [id3(70_000), zeros(70_000)]
      const all = Uint8Array.from([
        ...front,
        ...zeros(60_000),
        ...picture(60_000),
        ...bytes,
        ...bytes,
        ...bytes,
        ...back
      ])
      for (const one of [all, all.subarray(front.length), all.subarray(front.length + 120_000)]) {
        let length = 0
        const readPart = (offset: number, count: number) => {
          length += count
          return Effect.succeed(one.subarray(offset, offset + count))
        }
        Effect.runSync(Container.readHeader({ byteLength: one.byteLength, read: readPart }))
        expect(length).toBeLessThanOrEqual(256 * 1024)
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
        expect(isHeader(readHeader(damaged, damaged.byteLength))).toBe(true)
        expect(["whole", "Truncated", "Damaged", "no container"]).toContain(reasonOf(damaged))
      }),
      { numRuns: 500 }
    )
  })

  it("of endless boxes or elements takes no more than a thousand reads", () => {
    const boxes = new Uint8Array(8_000_000)
    for (let at = 0; at < boxes.byteLength; at += 8) boxes.set([0, 0, 0, 8, ...ascii("ftyp")], at)
    const elements = new Uint8Array(8_000_000).fill(0xae)
    elements.set([0x1a, 0x45, 0xdf, 0xa3, 0x80])
    const { reads, ...header } = countReads(boxes)
    expect(header).toEqual({ container: "m4a" })
    expect(reads).toBeLessThanOrEqual(1000)
    expect(countReads(elements)).toEqual({ container: "webm", reads: expect.toSatisfy((reads) => reads <= 2) })
    expect(reasonOf(boxes)).toBe("Damaged")
  })

  it("of unknown size can't be checked", () => {
    const source = Container.fromBytes(new Uint8Array(10), undefined)
    expect(() => Container.checkStructure("mp3", source)).toThrow(RangeError)
  })
})

const countReads = (bytes: Uint8Array) => {
  let reads = 0
  const readPart = (offset: number, length: number) => {
    reads++
    return Effect.succeed(bytes.subarray(offset, offset + length))
  }
  const header = Effect.runSync(Container.readHeader({ byteLength: bytes.byteLength, read: readPart }))
  return { ...header, reads }
}

describe("an M4A", () => {
  const box = (name: string, ...content: ReadonlyArray<Bytes>) =>
    [bigEndian(8 + content.flat().length, 4), ascii(name), ...content].flat()
  const type = box("ftyp", ascii("M4A "), zeros(4))
  const movieHeader = (timescale: number, duration: number) =>
    box("mvhd", zeros(12), bigEndian(timescale, 4), bigEndian(duration, 4))
  const longMovieHeader = (timescale: number, duration: Bytes) =>
    box("mvhd", [1], zeros(3 + 16), bigEndian(timescale, 4), duration)
  interface Entry {
    readonly channels?: number
    readonly config?: number
    readonly descriptors?: Bytes
    readonly rate?: number
  }
  /** An entry of a sample description, with an AudioSpecificConfig if one is given. */
  const entry = ({ channels = 2, config, descriptors, rate = 16_000 }: Entry) => {
    const esds = descriptors ?? (config && [3, 22, ...zeros(3), 4, 17, ...zeros(13), 5, 2, ...bigEndian(config, 2)])
    const format = [zeros(16), bigEndian(channels, 2), zeros(6), bigEndian(rate, 2), zeros(2)]
    return box("mp4a", ...format, esds ? box("esds", zeros(4), esds) : [])
  }
  const track = (kind: string, about: Entry) => {
    const description = box("stsd", zeros(4), bigEndian(1, 4), entry(about))
    return box("trak", box("mdia", box("hdlr", zeros(8), ascii(kind)), box("minf", box("stbl", description))))
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
  const long = [3, 0x80, 0x80, 22, ...zeros(3), 4, 0x81, 17, ...zeros(13), 5, 2, ...bigEndian(config(2, 8, 1), 2)]

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
    expect(read(type, box("moov", movieHeader(1000, 1), track("soun", about)))).toMatchObject({
      sampleRate: 16_000,
      channels
    })
  })

  it("has no duration if it has fragments beside the samples that its header counts", () => {
    const sound = track("soun", {})
    expect(durationOf(type, box("moov", movieHeader(1000, 2021), sound, box("mvex", zeros(32))))).toBeUndefined()
    expect(durationOf(type, box("moov", movieHeader(1000, 2021), sound, box("free", zeros(32))))).toBe(2021)
  })

  it("has the duration of its track, if the movie states none", () => {
    const media = box("mdhd", zeros(12), bigEndian(8000, 4), bigEndian(20_000, 4))
    const sound = box("trak", box("mdia", media, box("hdlr", zeros(8), ascii("soun"))))
    expect(durationOf(type, box("moov", movieHeader(1000, 0), sound))).toBe(2500)
    expect(durationOf(type, box("moov", movieHeader(1000, 0), sound, box("mvex", zeros(8))))).toBeUndefined()
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
    const tracks = [track("vide", { rate: 1 }), track("soun", { rate: 8000 }), track("soun", { rate: 48_000 })]
    const withSound = read(type, box("moov", movieHeader(1000, 500), ...tracks))
    expect(withSound).toMatchObject({ sampleRate: 8000, durationMillis: 500 })
    const silent = read(type, box("moov", movieHeader(1000, 500), track("vide", {})))
    expect(silent).toEqual({ container: "m4a", durationMillis: 500 })
  })

  const wide = [...bigEndian(1, 4), ...ascii("free"), ...bigEndian(16 + 5, 8), ...zeros(5)]
  const wideMovie = [...bigEndian(1, 4), ...ascii("moov"), ...bigEndian(8 + movie.length, 8), ...movie.slice(8)]
  const nested = [...bigEndian(4, 4), ...bigEndian(8, 4), ...ascii("free")]
  const tooLong = box("moov", movieHeader(1000, 500).with(3, 255), box("free", zeros(300)))

  it.each([
    ["after others of any size", [...box("free", zeros(5)), ...wide, ...movie], 500, "whole"],
    ["with a size of 64 bits", wideMovie, 500, "whole"],
    ["up to the end", [...zeros(4), ...movie.slice(4)], 500, "whole"],
    ["with a child that is longer than it", tooLong, 500, "whole"],
    ["before zeros", [...movie, ...zeros(20)], 500, "Damaged"],
    ["behind a box that is cut", wide.slice(0, 12), undefined, "Truncated"],
    ["that is cut", movie.slice(0, -1), undefined, "Truncated"],
    ["behind a box of 2 bytes", [...bigEndian(2, 4), ...ascii("free"), ...movie], undefined, "Damaged"],
    ["behind a box of 7 bytes", [...bigEndian(7, 4), ...ascii("free"), ...movie], undefined, "Damaged"],
    ["behind a box of 4 bytes that leads to another", [...nested, ...movie], undefined, "Damaged"],
    ["that is empty", [...box("moov", box("free")), ...movieHeader(1000, 500)], undefined, "whole"],
    ["that is too short", box("moov", box("mvhd", zeros(12)), box("free", zeros(30))), undefined, "whole"]
  ])("has the duration of a movie %s", (_, content, millis, structure) => {
    expect(durationOf(type, content)).toBe(millis)
    expect(reason(type, content)).toBe(structure)
  })

  it("is read from its beginning, and not beyond the box that describes it", () => {
    expect(readHeader(Uint8Array.from([...type, ...movie]), undefined).durationMillis).toBe(500)
    const more = Array.from({ length: 50 }, () => box("free")).flat()
    const { durationMillis, reads } = countReads(Uint8Array.from([...type, ...movie, ...more]))
    expect(durationMillis).toBe(500)
    expect(reads).toBeLessThan(8)
  })
})

it("an MP3 that was cut by a few short frames behind its header has not the duration of the header", () => {
  const file = new Uint8Array(readFileSync(new URL("./recordings/xing.mp3", import.meta.url)))
  const duration = (bytes: Uint8Array) =>
    Effect.runSync(Container.readHeader(Container.fromBytes(bytes, bytes.byteLength))).durationMillis
  expect(duration(file)).toBe(288)
  for (const part of [0.5, 0.7]) {
    expect(duration(file.subarray(0, file.byteLength * part)) ?? 0).toBeLessThan(288 * part + 36)
  }
})

describe("an MP3", () => {
  const versions = { "1": 3, "2": 2, "2.5": 0 }
  type Version = keyof typeof versions
  const frame = (version: Version, bitrate: number, rate: number, mono: boolean, padded = 0, layer = 3) => {
    const bits = (0x7ff << 21) | (versions[version] << 19) | ((4 - layer) << 17) | (1 << 16)
    return bigEndian((bits | (bitrate << 12) | (rate << 10) | (padded << 9) | (mono ? 3 << 6 : 0)) >>> 0, 4)
  }
  const filled = (header: Bytes, length: number, at = 4, ...content: Bytes) => {
    const bytes = [...header, ...zeros(length - header.length)]
    bytes.splice(at, content.length, ...content)
    return bytes
  }
  const one = filled(frame("1", 9, 0, false), 417)
  const two = [...one, ...one]
  const ofTwo = { container: "mp3", sampleRate: 44_100, channels: 2, durationMillis: (2 * 417 * 8) / 128 }

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
      const tag = [...ascii("ID3"), 4, 0, 0, ...zeros(4)]
      const single = filled(frame(version, bitrate, rate, mono, 0, layer), length)
      const bytes = [...tag, ...Array.from({ length: 10 }, () => single).flat()]
      const header = { container: "mp3", sampleRate, channels: mono ? 1 : 2 }
      expect(read(bytes)).toEqual({ ...header, durationMillis: (10 * length * 8) / kilobits })
      expect(readHeader(Uint8Array.from(bytes), undefined)).toEqual(header)
      const slot = layer === 1 ? 4 : 1
      const padded = [...filled(frame(version, bitrate, rate, mono, 1, layer), length + slot), ...single]
      expect(read(tag, padded)).toEqual({ ...header, durationMillis: ((2 * length + slot) * 8) / kilobits })
      expect(reason(tag, padded)).toBe("whole")
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
      const stated = (at: number, ...content: Bytes) =>
        durationOf(filled(header, length, at, ...content), filled(header, length))
      const lasting = ((1000 * samples) / sampleRate) * 1000
      for (const name of ["Xing", "Info"]) {
        const flags = (bits: number) => [...ascii(name), ...bigEndian(bits, 4), ...bigEndian(1000, 4)]
        expect(stated(xing, ...flags(1))).toBeCloseTo(lasting)
        expect(stated(xing, ...flags(3))).toBeCloseTo(lasting)
        // Without the number of frames the size decides.
        expect(stated(xing, ...flags(2))).toBe((2 * length * 8) / (version === "1" ? 128 : 64))
      }
      expect(stated(36, ...ascii("VBRI"), ...zeros(10), ...bigEndian(1000, 4))).toBeCloseTo(lasting)
    }
  )

  it("has the number of frames only if it is there to the last byte", () => {
    const stated = (content: Bytes) => {
      const whole = filled(frame("1", 9, 0, false), 417, 36, ...content).slice(0, 36 + content.length)
      return [durationOf(whole), durationOf(whole.slice(0, -1))]
    }
    const lasting = ((1000 * 1152) / 44_100) * 1000
    const bySize = (length: number) => (length * 8) / 128
    expect(stated([...ascii("Xing"), ...bigEndian(1, 4), ...bigEndian(1000, 4)])).toEqual([lasting, bySize(36 + 11)])
    expect(stated([...ascii("VBRI"), ...zeros(10), ...bigEndian(1000, 4)])).toEqual([lasting, bySize(36 + 17)])
  })

  it("of changing bitrate without a number of frames has no duration", () => {
    expect(read(one, filled(frame("1", 10, 0, false), 522))).toEqual({ ...ofTwo, durationMillis: undefined })
  })

  it("begins behind its tag, whatever looks like a frame in it", () => {
    const other = filled(frame("1", 1, 2, true), 144)
    for (const footer of [0, 10]) {
      const flags = footer === 0 ? 0 : 0x10
      const tag = [...ascii("ID3"), 4, 0, flags, 0, 0, 2, 44, ...other, ...other, ...zeros(12 + footer)]
      expect(read(tag, two)).toEqual(ofTwo)
      expect(reason(tag, two)).toBe("whole")
    }
  })

  it("begins behind bits that only look like a frame", () => {
    const tag = [...ascii("ID3"), 4, 0, 0, ...zeros(4)]
    const stray = [...tag, ...frame("1", 1, 2, true)]
    expect(read(stray, two)).toEqual(ofTwo)
    expect(read(stray, zeros(400))).toEqual({ container: "mp3" })
    // The first bit of every frame is set.
    const other = filled(frame("1", 1, 2, true).with(0, 0x7f), 144)
    expect(read(tag, other, other, two)).toEqual(ofTwo)
  })

  it.each([
    ["zeros", zeros(3000)],
    ["a byte of zero", zeros(1)],
    ["something else", picture(5000)],
    ["a tag and something else", [...id3(20), ...picture(5000)]],
    ["zeros and a tag", [...zeros(100), ...id3(20)]]
  ])("is known behind %s", (_, before) => {
    const frames = Array.from({ length: 40 }, () => one).flat()
    const header = { ...ofTwo, durationMillis: (40 * 417 * 8) / 128 }
    expect(read(before, frames)).toEqual(header)
    expect(Container.sniff(Uint8Array.from([...before, ...frames]))).toBe("mp3")
    expect(reason(before, frames)).toBe("whole")
  })

  it("of layer I is known by several frames", () => {
    const layer1 = filled(frame("1", 4, 1, true, 0, 1), 128)
    const frames = Array.from({ length: 6 }, () => layer1).flat()
    expect(read(frames)).toEqual({
      container: "mp3",
      sampleRate: 48_000,
      channels: 1,
      durationMillis: (6 * 128 * 8) / 128
    })
    const text = Array.from("plain text in UTF-16, ".repeat(300), (character) => [character.charCodeAt(0), 0]).flat()
    expect(read([0xff, 0xfe], text)).toEqual({ container: undefined })
  })

  const lyrics = [...ascii("LYRICSBEGIN"), ...ascii("words ".repeat(20))]
  const tagsBehind = [
    ["ID3v1", id3v1],
    ["enhanced ID3v1", [...ascii("TAG+"), ...zeros(223), ...id3v1]],
    ["a picture in APE", ape(40_000)],
    ["APE of version 1", [...picture(100), ...apeEdge(100, 0)]],
    ["APE and ID3v1", [...ape(500), ...id3v1]],
    ["Lyrics3 and ID3v1", [...lyrics, ...ascii("000131LYRICS200"), ...id3v1]],
    ["Lyrics3 of version 1 and ID3v1", [...lyrics, ...ascii("LYRICSEND"), ...id3v1]],
    [
      "ID3 of version 2.4 with a footer",
      [...ascii("ID3"), 4, 0, 16, ...synchsafe(50), ...zeros(50), ...ascii("3DI"), 4, 0, 16, ...synchsafe(50)]
    ],
    ["zeros and a tag", [...zeros(700), ...id3v1]]
  ] as const

  it.each(tagsBehind)(
    "of constant bitrate has the duration of its frames, without the tags behind them: %s",
    (_, tag) => {
      const frames = Array.from({ length: 60 }, () => one).flat()
      expect(read(frames, tag)).toEqual({ ...ofTwo, durationMillis: (60 * 417 * 8) / 128 })
      expect(reason(frames, tag)).toBe("whole")
    }
  )

  /** A file whose encoder states so many frames and bytes, and that has so many. */
  const xing = (frames: number, bytes: number) =>
    filled(
      frame("1", 9, 0, false),
      417,
      36,
      ...ascii("Xing"),
      ...bigEndian(3, 4),
      ...bigEndian(frames, 4),
      ...bigEndian(bytes, 4)
    )
  /** Frames of two bitrates. */
  const changing = (count: number) => {
    const other = filled(frame("1", 10, 0, false), 522)
    return Array.from({ length: count / 2 }, () => [...one, ...other]).flat()
  }
  const lasting = (frames: number) => ((frames * 1152) / 44_100) * 1000

  it.each(tagsBehind)("has the stated frames if the stated bytes count its frames, or also its tags: %s", (_, tag) => {
    const frames = changing(100)
    const before = id3(5000)
    const sizes = [
      417 + frames.length,
      frames.length,
      417 + frames.length + tag.length,
      417 + frames.length + tag.length + before.length
    ]
    for (const size of sizes) {
      const bytes = [...before, ...xing(100, size), ...frames, ...tag]
      expect(durationOf(bytes)).toBeCloseTo(lasting(100))
      expect(reason(bytes)).toBe("whole")
    }
  })

  it.each([
    ["cut", xing(1000, 417 + 469_500), changing(600), undefined, "Truncated"],
    [
      "put together with another",
      xing(100, 417 + 46_950),
      [...changing(100), ...xing(100, 417 + 46_950), ...changing(100)],
      undefined,
      "whole"
    ],
    [
      "followed by something else",
      xing(100, 417 + 46_950),
      [...changing(100), ...ascii("else"), ...picture(20_000)],
      lasting(100),
      "Damaged"
    ],
    [
      "of one bitrate, and cut",
      xing(1000, 417_417),
      Array.from({ length: 99 }, () => one).flat(),
      (100 * 417 * 8) / 128,
      "Truncated"
    ]
  ])("has no more frames than its size allows if it is %s", (_, header, frames, millis, structure) => {
    const found = durationOf(header, frames)
    if (millis === undefined) expect(found).toBeUndefined()
    else expect(found).toBeCloseTo(millis)
    expect(reason(header, frames)).toBe(structure)
  })

  it("has no duration if its bitrate is constant at its beginning alone", () => {
    const frames = Array.from({ length: 60 }, () => one).flat()
    expect(durationOf(frames, changing(100), frames)).toBeUndefined()
    expect(durationOf(frames, frames, changing(40))).toBeUndefined()
  })

  it("may end with a frame that is cut, if a tag follows it", () => {
    expect(reason(two, one.slice(0, 300), id3v1)).toBe("whole")
    expect(reason(two, one.slice(0, 300))).toBe("Truncated")
  })

  it("may be one frame, with less than the header of another behind it", () => {
    expect(read(one)).toEqual({ ...ofTwo, durationMillis: (417 * 8) / 128 })
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
    const header = frame("1", 9, 0, false).reduce((value, byte) => value * 256 + byte, 0)
    expect(read(filled(bigEndian(((header & ~instead) | bits) >>> 0, 4), 417)).container).toBeUndefined()
  })

  const stating = (bytes: number) => [...ascii("Xing"), ...bigEndian(2, 4), ...bigEndian(bytes, 4)]

  it.each([
    ["two frames", two, "whole"],
    ["a tag behind its frames", [...two, ...ascii("TAG"), ...zeros(125)], "whole"],
    ["padding behind its frames", [...two, ...zeros(9)], "whole"],
    ["one frame", one, "Truncated"],
    ["a frame that is cut", two.slice(0, -1), "Truncated"],
    [
      "zeros instead of the last frame that its encoder states",
      [...filled(one, 417, 36, ...stating(3 * 417)), ...one, ...zeros(417)],
      "Damaged"
    ],
    ["fewer bytes than its encoder states", [...filled(one, 417, 36, ...stating(999)), ...one], "Truncated"],
    ["something else between its frames", [...two, ...ascii("else"), ...one], "Damaged"]
  ])("of %s is checked", (_, bytes, structure) => {
    expect(reason(bytes)).toBe(structure)
  })
})

describe("an Ogg", () => {
  const page = (position: Bytes, serial: number, packet: Bytes, flags = 0) =>
    [ascii("OggS"), [0, flags], position, bigEndian(serial, 4), zeros(8), [1, packet.length], packet].flat()
  const at = (position: number) => littleEndian(position, 8)
  const opus = (rate: number) => [...ascii("OpusHead"), 1, 1, ...littleEndian(312, 2), ...littleEndian(rate, 4)]
  const speex = [...ascii("Speex   "), ...zeros(28), ...littleEndian(8000, 4), ...zeros(8), ...littleEndian(1, 4)]
  const vorbis = [1, ...ascii("vorbis"), ...zeros(4), 2, ...littleEndian(8000, 4)]
  const begun = page(at(0), 7, speex)

  it("of Opus has the rate before encoding, or else that of the decoder", () => {
    const end = page(at(48_000 + 312), 7, [])
    const header = { container: "ogg", channels: 1, durationMillis: 1000 }
    expect(read(page(at(0), 7, opus(8000)), end)).toEqual({ ...header, sampleRate: 8000 })
    expect(read(page(at(0), 7, opus(0)), end)).toEqual({ ...header, sampleRate: 48_000 })
    expect(durationOf(page(at(0), 7, opus(8000)), page(at(100), 7, []))).toBe(0)
  })

  it.each([
    ["of its own stream", [begun, page(at(4000), 7, []), page(at(8000), 8, [])], 500],
    ["that ends a packet", [begun, page(at(4000), 7, []), page(ones(8), 7, [])], 500],
    ["that has a whole header", [begun, page(at(4000), 7, []), page(at(8000), 7, []).slice(0, 26)], 500],
    ["if it has only one", [page(at(4000), 7, speex)], 500],
    ["if it is empty", [begun], 0],
    ["unless no packet ends", [page(ones(8), 7, speex)], undefined]
  ])("ends with the last page %s", (_, pages, millis) => {
    expect(read(...pages)).toEqual({ container: "ogg", sampleRate: 8000, channels: 1, durationMillis: millis })
  })

  /** A page of several packets of up to 254 bytes, or of one that goes on in the next page. */
  const pageOf = (position: number, serial: number, number: number, packets: ReadonlyArray<Bytes>, flags = 0) => [
    ...ascii("OggS"),
    0,
    flags,
    ...(position < 0 ? ones(8) : at(position)),
    ...bigEndian(serial, 4),
    ...littleEndian(number, 4),
    ...zeros(4),
    packets.length,
    ...packets.map(({ length }) => length),
    ...packets.flat()
  ]
  const notes = ascii("notes")
  const wholeSpeex = [
    ...speex.slice(0, 52),
    ...zeros(4),
    ...littleEndian(160, 4),
    ...zeros(4),
    ...littleEndian(2, 4),
    ...zeros(12)
  ]
  const flac = [
    0x7f,
    ...ascii("FLAC"),
    1,
    0,
    0,
    1,
    ...ascii("fLaC"),
    0,
    0,
    0,
    34,
    ...zeros(10),
    ...bigEndian((8000 << 12) | (15 << 4), 4),
    ...zeros(20)
  ]
  const flacFrame = (sizes: number, ...size: Bytes) => [255, 0xf8, sizes << 4, 0, 0, ...size, 1]
  // Blocks of 256 and 2048 samples, by two modes: 41 bits each, behind their number less 1 in 6 bits, then the framing bit.
  const wholeVorbis = [...vorbis, ...zeros(12), 0xb8, 1]
  const setup = (() => {
    const bits = [...Array.from({ length: 80 }, (_, index) => index % 3 === 0), true, false, false, false, false, false]
    for (const isLong of [false, true]) bits.push(isLong, ...Array.from({ length: 40 }, () => false))
    bits.push(true)
    const bytes: Array<number> = Array.from({ length: Math.ceil(bits.length / 8) }, () => 0)
    for (const [index, bit] of bits.entries())
      if (bit) bytes[index >>> 3] = (bytes[index >>> 3] ?? 0) | (1 << (index & 7))
    return bytes
  })()
  const fill = (first: Bytes) => [...first, ...zeros(20)]

  it.each([
    // 20 ms; two frames of 10 ms; three of 60 ms; 2.5 ms.
    [
      "Opus",
      opus(8000),
      [notes],
      [[0x08], [0x01], [0x1b, 3], [0x80]].map(fill),
      960 + 960 + 3 * 2880 + 120,
      48_000,
      312
    ],
    ["Speex", wholeSpeex, [notes], [fill([1]), fill([2])], 640, 8000, 0],
    [
      "FLAC",
      flac,
      [notes],
      [flacFrame(5), flacFrame(9), flacFrame(7, 1, 0), flacFrame(6, 99)].map(fill),
      4608 + 512 + 257 + 100,
      8000,
      0
    ],
    // Short, short, long: nothing, a half of each of two short ones, a quarter of both.
    ["Vorbis", wholeVorbis, [notes, setup], [fill([0]), fill([0]), fill([2])], 128 + 576, 8000, 0]
  ] as const)(
    "that was cut from a longer one has its own duration: %s",
    (_, head, headers, packets, units, clock, skipped) => {
      const file = (start: number, end: number) => [
        ...pageOf(0, 7, 0, [head], 2),
        ...pageOf(0, 7, 1, headers),
        ...pageOf(start + units, 7, 2, packets),
        ...pageOf(end, 7, 3, [fill([1])], 4)
      ]
      for (const start of [0, 100_000, 5_000_000]) {
        const lasting = 10 * clock
        expect(durationOf(file(start, start + lasting + skipped))).toBeCloseTo(10_000)
      }
    }
  )

  it("that was cut from a longer one may divide its headers and its first packets between pages", () => {
    const long = Array.from({ length: 255 }, (_, index) => index % 200)
    const file = [
      ...pageOf(0, 7, 0, [wholeSpeex], 2),
      ...pageOf(-1, 7, 1, [long, long]),
      ...pageOf(0, 7, 2, [notes], 1),
      ...pageOf(-1, 7, 3, [long]),
      ...pageOf(80_000 + 640, 7, 4, [notes, notes, long], 1),
      ...pageOf(160_000, 7, 5, [notes], 5)
    ]
    expect(durationOf(file)).toBe(10_000)
    expect(reason(file)).toBe("whole")
  })

  it("has the format and the duration of its first audio stream, whatever runs beside it", () => {
    const video = [0x80, ...ascii("theora"), ...zeros(20)]
    const file = [
      ...pageOf(0, 9, 0, [video], 2),
      ...pageOf(0, 7, 0, [wholeSpeex], 2),
      ...pageOf(0, 9, 1, [notes]),
      ...pageOf(0, 7, 1, [notes]),
      ...pageOf(640, 7, 2, [notes, notes]),
      ...pageOf(8000, 7, 3, [notes], 4),
      ...pageOf(99, 9, 2, [notes], 4)
    ]
    expect(read(file)).toEqual({ container: "ogg", sampleRate: 8000, channels: 1, durationMillis: 1000 })
    expect(reason(file)).toBe("whole")
  })

  it("that was put together from several has no duration", () => {
    const link = (serial: number) => [
      ...pageOf(0, serial, 0, [wholeSpeex], 2),
      ...pageOf(0, serial, 1, [notes]),
      ...pageOf(320, serial, 2, [notes]),
      ...pageOf(8000, serial, 3, [notes], 4)
    ]
    expect(durationOf(link(7))).toBe(1000)
    expect(durationOf(link(7), link(8))).toBeUndefined()
    expect(durationOf(link(7), link(7))).toBeUndefined()
    expect(reason(link(7), link(8))).toBe("whole")
  })

  /** Pages of a second and some 4 kB, with so many of them. */
  const long = (serial: number, seconds: number) =>
    Array.from({ length: seconds }, (_, index) =>
      pageOf(
        8000 * (index + 1),
        serial,
        index + 2,
        Array.from({ length: 25 }, () => [...notes, ...picture(155)])
      )
    )
  const longLink = (serial: number, seconds: number) =>
    [pageOf(0, serial, 0, [wholeSpeex], 2), pageOf(0, serial, 1, [notes]), ...long(serial, seconds)].flat()

  it.each([
    ["one", longLink(7, 120), 120_000],
    ["another one", [...longLink(7, 60), ...longLink(8, 60)], undefined],
    ["the same one again", [...longLink(7, 60), ...longLink(7, 60)], undefined],
    ["a longer one of its serial", [...longLink(7, 20), ...longLink(7, 100)], undefined],
    ["a shorter one of its serial", [...longLink(7, 100), ...longLink(7, 20)], undefined],
    ["another one of a page", [...longLink(7, 100), ...longLink(8, 1)], undefined]
  ])("of many pages is known to be %s", (_, bytes, millis) => {
    expect(bytes.length).toBeGreaterThan(400_000)
    expect(durationOf(bytes)).toBe(millis)
  })

  it("whose end is not at hand has no duration", () => {
    const bytes = Uint8Array.from([...begun, ...page(at(4000), 7, []), ...page(at(8000), 7, [])])
    expect(readHeader(bytes, bytes.length).durationMillis).toBe(1000)
    expect(readHeader(bytes.subarray(0, -1), bytes.length).durationMillis).toBeUndefined()
  })

  it("has the format of its first packet, if that is whole and of a known codec", () => {
    const packets = [opus(8000), speex, vorbis]
    expect(packets.map((packet) => read(page(at(0), 7, packet)).channels)).toEqual([1, 1, 2])
    for (const packet of [...packets.map((whole) => whole.slice(0, -1)), [...ascii("other"), ...ones(60)]]) {
      expect(read(page(at(0), 7, packet))).toEqual({ container: "ogg" })
    }
  })

  it.each([
    ["a last page", [begun, page(at(1), 7, [], 4)], "whole"],
    ["no page that is marked as the last", [begun, page(at(1), 7, [])], "whole"],
    ["a tag", [begun, page(at(1), 7, [1], 4), ascii("TAG"), zeros(125)], "whole"],
    ["zeros", [begun, page(at(1), 7, [1]), zeros(500)], "whole"],
    ["something else behind the last page of all streams", [begun, page(at(1), 7, [1], 4), ascii("else")], "whole"],
    ["a page that is cut", [begun, page(at(1), 7, [1, 2], 4).slice(0, -1)], "Truncated"],
    ["a page whose header is cut", [begun, page(at(1), 7, [], 4).slice(0, 20)], "Truncated"],
    ["something else", [begun, ascii("something else")], "Damaged"]
  ])("with %s at its end is checked", (_, pages, structure) => {
    expect(reason(...pages)).toBe(structure)
  })
})

describe("a WebM", () => {
  /** An element, whose size is written in one byte, or in eight. */
  const element = (id: number, content: Bytes, wide = false): Bytes => {
    const size = wide ? [1, ...bigEndian(content.length, 7)] : [0x80 | content.length]
    return [...bigEndian(id, Math.ceil((32 - Math.clz32(id)) / 8)), ...size, ...content]
  }
  const beginning = element(0x1a45dfa3, [])
  const segment = (...content: ReadonlyArray<Bytes>) => [...beginning, ...element(0x18538067, content.flat(), true)]
  const float = (value: number, length: 4 | 8) => {
    const view = new DataView(new ArrayBuffer(length))
    if (length === 4) view.setFloat32(0, value)
    else view.setFloat64(0, value)
    return [...new Uint8Array(view.buffer)]
  }
  const info = (...content: ReadonlyArray<Bytes>) => element(0x1549a966, content.flat())
  const duration = (ticks: Bytes) => element(0x4489, ticks)
  const audio = (...content: ReadonlyArray<Bytes>) => element(0xe1, content.flat())
  const track = (content: Bytes) => element(0xae, content)
  const tracks = (...content: ReadonlyArray<Bytes>) => element(0x1654ae6b, content.flatMap(track))
  const sound = (rate: Bytes) => audio(element(0xb5, rate), element(0x9f, [2]))
  const lasting = info(duration(float(1500, 8)))

  it.each([
    ["of 64 bits", [duration(float(1500, 8))], 1500],
    ["of 32 bits", [duration(float(1500, 4))], 1500],
    ["in ticks of its own", [element(0x2ad7b1, bigEndian(500_000, 3)), duration(float(1500, 4))], 750],
    ["below 0", [duration(float(-1, 8))], undefined],
    ["of 24 bits", [duration(zeros(3))], undefined],
    ["that is missing", [], undefined]
  ])("has a format, and a duration %s", (_, content, durationMillis) => {
    const header = { container: "webm", sampleRate: 16_000, channels: 2, durationMillis }
    expect(read(segment(info(...content), tracks(sound(float(16_000, 4)))))).toEqual(header)
  })

  it("has the format of its first audio track. Default: 8 kHz, one channel", () => {
    const stereo = sound(float(48_000, 8))
    expect(read(segment(tracks([], stereo)))).toMatchObject({ sampleRate: 48_000, channels: 2 })
    expect(read(segment(tracks(audio(), stereo)))).toMatchObject({ sampleRate: 8000, channels: 1 })
    expect(read(segment(tracks([])))).toEqual({ container: "webm" })
  })

  const clusterAt = (ticks: number, ...blocks: ReadonlyArray<Bytes>) =>
    element(0x1f43b675, [...element(0xe7, bigEndian(ticks, 4)), ...blocks.flat()])
  const blockAt = (ticks: number) => element(0xa3, [0x81, ...bigEndian(ticks, 2), 0, 7, 7])

  it.each([
    ["at 0", [clusterAt(0, blockAt(0))], 1500],
    ["at 20 ms", [clusterAt(0, blockAt(20))], 1500],
    ["before 0", [clusterAt(0, blockAt(65_536 - 7))], 1500],
    ["at 30 s", [clusterAt(30_000, blockAt(0))], undefined],
    [
      "at 30 s, in a group",
      [clusterAt(29_000, element(0xa0, element(0xa1, [0x81, ...bigEndian(1000, 2), 0, 7])))],
      undefined
    ],
    [
      "behind notes of 100 kB",
      [element(0xec, zeros(100)), element(0x1254c367, zeros(100_000), true), clusterAt(9, blockAt(0))],
      1500
    ]
  ])("has the duration that it states if its samples begin %s", (_, content, millis) => {
    expect(durationOf(segment(lasting, ...content))).toBe(millis)
  })

  it("has no duration of 0, and none if it is cut or if another recording follows it", () => {
    expect(durationOf(segment(info(duration(float(0, 8)))))).toBeUndefined()
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

  it.each([
    ["whole", segment(lasting), "whole"],
    ["of unknown size", [...beginning, ...bigEndian(0x18538067, 4), 0xff, ...lasting], "whole"],
    ["cut", segment(lasting).slice(0, -1), "Truncated"],
    ["missing", [...beginning, ...lasting], "Damaged"],
    ["missing, as all else is,", beginning, "Damaged"]
  ])("whose segment is %s is checked", (_, bytes, structure) => {
    expect(reason(bytes)).toBe(structure)
  })

  const cluster = (...blocks: ReadonlyArray<Bytes>) => element(0x1f43b675, blocks.flat())
  const block = element(0xa3, [0x81, 0, 0, 0, 7, 7])
  const streamed = (...content: ReadonlyArray<Bytes>) => [
    ...beginning,
    ...bigEndian(0x18538067, 4),
    0xff,
    ...bigEndian(0x1f43b675, 4),
    0xff,
    ...content.flat()
  ]

  it.each([
    ["blocks", segment(cluster(block, block), cluster(block)), "whole"],
    ["blocks of a browser that records", streamed(block, block), "whole"],
    ["zeros instead of its last block", segment(cluster(block, zeros(20))), "Damaged"],
    ["zeros instead of its last cluster", segment(cluster(block), zeros(20)), "Damaged"],
    ["zeros behind the blocks of a browser", streamed(block, zeros(20)), "Damaged"],
    ["a block that is cut", streamed(block, block.slice(0, -1)), "Truncated"],
    ["a block whose size is cut", streamed(block, block.slice(0, 1)), "Truncated"],
    ["a block of unknown size", streamed([0xa3, 0xff, ...zeros(20)]), "Damaged"]
  ])("with %s is checked", (_, bytes, structure) => {
    expect(reason(bytes)).toBe(structure)
  })
})

describe("a FLAC", () => {
  const info = (frames: number, beyond = 0, rate = 8000) => {
    const packed = (rate << 12) | (0 << 9) | (15 << 4) | beyond
    return [...ascii("fLaC"), 0, 0, 0, 34, ...zeros(10), ...bigEndian(packed, 4), ...bigEndian(frames, 4)]
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
