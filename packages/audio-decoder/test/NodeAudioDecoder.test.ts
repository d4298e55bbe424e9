import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as AudioDecoder from "@effect-speech/audio-codec/AudioDecoder"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as NodeAudioDecoder from "@effect-speech/audio-decoder/NodeAudioDecoder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const pathOf = (name: string) => fileURLToPath(new URL(`recordings/${name}`, import.meta.url))
/** In seconds. */
const duration = (readFileSync(pathOf("cat.wav")).length - 44) / 16_000

layer(Layer.provideMerge(NodeAudioDecoder.layer, NodeFileSystem.layer))("the decoder of recordings", (it) => {
  it.scoped.each(["cat.mp3", "cat.m4a", "cat.flac", "cat.opus.ogg", "cat.vorbis.ogg", "cat.flac.ogg", "cat.webm"])(
    "decodes %s for audio-codec, also between tags",
    (name) =>
      Effect.gen(function* () {
        const audio = yield* AudioDecoder.decodeFile(pathOf(name))
        const { byteLength } = yield* PcmStream.collect(audio)
        expect(audio.format).toMatchObject({ channels: 1, encoding: "float32" })
        expect(Math.abs(byteLength / 4 / audio.format.sampleRate - duration)).toBeLessThan(0.15)
        if (name === "cat.m4a") return
        const id3 = Buffer.from("ID3\x04\0\0\0\0\0\x05notes", "latin1")
        const tagged = Buffer.concat([id3, id3, readFileSync(pathOf(name)), Buffer.from("TAG"), Buffer.alloc(125)])
        const decoded = yield* Effect.flatMap(AudioDecoder.decodeStream(Stream.make(tagged)), PcmStream.collect)
        expect(decoded.byteLength).toBe(byteLength)
      })
  )

  it.scoped("decodes an M4A whose offsets have 64 bits, as those of a file of more than 4 GB", () =>
    Effect.gen(function* () {
      const short = readFileSync(pathOf("cat.m4a"))
      const at = short.indexOf("stco") - 4
      // Its size and type, its version, one offset.
      const wide = Buffer.from([0, 0, 0, 24, ...Buffer.from("co64"), ...short.subarray(at + 8, at + 16), 0, 0, 0, 0])
      const long = Buffer.concat([short.subarray(0, at), wide, short.subarray(at + 16)])
      for (const box of ["moov", "trak", "mdia", "minf", "stbl"]) {
        const size = long.indexOf(box) - 4
        long.writeUInt32BE(long.readUInt32BE(size) + 4, size)
      }
      const decode = (bytes: Uint8Array) =>
        Effect.flatMap(AudioDecoder.decodeStream(Stream.make(bytes)), PcmStream.collect)
      expect(yield* decode(long)).toEqual(yield* decode(short))
    })
  )

  it.scoped("refuses an OGG Vorbis whose recordings have two rates, and decodes one whose recordings have one", () =>
    Effect.gen(function* () {
      const of24kHz = readFileSync(pathOf("cat.vorbis.ogg"))
      const of8kHz = readFileSync(new URL("../../audio-codec/test/recordings/vorbis.ogg", import.meta.url))
      const joined = (...recordings: ReadonlyArray<Uint8Array>) =>
        Effect.flatMap(AudioDecoder.decodeStream(Stream.fromIterable(recordings)), PcmStream.collect)
      expect((yield* joined(of24kHz, of24kHz)).byteLength / 4 / 24_000).toBeCloseTo(2 * duration, 1)
      for (const recordings of [
        [of8kHz, of24kHz],
        [of24kHz, of8kHz]
      ]) {
        expect((yield* Effect.flip(joined(...recordings))).message).toContain("its sample rate changes")
      }
    })
  )

  it.scoped("dies if its samples are read twice, and gives no part of them", () =>
    Effect.gen(function* () {
      const audio = yield* AudioDecoder.decodeFile(pathOf("cat.mp3"))
      yield* PcmStream.collect(audio)
      const again = yield* Effect.exit(PcmStream.collect(audio))
      expect(again.toString()).toContain("The stream of a recording's samples can run only once.")
    })
  )

  it.scoped("says that a file is gone, or is a folder", () =>
    Effect.gen(function* () {
      const { decodeFile } = yield* AudioDecoder.AudioDecoder
      for (const [path, problem] of [
        ["/nowhere/call.mp3", "it does not exist; check the path"],
        ["/", "it is a folder; give a file"]
      ] as const) {
        const error = yield* Effect.flip(decodeFile(path, "mp3"))
        expect(error).toMatchObject({ _tag: "AudioDecoderError", reason: "Unreadable", container: "mp3" })
        expect(error.message).toContain(`The MP3 file can't be read: ${problem}.`)
      }
    })
  )

  it.scoped("says that a recording is cut off", () =>
    Effect.gen(function* () {
      const half = readFileSync(pathOf("cat.mp3")).subarray(0, 2000)
      const error = yield* Effect.flip(Effect.flatMap(AudioDecoder.decodeStream(Stream.make(half)), PcmStream.collect))
      expect(error).toMatchObject({ _tag: "AudioDecoderError", reason: "Unreadable", container: "mp3" })
      expect(error.message).toContain("The MP3 file can't be read: it ends early.")
    })
  )
})
