import { readFileSync } from "node:fs"
import { Container } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

// Headers that no available encoder writes are made byte by byte, from text and numbers.
export type Bytes = ReadonlyArray<number>
export const ascii = (text: string): Bytes => Array.from(text, (character) => character.charCodeAt(0))
// `concat` copies arrays as a whole, where `flatMap` reads each number.
const nothing: Bytes = []
export const join = (...parts: ReadonlyArray<string | Bytes>): Array<number> =>
  nothing.concat(...parts.map((part) => (typeof part === "string" ? ascii(part) : part)))
export const repeat = (count: number, ...parts: ReadonlyArray<string | Bytes>): Array<number> =>
  join(...Array<Bytes>(count).fill(join(...parts)))
export const zeros = (length: number) => Array<number>(length).fill(0)
export const ones = (length: number) => Array<number>(length).fill(255)
export const bigEndian = (value: number, length: number): Bytes =>
  Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)) % 256)
export const littleEndian = (value: number, length: number) => bigEndian(value, length).toReversed()
export const uint32 = (value: number) => bigEndian(value, 4)

/** The header of a recording, and what was read for it. */
export const readCounting = (bytes: Uint8Array, byteLength: number | undefined) => {
  const counted = { reads: 0, length: 0 }
  const read = (offset: number, length: number) => {
    counted.reads++
    counted.length += length
    return Effect.succeed(bytes.subarray(offset, offset + length))
  }
  return { header: Effect.runSync(Container.readHeader({ byteLength, read })), ...counted }
}
export const readHeader = (bytes: Uint8Array, byteLength: number | undefined) => readCounting(bytes, byteLength).header
export const readWhole = (bytes: Uint8Array) => readHeader(bytes, bytes.byteLength)
export const read = (...parts: ReadonlyArray<string | Bytes>) => readWhole(Uint8Array.from(join(...parts)))
export const durationOf = (...parts: ReadonlyArray<string | Bytes>) => read(...parts).durationMillis

export const reasonOf = (bytes: Uint8Array) => {
  const container = Option.getOrUndefined(Container.sniff(bytes))
  if (container === undefined) return "no container"
  const checked = Container.checkStructure(Container.fromBytes(bytes, bytes.byteLength), container)
  return Effect.runSync(Effect.match(checked, { onFailure: ({ reason }) => reason, onSuccess: () => "whole" }))
}
export const reason = (...parts: ReadonlyArray<string | Bytes>) => reasonOf(Uint8Array.from(join(...parts)))

export const recording = (name: string) => new Uint8Array(readFileSync(new URL(`recordings/${name}`, import.meta.url)))

export const synchsafe = (value: number) => [21, 14, 7, 0].map((shift) => (value >>> shift) & 127)
/** Bytes of a picture, in which nothing looks like a frame. */
export const picture = (length: number) => Array.from({ length }, (_, index) => (index * 31) % 251)
export const id3 = (length: number, version = 4, flags = 0) =>
  join("ID3", [version, 0, flags], synchsafe(length), picture(length))
export const apeEdge = (size: number, flags: number) =>
  join("APETAGEX", littleEndian(2000, 4), littleEndian(size + 32, 4), zeros(7), [flags], zeros(8))
/** An APE tag has a header (bit 7) that is marked (bit 5), and a footer. */
export const ape = (length: number) => join(apeEdge(length, 0xa0), picture(length), apeEdge(length, 0x80))
export const id3v1 = join("TAG", zeros(125))
