import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { withOpenedFiles } from "effect-speech-test-support/openedFiles"

/** Recordings, and file systems, for the tests of sources. */

export const stereo48k: AudioFormat.AudioFormat = { sampleRate: 48_000, channels: 2, encoding: "pcm16" }
export const tone = (seconds: number, format = stereo48k): Uint8Array => {
  const samples = new Float32Array(seconds * format.sampleRate * format.channels)
  for (let at = 0; at < samples.length; at++) {
    samples[at] = 0.5 * Math.sin((2 * Math.PI * 440 * Math.floor(at / format.channels)) / format.sampleRate)
  }
  return Wav.encode(Pcm.encode(samples, format.encoding).bytes, format)
}

export const wav = tone(0.1)
export const inChunks = (bytes: Uint8Array, size: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size)
    )
  )

/** Chunks in one Buffer, which each chunk overwrites. */
export const inOneBlock = (bytes: Uint8Array, size: number) =>
  Stream.suspend(() => {
    const block = Buffer.alloc(size)
    return Stream.map(Stream.rechunk(inChunks(bytes, size), 1), (part) => {
      block.fill(0).set(part)
      return block.subarray(0, part.length)
    })
  })

export const inSharedMemory = (bytes: Uint8Array) => {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}

/** A temporary file with `bytes`, and the file system. */
export const fileWith = (bytes: Uint8Array, suffix = "") =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* fs.makeTempFileScoped({ suffix })
    yield* fs.writeFile(path, bytes)
    return { fs, path }
  }).pipe(Effect.provide(NodeTransport.layer), Effect.orDie)

/** The recommended layer over another file system. */
export const withFiles = (fs: FileSystem.FileSystem) =>
  Layer.merge(NodeTransport.layer, Layer.succeed(FileSystem.FileSystem, fs))

/** A file system whose reads return at most `longest` bytes, and run `after`. */
export const reading = (
  fs: FileSystem.FileSystem,
  {
    after = Effect.void,
    longest = Number.POSITIVE_INFINITY
  }: { after?: Effect.Effect<void, PlatformError>; longest?: number }
) =>
  withOpenedFiles(fs, ({ read, readAlloc }) => ({
    read: (block: Uint8Array) => Effect.zipLeft(read(block.subarray(0, longest)), after),
    readAlloc: (size: FileSystem.SizeInput) => Effect.zipLeft(readAlloc(Math.min(Number(size), longest)), after)
  }))
