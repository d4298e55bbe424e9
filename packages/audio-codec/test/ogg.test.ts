import { describe, expect, it } from "@effect/vitest"
import {
  ascii,
  type Bytes,
  durationOf,
  id3v1,
  join,
  littleEndian,
  ones,
  picture,
  read,
  readHeader,
  readWhole,
  reason,
  repeat,
  uint32,
  zeros
} from "./containerBytes.js"

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
