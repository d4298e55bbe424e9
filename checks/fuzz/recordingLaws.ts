import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Container } from "@effect-speech/audio-codec"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import * as Recording from "@effect-speech/stt/Recording"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { damaged } from "../../packages/audio-codec/test/damaged.js"
import { cutAt, damagedFile } from "../../packages/audio-codec/test/wavArbitrary.js"
import { bytesUpTo, joined, pieceSizes, weighted } from "./arbitraries.js"
import { law, runnerOf, type Topic, temporaryFolder } from "./law.js"

const folders = ["../../packages/audio-codec/test/recordings/", "../../packages/audio-decoder/test/recordings/"]

/** Short real recordings of every container. */
const recordings: ReadonlyArray<Buffer> = folders.flatMap((folder) => {
  const place = new URL(folder, import.meta.url)
  return readdirSync(place).map((name) => readFileSync(new URL(name, place)))
})

/** Whole fields with impossible values, which random bytes would seldom give. */
const fields = [
  // WebM: a negative duration, an invalid or negative rate, no channels.
  ...["\x44\x89\x84\xbf\x80\0\0", "\xb5\x84\x7f\xc0\0\0", "\xb5\x88\xc0\x50\0\0\0\0\0\0", "\x9f\x81\0", "\x9f\x80"]
]

const words = [
  ...["RIFF", "RIFX", "RF64", "WAVE", "fmt ", "data", "LIST", "fLaC", "OggS", "OpusHead", "\x01vorbis", "Speex   "],
  ...["ID3", "Xing", "Info", "VBRI", "\xff\xfb\x90\x64", "\xff\xf3\x10\xc4"],
  ...["ID3\x04\0\0\0\0\0\x09", "APETAGEX", "TAG", "LYRICSBEGIN", "000020LYRICS200", "LYRICSEND", "3DI"],
  ..."ftyp moov mvhd mvex trak mdia mdhd hdlr soun minf stbl stsd mp4a esds moof \0\0\0\0moov \0\0\0\x01moov".split(
    " "
  ),
  ...["\x1a\x45\xdf\xa3", "\x18\x53\x80\x67", "\x15\x49\xa9\x66", "\x16\x54\xae\x6b", "\x1f\x43\xb6\x75"],
  ...["\xae", "\xe1", "\xb5", "\x9f", "\x44\x89"]
]

/** The first bytes of every container, so that the following bytes are read as one. */
const beginnings = FastCheck.constantFrom(
  ...["RIFF\0\0\0\0WAVE", "RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0", "fLaC\0\0\0\x22", "OggS\0\x02", "ID3\x04\0\0"],
  ...["\xff\xfb\x90\x64", "\0\0\0\x10ftypM4A \0\0\0\0", "\0\0\0\x08ftyp"],
  ...["\x1a\x45\xdf\xa3\x80", "\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff"]
).map((head) => Buffer.from(head, "latin1"))

const scraps = joined(
  40,
  bytesUpTo(12),
  FastCheck.constantFrom(...words, ...fields).map((word) => Buffer.from(word, "latin1"))
)

/** One element repeated, which keeps a reader busy: boxes of 8 bytes, empty elements, pages, frames. */
const endless = FastCheck.tuple(
  beginnings,
  FastCheck.constantFrom(
    ...["\0\0\0\x08free", "\0\0\0\x08moov", "\xec\x80", "\xae\x80", "\xff\xfb\x90\x64", "LIST\0\0\0\0"]
  ),
  FastCheck.nat(3000)
).map(([head, word, times]) => Buffer.concat([head, Buffer.from(word.repeat(times), "latin1")]))

/** Damaged recordings, fragments of recordings, and other bytes. */
export const anyRecording: FastCheck.Arbitrary<Uint8Array> = weighted<Uint8Array>(
  [1, FastCheck.constantFrom(...recordings)],
  [4, damaged(FastCheck.constantFrom(...recordings), [...words, ...fields])],
  [2, FastCheck.tuple(beginnings, scraps).map((parts) => Buffer.concat(parts))],
  [1, damagedFile],
  [1, endless],
  [1, scraps],
  [1, FastCheck.uint8Array({ maxLength: 400 })]
)

/** Number of bytes that are read of a recording, at most. */
const longestRead = 256 * 1024

const isRecording = Schema.is(Schema.Struct(Recording.Recording.fields))

export const recordingLaws: Topic = Effect.gen(function* () {
  const run = yield* runnerOf(NodeFileSystem.layer)
  const folder = yield* temporaryFolder
  const path = join(folder, "recording")

  return {
    "any bytes have a description that a recording can have, the same from a file, from bytes and from a stream": law(
      20,
      FastCheck.asyncProperty(
        anyRecording.filter(({ byteLength }) => byteLength > 0),
        pieceSizes,
        (bytes, sizes) =>
          run(
            Effect.gen(function* () {
              writeFileSync(path, bytes)
              // A long recording, too, comes in some hundred pieces.
              const scale = Math.ceil(bytes.byteLength / 500)
              const pieces = cutAt(
                bytes,
                sizes.map((size) => size * scale)
              )
              const stream = Stream.fromIterable(pieces)
              const sources = [
                AudioSource.fromBytes(bytes),
                AudioSource.fromPath(path),
                AudioSource.fromBlob(new Blob([Uint8Array.from(bytes)])),
                AudioSource.fromStream(stream),
                AudioSource.fromStream(stream, { byteLength: bytes.byteLength })
              ]
              const inspected = yield* Effect.forEach(sources, Recording.inspect)
              const [first] = inspected
              if (!isRecording(first) || first.bytes !== bytes.byteLength) throw new Error(JSON.stringify(first))
              const different = inspected.find((one) => JSON.stringify(one) !== JSON.stringify(first))
              if (different) throw new Error(`${JSON.stringify(different)} against ${JSON.stringify(first)}`)
            })
          )
      )
    ),

    "any bytes have a header in at most a thousand reads, for any claimed length, and a structure that is whole or not":
      law(
        200,
        FastCheck.property(
          anyRecording,
          FastCheck.oneof(
            FastCheck.constant(undefined),
            FastCheck.nat(100_000),
            FastCheck.constantFrom(2 ** 32, 2 ** 40, Number.MAX_SAFE_INTEGER)
          ),
          (bytes, claimed) => {
            let reads = 0
            let read = 0
            const readPart = (offset: number, length: number) =>
              Effect.sync(() => {
                if (!(Number.isSafeInteger(length) && length >= 0 && offset >= 0))
                  throw new RangeError(`${offset}, ${length}`)
                const part = bytes.subarray(offset, offset + length)
                reads++
                read += length
                return part
              })
            const header = Effect.runSync(Container.readHeader({ byteLength: claimed, read: readPart }))
            if (reads > 1000 || read > longestRead) throw new Error(`${reads} reads of ${read} bytes`)
            if (!isRecording(header)) throw new Error(JSON.stringify(header))
            const container = Option.getOrUndefined(Container.sniff(bytes))
            if (container === undefined) return
            const recording = Container.fromBytes(bytes, bytes.byteLength)
            const structure = Effect.runSync(Effect.either(Container.checkStructure(recording, container)))
            return structure._tag === "Right" || structure.left.container === container
          }
        )
      )
  }
})
