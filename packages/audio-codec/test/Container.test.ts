/** Headers made byte by byte, for what no encoder at hand writes. */
import { describe, expect, it } from "@effect/vitest"
import * as Container from "@effect-speech/audio-codec/Container"
import * as Effect from "effect/Effect"

const ascii = (text: string) => Array.from(text, (character) => character.charCodeAt(0))
const zeros = (length: number) => Array.from({ length }, () => 0)
const bigEndian = (value: number, length: number): Array<number> =>
  Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)) % 256)
const littleEndian = (value: number, length: number) => bigEndian(value, length).toReversed()

const readOf = (bytes: ReadonlyArray<number>, byteLength: number | undefined) =>
  Effect.runSync(Container.readHeader(Container.fromBytes(Uint8Array.from(bytes), byteLength)))

const read = (bytes: ReadonlyArray<number>) => readOf(bytes, bytes.length)

/** As of a stream. */
const readBeginning = (bytes: ReadonlyArray<number>) => readOf(bytes, undefined)

describe("an M4A", () => {
  const box = (name: string, ...content: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => {
    const bytes = content.flat()
    return [...bigEndian(8 + bytes.length, 4), ...ascii(name), ...bytes]
  }
  const type = box("ftyp", ascii("M4A "), zeros(4))
  const movieHeader = (timescale: number, duration: number) =>
    box("mvhd", zeros(12), bigEndian(timescale, 4), bigEndian(duration, 4))
  const longMovieHeader = (timescale: number, duration: ReadonlyArray<number>) =>
    box("mvhd", [1], zeros(3 + 16), bigEndian(timescale, 4), duration)
  const handler = (kind: string) => box("hdlr", zeros(8), ascii(kind))
  /** An entry of a sample description, with an AudioSpecificConfig if one is given. */
  const entry = ({ channels = 2, config, descriptors, rate = 16_000 }: Entry) => {
    const nested = config && [3, 22, ...zeros(3), 4, 17, ...zeros(13), 5, 2, ...bigEndian(config, 2)]
    const esds = descriptors ?? nested
    return box(
      "mp4a",
      zeros(16),
      bigEndian(channels, 2),
      zeros(6),
      bigEndian(rate, 2),
      zeros(2),
      esds ? box("esds", zeros(4), esds) : []
    )
  }
  interface Entry {
    readonly channels?: number
    readonly config?: number
    readonly descriptors?: ReadonlyArray<number>
    readonly rate?: number
  }
  const track = (kind: string, about: Entry) =>
    box(
      "trak",
      box("mdia", handler(kind), box("minf", box("stbl", box("stsd", zeros(4), bigEndian(1, 4), entry(about)))))
    )
  const durationOf = (header: ReadonlyArray<number>) => read([...type, ...box("moov", header)]).durationMillis

  it("tells its length in either width, unless it is not known", () => {
    expect(durationOf(movieHeader(1000, 2500))).toBe(2500)
    expect(durationOf(movieHeader(1000, 0))).toBeUndefined()
    expect(durationOf(movieHeader(0, 1000))).toBeUndefined()
    expect(durationOf(movieHeader(1, 2 ** 32 - 1))).toBeUndefined()
    expect(durationOf(movieHeader(1, 2 ** 32 - 2))).toBe((2 ** 32 - 2) * 1000)
    expect(durationOf(movieHeader(1000, 2500).slice(0, -1))).toBeUndefined()
    expect(durationOf(longMovieHeader(8000, bigEndian(2 ** 33, 8)))).toBe((2 ** 33 / 8000) * 1000)
    expect(
      durationOf(
        longMovieHeader(
          8000,
          Array.from({ length: 8 }, () => 255)
        )
      )
    ).toBeUndefined()
    // Too short for the wide form, so it is read as the other.
    expect(durationOf(longMovieHeader(7, zeros(3)))).toBeUndefined()
  })

  it("has the channels of its AAC, or else those of its entry", () => {
    const channelsOf = (about: Entry) => {
      const { channels, sampleRate } = read([...type, ...box("moov", movieHeader(1000, 1), track("soun", about))])
      expect(sampleRate).toBe(16_000)
      return channels
    }
    const config = (objectType: number, rate: number, channels: number) =>
      (objectType << 11) | (rate << 7) | (channels << 3)
    expect(channelsOf({ channels: 6 })).toBe(6)
    expect(channelsOf({ config: config(2, 8, 1) })).toBe(1)
    expect(channelsOf({ config: config(2, 8, 6) })).toBe(6)
    expect(channelsOf({ config: config(2, 8, 7) })).toBe(8)
    expect(channelsOf({ config: config(2, 8, 0), channels: 5 })).toBe(5)
    // A rate that is written out moves the channels, and parametric stereo makes two of one.
    expect(channelsOf({ config: config(2, 15, 1), channels: 5 })).toBe(5)
    expect(channelsOf({ config: config(29, 8, 1) })).toBe(2)
    // Lengths may take several bytes; another descriptor than is due tells nothing.
    const long = [3, 0x80, 0x80, 22, ...zeros(3), 4, 0x81, 17, ...zeros(13), 5, 2, ...bigEndian(config(2, 8, 1), 2)]
    expect(channelsOf({ descriptors: long })).toBe(1)
    expect(channelsOf({ descriptors: [6, ...long.slice(1)], channels: 5 })).toBe(5)
    expect(channelsOf({ descriptors: long.with(7, 6), channels: 5 })).toBe(5)
    expect(channelsOf({ descriptors: [3], channels: 5 })).toBe(5)
  })

  it("is told by its first track of sound", () => {
    const tracks = [track("vide", { rate: 1 }), track("soun", { rate: 8000 }), track("soun", { rate: 48_000 })]
    const told = read([...type, ...box("moov", movieHeader(1000, 500), ...tracks)])
    expect(told).toMatchObject({ sampleRate: 8000, durationMillis: 500 })
    const silent = read([...type, ...box("moov", movieHeader(1000, 500), track("vide", {}))])
    expect(silent).toMatchObject({ sampleRate: undefined, channels: undefined, durationMillis: 500 })
  })

  it("may have boxes of any size before the one that tells, and that one to the end", () => {
    const movie = box("moov", movieHeader(1000, 500))
    const wide = [...bigEndian(1, 4), ...ascii("free"), ...bigEndian(16 + 5, 8), ...zeros(5)]
    const wideMovie = [...bigEndian(1, 4), ...ascii("moov"), ...bigEndian(8 + movie.length, 8), ...movie.slice(8)]
    const open = [...zeros(4), ...movie.slice(4)]
    expect(read([...type, ...box("free", zeros(5)), ...wide, ...movie]).durationMillis).toBe(500)
    expect(read([...type, ...wideMovie]).durationMillis).toBe(500)
    expect(read([...type, ...wide.slice(0, 12)]).durationMillis).toBeUndefined()
    expect(read([...type, ...open]).durationMillis).toBe(500)
    expect(readBeginning([...type, ...movie]).durationMillis).toBe(500)
    // What is smaller than its own header leads nowhere.
    for (const size of [2, 7]) {
      const broken = [...bigEndian(size, 4), ...ascii("free")]
      expect(read([...type, ...broken, ...movie])).toEqual(read(type))
    }
    // Also where what it says would lead to others.
    const within = [...bigEndian(4, 4), ...bigEndian(8, 4), ...ascii("free")]
    expect(read([...type, ...within, ...movie]).durationMillis).toBeUndefined()
    // Nor is a box inside another longer than that one.
    const outer = box("moov", movieHeader(1000, 500).with(3, 255), box("free", zeros(300)))
    expect(read([...type, ...outer]).durationMillis).toBe(500)
    expect(read([...type, ...box("moov", box("free")), ...movieHeader(1000, 500)]).durationMillis).toBeUndefined()
    // Nor does it hold what follows it.
    const short = box("moov", box("mvhd", zeros(12)), box("free", zeros(30)))
    expect(read([...type, ...short]).durationMillis).toBeUndefined()
  })

  const readsOf = (content: ReadonlyArray<number>) => {
    const bytes = Uint8Array.from(content)
    let reads = 0
    const read = (offset: number, length: number) => {
      reads++
      return Effect.succeed(bytes.subarray(offset, offset + length))
    }
    return { ...Effect.runSync(Container.readHeader({ byteLength: bytes.length, read })), reads }
  }

  it("is not searched beyond the box that would hold what is sought", () => {
    const more = Array.from({ length: 50 }, () => box("free"))
    const { durationMillis, reads } = readsOf([...type, ...box("moov", movieHeader(1000, 500)), ...more.flat()])
    expect(durationMillis).toBe(500)
    expect(reads).toBeLessThan(8)
  })

  it("whose boxes have no end is given up after a thousand reads", () => {
    const boxes = Array.from({ length: 2000 }, () => box("free"))
    const { durationMillis, reads } = readsOf([...type, ...boxes.flat(), ...box("moov", movieHeader(1000, 500))])
    expect(durationMillis).toBeUndefined()
    expect(reads).toBe(1000)
  })
})

describe("an MP3", () => {
  const versions = { "1": 3, "2": 2, "2.5": 0 }
  const frame = (version: keyof typeof versions, bitrate: number, rate: number, mono: boolean, padded = 0) => {
    const bits = (0x7ff << 21) | (versions[version] << 19) | (1 << 17) | (1 << 16)
    return bigEndian((bits | (bitrate << 12) | (rate << 10) | (padded << 9) | (mono ? 3 << 6 : 0)) >>> 0, 4)
  }
  const filled = (header: ReadonlyArray<number>, length: number, at = 4, ...content: ReadonlyArray<number>) => {
    const bytes = [...header, ...zeros(length - header.length)]
    bytes.splice(at, content.length, ...content)
    return bytes
  }

  it.each([
    { version: "1", bitrate: 9, rate: 0, mono: false, length: 417, sampleRate: 44_100, kilobits: 128 },
    { version: "1", bitrate: 14, rate: 1, mono: true, length: 960, sampleRate: 48_000, kilobits: 320 },
    { version: "1", bitrate: 1, rate: 2, mono: true, length: 144, sampleRate: 32_000, kilobits: 32 },
    { version: "2", bitrate: 8, rate: 0, mono: false, length: 208, sampleRate: 22_050, kilobits: 64 },
    { version: "2", bitrate: 1, rate: 1, mono: true, length: 24, sampleRate: 24_000, kilobits: 8 },
    { version: "2.5", bitrate: 4, rate: 2, mono: true, length: 288, sampleRate: 8000, kilobits: 32 },
    { version: "2.5", bitrate: 14, rate: 0, mono: false, length: 1044, sampleRate: 11_025, kilobits: 160 }
  ] as const)(
    "of MPEG $version at $kilobits kbit/s and $sampleRate Hz lasts as long as its size says",
    ({ bitrate, kilobits, length, mono, rate, sampleRate, version }) => {
      const one = filled(frame(version, bitrate, rate, mono), length)
      const bytes = Array.from({ length: 10 }, () => one).flat()
      expect(read(bytes)).toEqual({
        container: "mp3",
        sampleRate,
        channels: mono ? 1 : 2,
        durationMillis: (10 * length * 8) / kilobits
      })
      expect(readBeginning(bytes).durationMillis).toBeUndefined()
      const padded = [...filled(frame(version, bitrate, rate, mono, 1), length + 1), ...one]
      expect(read(padded)).toMatchObject({ sampleRate, durationMillis: ((2 * length + 1) * 8) / kilobits })
    }
  )

  it.each([
    { version: "1", bitrate: 9, mono: false, length: 417, xing: 36, samples: 1152, sampleRate: 44_100 },
    { version: "1", bitrate: 9, mono: true, length: 417, xing: 21, samples: 1152, sampleRate: 44_100 },
    { version: "2", bitrate: 8, mono: false, length: 208, xing: 21, samples: 576, sampleRate: 22_050 },
    { version: "2", bitrate: 8, mono: true, length: 208, xing: 13, samples: 576, sampleRate: 22_050 }
  ] as const)(
    "of MPEG $version (mono: $mono) has as many frames as its encoder left in it",
    ({ bitrate, length, mono, samples, sampleRate, version, xing }) => {
      const header = frame(version, bitrate, 0, mono)
      const durationOf = (at: number, ...content: ReadonlyArray<number>) => {
        const first = filled(header, length, at, ...content)
        return read([...first, ...filled(header, length)]).durationMillis
      }
      const lasting = ((1000 * samples) / sampleRate) * 1000
      for (const name of ["Xing", "Info"]) {
        const flags = (bits: number) => [...ascii(name), ...bigEndian(bits, 4), ...bigEndian(1000, 4)]
        expect(durationOf(xing, ...flags(1))).toBeCloseTo(lasting)
        expect(durationOf(xing, ...flags(3))).toBeCloseTo(lasting)
        // One that does not hold them leaves it to the size.
        expect(durationOf(xing, ...flags(2))).toBe((2 * length * 8) / (version === "1" ? 128 : 64))
      }
      expect(durationOf(36, ...ascii("VBRI"), ...zeros(10), ...bigEndian(1000, 4))).toBeCloseTo(lasting)
    }
  )

  it("of more than one bitrate, with no count of its frames, does not tell its length", () => {
    const frames = [...filled(frame("1", 9, 0, false), 417), ...filled(frame("1", 10, 0, false), 522)]
    expect(read(frames)).toMatchObject({ sampleRate: 44_100, channels: 2, durationMillis: undefined })
  })

  it("begins behind its tag, whatever looks like a frame in that", () => {
    const frames = [...filled(frame("1", 9, 0, false), 417), ...filled(frame("1", 9, 0, false), 417)]
    const tag = (flags: number, footer: number) => [
      ...ascii("ID3"),
      4,
      0,
      flags,
      ...[0, 0, 2, 44],
      ...filled(frame("1", 1, 2, true), 144),
      ...filled(frame("1", 1, 2, true), 144),
      ...zeros(12 + footer)
    ]
    for (const bytes of [
      [...tag(0, 0), ...frames],
      [...tag(0x10, 10), ...frames]
    ]) {
      expect(read(bytes)).toMatchObject({ container: "mp3", sampleRate: 44_100, durationMillis: (2 * 417 * 8) / 128 })
    }
  })

  it("is looked for behind bits that only look like a frame", () => {
    const frames = [...filled(frame("1", 9, 0, false), 417), ...filled(frame("1", 9, 0, false), 417)]
    const tag = [...ascii("ID3"), 4, 0, 0, ...zeros(4)]
    const stray = [...tag, ...frame("1", 1, 2, true)]
    const told = { sampleRate: 44_100, channels: 2, durationMillis: (2 * 417 * 8) / 128 }
    expect(read([...stray, ...frames])).toMatchObject(told)
    expect(read([...stray, ...zeros(400)])).toMatchObject({ container: "mp3", sampleRate: undefined })
    // The first of the bits that every frame begins with is not set.
    const other = filled(frame("1", 1, 2, true).with(0, 0x7f), 144)
    expect(read([...tag, ...other, ...other, ...frames])).toMatchObject(told)
  })

  it("may be a frame and less than the head of another, but not what is none", () => {
    const one = filled(frame("1", 9, 0, false), 417)
    expect(read(one)).toMatchObject({ sampleRate: 44_100, durationMillis: (417 * 8) / 128 })
    expect(read([...one, ...zeros(3)])).toMatchObject({ sampleRate: 44_100 })
    expect(read([...one, ...zeros(4)])).toMatchObject({ container: "mp3", sampleRate: undefined })
  })

  it.each([
    { what: "version", bits: 1 << 19, instead: 3 << 19 },
    { what: "layer", bits: 0, instead: 3 << 17 },
    { what: "bitrate", bits: 15 << 12, instead: 15 << 12 },
    { what: "bitrate that is free", bits: 0, instead: 15 << 12 },
    { what: "sample rate", bits: 3 << 10, instead: 3 << 10 }
  ])("has no $what that is reserved", ({ bits, instead }) => {
    const valid = frame("1", 9, 0, false)
    const header = valid.reduce((value, byte) => value * 256 + byte, 0)
    const reserved = bigEndian(((header & ~instead) | bits) >>> 0, 4)
    expect(read(filled(valid, 417)).container).toBe("mp3")
    expect(read(filled(reserved, 417)).container).toBeUndefined()
  })

  it("tells the number of its frames as long as that is there to the last byte", () => {
    const durationOf = (at: number, content: ReadonlyArray<number>) => {
      const whole = filled(frame("1", 9, 0, false), 417, at, ...content).slice(0, at + content.length)
      return [whole, whole.slice(0, -1)].map((bytes) => read(bytes).durationMillis)
    }
    const lasting = ((1000 * 1152) / 44_100) * 1000
    const bySize = (length: number) => (length * 8) / 128
    const xing = [...ascii("Xing"), ...bigEndian(1, 4), ...bigEndian(1000, 4)]
    expect(durationOf(36, xing)).toEqual([lasting, bySize(36 + 11)])
    const vbri = [...ascii("VBRI"), ...zeros(10), ...bigEndian(1000, 4)]
    expect(durationOf(36, vbri)).toEqual([lasting, bySize(36 + 17)])
  })
})

describe("an Ogg", () => {
  const page = (position: ReadonlyArray<number>, serial: number, packet: ReadonlyArray<number>) => [
    ...ascii("OggS"),
    ...zeros(2),
    ...position,
    ...bigEndian(serial, 4),
    ...zeros(8),
    1,
    packet.length,
    ...packet
  ]
  const at = (position: number) => littleEndian(position, 8)
  const inside = Array.from({ length: 8 }, () => 255)
  const opus = (rate: number, channels = 1, skipped = 312) => [
    ...ascii("OpusHead"),
    1,
    channels,
    ...littleEndian(skipped, 2),
    ...littleEndian(rate, 4)
  ]
  const speex = [...ascii("Speex   "), ...zeros(28), ...littleEndian(8000, 4), ...zeros(8), ...littleEndian(1, 4)]

  it("of Opus is told by the rate of what was encoded, or else by that of what is decoded", () => {
    const end = page(at(48_000 + 312), 7, [])
    const told = { container: "ogg", channels: 1, durationMillis: 1000 }
    expect(read([...page(at(0), 7, opus(8000)), ...end])).toMatchObject({ ...told, sampleRate: 8000 })
    expect(read([...page(at(0), 7, opus(0)), ...end])).toMatchObject({ ...told, sampleRate: 48_000 })
    expect(read([...page(at(0), 7, opus(8000)), ...page(at(100), 7, [])])).toMatchObject({ durationMillis: 0 })
  })

  it("of Speex is told too", () => {
    const bytes = [...page(at(0), 7, speex), ...page(at(4000), 7, [])]
    expect(read(bytes)).toMatchObject({ sampleRate: 8000, channels: 1, durationMillis: 500 })
  })

  it("ends with the last page of its own stream that ends a packet", () => {
    const durationOf = (...pages: ReadonlyArray<ReadonlyArray<number>>) =>
      read([...page(at(0), 7, speex), ...pages.flat()]).durationMillis
    expect(durationOf(page(at(4000), 7, []), page(at(8000), 8, []))).toBe(500)
    expect(durationOf(page(at(4000), 7, []), page(inside, 7, []))).toBe(500)
    expect(durationOf(page(at(4000), 7, []), page(at(8000), 7, []).slice(0, 26))).toBe(500)
    expect(durationOf()).toBe(0)
    expect(read(page(inside, 7, speex)).durationMillis).toBeUndefined()
    expect(read(page(at(4000), 7, speex)).durationMillis).toBe(500)
  })

  it("whose end has not come yet does not tell its length", () => {
    const bytes = [...page(at(0), 7, speex), ...page(at(4000), 7, []), ...page(at(8000), 7, [])]
    expect(readOf(bytes, bytes.length).durationMillis).toBe(1000)
    expect(readOf(bytes.slice(0, -1), bytes.length).durationMillis).toBeUndefined()
  })

  it("whose first packet is cut, or of a codec that is not known, is an Ogg and no more", () => {
    const nothing = { container: "ogg", sampleRate: undefined, channels: undefined, durationMillis: undefined }
    const other = [...ascii("other codec"), ...Array.from({ length: 50 }, () => 1)]
    for (const packet of [opus(8000).slice(0, 15), speex.slice(0, 51), other]) {
      expect(read(page(at(0), 7, packet))).toMatchObject(nothing)
    }
    expect(read(page(at(0), 7, opus(8000)))).toMatchObject({ sampleRate: 8000, channels: 1 })
    expect(read(page(at(0), 7, speex))).toMatchObject({ sampleRate: 8000, channels: 1 })
    const vorbis = [1, ...ascii("vorbis"), ...zeros(4), 2, ...littleEndian(8000, 4)]
    expect(read(page(at(0), 7, vorbis))).toMatchObject({ sampleRate: 8000, channels: 2 })
    expect(read(page(at(0), 7, vorbis.slice(0, 15)))).toMatchObject(nothing)
  })
})

describe("a WebM", () => {
  /** An element, whose size is written in one byte, or in eight. */
  const element = (id: number, content: ReadonlyArray<number>, wide = false): ReadonlyArray<number> => {
    const idLength = Math.ceil((32 - Math.clz32(id)) / 8)
    const size = wide ? [1, ...bigEndian(content.length, 7)] : [0x80 | content.length]
    return [...bigEndian(id, idLength), ...size, ...content]
  }
  const beginning = element(0x1a45dfa3, [])
  const segment = (...content: ReadonlyArray<ReadonlyArray<number>>) => [
    ...beginning,
    ...element(0x18538067, content.flat(), true)
  ]
  const float = (value: number, length: 4 | 8) => {
    const view = new DataView(new ArrayBuffer(length))
    if (length === 4) view.setFloat32(0, value)
    else view.setFloat64(0, value)
    return [...new Uint8Array(view.buffer)]
  }
  const scale = (nanoseconds: number) => element(0x2ad7b1, bigEndian(nanoseconds, 3))
  const info = (...content: ReadonlyArray<ReadonlyArray<number>>) => element(0x1549a966, content.flat())
  const duration = (ticks: ReadonlyArray<number>) => element(0x4489, ticks)
  const rate = (value: ReadonlyArray<number>) => element(0xb5, value)
  const channels = (count: number) => element(0x9f, [count])
  const audio = (...content: ReadonlyArray<ReadonlyArray<number>>) => element(0xe1, content.flat())
  const tracks = (...content: ReadonlyArray<ReadonlyArray<number>>) =>
    element(
      0x1654ae6b,
      content.flatMap((track) => element(0xae, track))
    )
  const cluster = element(0x1f43b675, zeros(5))

  it("tells its format and its length in floats of either width, and in ticks of its own", () => {
    const told = { container: "webm", sampleRate: 16_000, channels: 2 }
    const format = tracks(audio(rate(float(16_000, 4)), channels(2)))
    const lasting = (...content: ReadonlyArray<ReadonlyArray<number>>) => read(segment(info(...content), format))
    expect(lasting(duration(float(1500, 8)))).toMatchObject({ ...told, durationMillis: 1500 })
    expect(lasting(duration(float(1500, 4)))).toMatchObject({ ...told, durationMillis: 1500 })
    expect(lasting(scale(500_000), duration(float(1500, 4)))).toMatchObject({ ...told, durationMillis: 750 })
    expect(lasting(duration(float(-1, 8)))).toMatchObject({ ...told, durationMillis: undefined })
    expect(lasting(duration(zeros(3)))).toMatchObject({ ...told, durationMillis: undefined })
    expect(lasting()).toMatchObject({ ...told, durationMillis: undefined })
  })

  it("is told by its first track of sound, of 8 kHz and one channel where it does not say", () => {
    const sound = audio(channels(2), rate(float(48_000, 8)))
    expect(read(segment(tracks([], sound)))).toMatchObject({ sampleRate: 48_000, channels: 2 })
    expect(read(segment(tracks(audio(), sound)))).toMatchObject({ sampleRate: 8000, channels: 1 })
    expect(read(segment(tracks(audio())))).toMatchObject({ sampleRate: 8000, channels: 1 })
    expect(read(segment(tracks([])))).toMatchObject({ sampleRate: undefined, channels: undefined })
  })

  it("is read up to its first samples, or to what can't be", () => {
    const after = info(duration(float(1500, 8)))
    expect(read(segment(after)).durationMillis).toBe(1500)
    expect(read(segment(cluster, after)).durationMillis).toBeUndefined()
    // No id is longer than four bytes, and no size than eight.
    const long = [[0x08, 0, 0, 0, 1], [0]].map((id) => [...id, 0x80])
    for (const wrong of long) expect(read(segment(wrong, after)).durationMillis).toBeUndefined()
  })
})

it("a FLAC of an unknown number of frames tells no length", () => {
  const info = (frames: number, beyond = 0, rate = 8000) => {
    const packed = (rate << 12) | (0 << 9) | (15 << 4) | beyond
    return [...ascii("fLaC"), 0, 0, 0, 34, ...zeros(10), ...bigEndian(packed, 4), ...bigEndian(frames, 4)]
  }
  const told = { container: "flac", sampleRate: 8000, channels: 1 }
  expect(read(info(4000))).toMatchObject({ ...told, durationMillis: 500 })
  expect(read(info(4000, 1))).toMatchObject({ ...told, durationMillis: 500 + 2 ** 32 / 8 })
  expect(read(info(0))).toMatchObject({ ...told, durationMillis: undefined })
  expect(read(info(4000, 0, 0))).toMatchObject({ sampleRate: undefined, durationMillis: undefined })
  expect(read(info(4000).with(4, 0x80))).toMatchObject({ ...told, durationMillis: 500 })
  expect(read(info(4000).with(4, 1))).toMatchObject({ sampleRate: undefined })
  expect(read(info(4000).slice(0, -1))).toMatchObject({ sampleRate: undefined })
})
