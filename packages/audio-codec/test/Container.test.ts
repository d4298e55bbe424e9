import { describe, expect, it } from "@effect/vitest"
import { Container, Wav } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  ape,
  id3,
  join,
  littleEndian,
  picture,
  read,
  readCounting,
  readWhole,
  reasonOf,
  recording,
  repeat,
  uint32,
  zeros
} from "./containerBytes.js"

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
    expect(Container.sniff(Uint8Array.from(join(beginning)))).toEqual(Option.fromNullable(container))
  })

  it("as WAV has the header of its format, also if its size is unknown or large, or a picture is before its samples", () => {
    const format = { sampleRate: 8000, channels: 2, encoding: "alaw" } as const
    for (const length of [3200, undefined, 2 ** 33]) {
      const header = { container: "wav", sampleRate: 8000, channels: 2, durationMillis: 200 }
      expect(read([...Wav.header(format, length)], zeros(3200))).toEqual(header)
    }
    expect(read([...Wav.header(format, 3200)].with(20, 49), zeros(3200))).toEqual({ container: "wav" })
    const [before, samples] = [Wav.header(format, 3200).subarray(0, 50), Wav.header(format, 3200).subarray(50)]
    const cover = join("id3 ", littleEndian(400_001, 4), picture(400_001), [0])
    const header = { container: "wav", sampleRate: 8000, channels: 2, durationMillis: 200 }
    expect(read([...before], cover, [...samples], zeros(3200))).toEqual(header)
  })

  it.each([
    ["of 5 kB", 100, 5000],
    ["of 0.9 kB", 400, 900]
  ])("as WAV has the header of its format behind chunks before its samples: %s", (_, count, length) => {
    const header = Wav.header({ sampleRate: 8000, channels: 2, encoding: "alaw" }, 3200)
    const chunks = repeat(count, "junk", littleEndian(length, 4), picture(length))
    const expected = { container: "wav", sampleRate: 8000, channels: 2, durationMillis: 200 }
    expect(read([...header.subarray(0, 50)], chunks, [...header.subarray(50)], zeros(3200))).toEqual(expected)
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
      expect(Container.sniff(bytes)).toEqual(Option.fromNullable(expected.container))
      expect(Effect.runSync(Container.detect(Container.fromBytes(bytes, bytes.byteLength)))).toEqual(
        Option.fromNullable(expected.container)
      )
      expect(reasonOf(bytes)).toBe("whole")
    }
  })

  it("is known behind a tag that is given to its end, and is an MP3 if it is not", () => {
    const bytes = Uint8Array.from([...id3(300), ...recording("tone.flac")])
    expect(Container.sniff(bytes.subarray(0, 100))).toEqual(Option.some("mp3"))
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

  it("is found behind 64 KiB of zeros, and not behind more, whatever it is", () => {
    for (const name of ["tone.flac", "opus.ogg", "tone.m4a", "fragments.m4a", "opus.webm"] as const) {
      const audio = [...recording(name).subarray(0, 4096)]
      const container = Option.getOrThrow(Container.sniff(Uint8Array.from(audio)))
      for (const length of [1, 3, 4, 100, 4095, 65_000, 65_533, 65_535, 65_536]) {
        expect(read(zeros(length), audio), `${name} after ${length}`).toMatchObject({ container })
      }
      expect(read(zeros(65_537), audio), name).toEqual({ container: undefined })
    }
    const ofSizeZero = ["\0\0\0\0mdat", zeros(100)] as const
    for (const length of [1, 4, 100]) expect(read(zeros(length), ...ofSizeZero)).toMatchObject({ container: "m4a" })
    const video = [0, 0, 1, 0xb3, ...zeros(200)]
    for (const length of [0, 1, 100]) expect(read(zeros(length), video)).toEqual({ container: undefined })
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
    expect(() => Effect.runSync(Container.checkStructure(source, "mp3"))).toThrow("unknown size")
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
