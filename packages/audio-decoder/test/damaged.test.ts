import { readFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as AudioDecoder from "@effect-speech/audio-codec/AudioDecoder"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import { NodeAudioDecoder } from "@effect-speech/audio-decoder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { noise } from "effect-speech-test-support/random"

const recording = (name: string) => readFileSync(new URL(`recordings/${name}`, import.meta.url))

const beginnings = {
  MP3: [0xff, 0xfb, 0x90, 0x64],
  "MP3 with a tag": [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0],
  M4A: [0, 0, 0, 16, 0x66, 0x74, 0x79, 0x70, 0x4d, 0x34, 0x41, 0x20, 0, 0, 0, 0],
  FLAC: [0x66, 0x4c, 0x61, 0x43],
  OGG: [0x4f, 0x67, 0x67, 0x53],
  WebM: [0x1a, 0x45, 0xdf, 0xa3]
}

/** Copies of a recording. In each, 32-bit numbers replace bytes, at offsets from the first occurrence of `word`. */
const patched = (name: string, word: string, ...patches: ReadonlyArray<Readonly<Record<number, number>>>) =>
  patches.map((patch) => {
    const bytes = Buffer.from(recording(name))
    const start = bytes.indexOf(word)
    for (const [offset, value] of Object.entries(patch)) bytes.writeUInt32BE(value, start + Number(offset))
    return bytes
  })

const fourBillion = 0xffffffff
const names = [
  "cat.flac",
  "cat.mp3",
  "cat.m4a",
  "cat.fragmented.m4a",
  "cat.opus.ogg",
  "cat.vorbis.ogg",
  "cat.flac.ogg",
  "cat.webm"
]

const damaged: ReadonlyArray<readonly [damage: string, variants: ReadonlyArray<Uint8Array>]> = [
  ...names.flatMap((name) => {
    const whole = recording(name)
    const broken = Uint8Array.from(whole)
    broken.set(noise(Math.min(400, broken.length - 12), 7), 12)
    return [
      [`${name} of which only a part is left`, [0.1, 0.5, 0.9].map((part) => whole.subarray(0, whole.length * part))],
      [`${name} with noise after 12 bytes`, [broken]],
      [`${name} with zeros after its first half`, [whole.map((byte, index) => (index < whole.length / 2 ? byte : 0))]]
    ] as const
  }),
  ...Object.entries(beginnings).map(
    ([container, beginning]) =>
      [
        `noise after the first bytes of ${container}`,
        [[...beginning, ...noise(30_000, 1)], [...beginning, ...noise(30_000, 2)], beginning].map((bytes) =>
          Uint8Array.from(bytes)
        )
      ] as const
  ),
  [
    "an M4A whose tables claim four billion samples",
    patched("cat.m4a", "stsz", { 12: fourBillion }, { 8: 8, 12: fourBillion })
  ],
  ["an M4A that claims four billion chunks", patched("cat.m4a", "stco", { 8: fourBillion })],
  [
    "an M4A whose fragments claim four billion samples",
    patched("cat.fragmented.m4a", "trun", { 4: 0, 8: fourBillion }, { 4: 0x201, 8: fourBillion })
  ]
]

layer(Layer.provideMerge(NodeAudioDecoder.layer, NodeFileSystem.layer))("a damaged recording", (it) => {
  it.scoped.each(damaged)("is an error that says so: %s", ([, variants]) =>
    Effect.gen(function* () {
      for (const bytes of variants) {
        const decoded = Effect.flatMap(AudioDecoder.decodeStream(Stream.make(bytes)), PcmStream.collect)
        const error = yield* Effect.flip(decoded)
        expect(error).toMatchObject({
          _tag: "AudioDecoderError",
          reason: expect.stringMatching(/^Un(readable|known)$/)
        })
        expect(error.message).toMatch(/^(The \w+ file can't be read: [a-z].+|This is not a recording.+)\.$/)
      }
    })
  )
})
