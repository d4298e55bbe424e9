import { describe, expect, it } from "@effect/vitest"
import { type Bytes, bigEndian, durationOf, join, read, reason, uint32, zeros } from "./containerBytes.js"

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
