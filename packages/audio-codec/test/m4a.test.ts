import { describe, expect, it } from "@effect/vitest"
import {
  type Bytes,
  bigEndian,
  durationOf,
  id3v1,
  join,
  ones,
  read,
  readCounting,
  readHeader,
  reason,
  repeat,
  uint32,
  zeros
} from "./containerBytes.js"

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
