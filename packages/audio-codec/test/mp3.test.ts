import { describe, expect, it } from "@effect/vitest"
import { Container } from "@effect-speech/audio-codec"
import * as Option from "effect/Option"
import {
  ape,
  apeEdge,
  type Bytes,
  durationOf,
  id3,
  id3v1,
  join,
  picture,
  read,
  readHeader,
  readWhole,
  reason,
  recording,
  repeat,
  synchsafe,
  uint32,
  zeros
} from "./containerBytes.js"

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
    expect(Container.sniff(Uint8Array.from(join(before, frames)))).toEqual(Option.some("mp3"))
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
