/**
 * Prepares a prompt for a telephone line with audio-codec alone: reads a stereo WAV file, mixes it down, trims it, fades it,
 * resamples it, measures its loudness and its pauses, cuts it there and writes each piece.
 */

import assert from "node:assert/strict"
import { FileSystem } from "@effect/platform"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioFormat, Channels, Pcm, PcmStream, Quiet, Resampler, Silence, Wav } from "@effect-speech/audio-codec"
import { Chunk, Console, Effect, Either, Equal, pipe, Stream } from "effect"

const stereo = new AudioFormat.AudioFormat({ sampleRate: 44_100, channels: 2, encoding: "pcm16" })
const mono = new AudioFormat.AudioFormat({ sampleRate: 8000, channels: 1, encoding: "pcm16" })

/** A tone of 440 Hz in both channels, in interleaved samples. */
export const tone = (seconds: number) =>
  Float32Array.from(
    { length: Math.round(seconds * stereo.sampleRate) * 2 },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * 440 * Math.floor(index / 2)) / stereo.sampleRate)
  )

/** Two tones with a pause of 700 ms, and half a second of silence at each end. */
export const source = PcmStream.concat([
  PcmStream.silence(stereo, "500 millis"),
  PcmStream.fromBytes(stereo, Pcm.encode(tone(1), "pcm16").bytes),
  PcmStream.silence(stereo, "700 millis"),
  PcmStream.fromBytes(stereo, pipe(tone(1.5), Pcm.encode("pcm16")).bytes),
  PcmStream.silence(stereo, "500 millis")
])

/** Root mean square in dB below a full scale. */
export const loudness = (samples: Float32Array) =>
  10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

export const prepared = (path: string) =>
  Effect.gen(function* () {
    const audio = yield* Wav.readFile(path)
    const trimmed = audio.pipe(PcmStream.trim({ keep: "20 millis" }), PcmStream.fade({ in: "10 millis", out: 10 }))
    return yield* Pcm.decodeStream(trimmed).pipe(
      Stream.map(Channels.mixdown(audio.format.channels)),
      Resampler.resampleStream({ from: audio.format.sampleRate, to: mono.sampleRate }),
      Pcm.collectSamples
    )
  }).pipe(Effect.scoped)

export const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const written = yield* source.pipe(Wav.writeFile(`${folder}/source.wav`))
  assert.equal(written.durationMillis, 4200)
  assert.equal(AudioFormat.durationMillis(written.format, written.dataLength), 4200)

  const trimmed = source.pipe(PcmStream.trim(), PcmStream.fade())
  const sameTrimmed = PcmStream.fade(PcmStream.trim(source))
  assert.deepEqual(yield* PcmStream.collect(trimmed), yield* PcmStream.collect(sameTrimmed))

  const samples = yield* prepared(written.path)
  assert.ok(Math.abs(samples.length / 8 - 3240) < 40, `${samples.length / 8} ms`)
  const pauses = Silence.pauses(samples, mono.sampleRate)
  assert.ok(Equal.equals(pauses[0], pipe(samples, Silence.pauses(mono.sampleRate))[0]))
  assert.equal(pauses.length, 1)
  const [pause] = pauses
  assert.ok(pause !== undefined && Math.abs((pause.endSample - pause.startSample) / 8 - 700) < 30)
  assert.ok(Math.abs(loudness(samples.subarray(800, pause.startSample - 800)) + 9.03) < 0.1)

  const pieces = yield* Quiet.cutStream(Stream.make(samples), mono.sampleRate, { maximum: "2 seconds" }).pipe(
    Stream.runCollect
  )
  assert.deepEqual(
    Chunk.toReadonlyArray(pieces).map(({ ending }) => ending),
    ["pause", "end"]
  )
  const files = yield* Effect.forEach(pieces, ({ samples: piece, startSample }) =>
    Stream.make(piece).pipe(Pcm.encodeStream(mono), Wav.writeFile(`${folder}/${startSample}.wav`))
  )
  assert.equal(
    files.reduce((sum, { dataLength }) => sum + dataLength, 0),
    samples.length * 2
  )

  const first = yield* fs.readFile(`${folder}/0.wav`)
  const decoded = yield* Wav.decode(first)
  assert.ok(Equal.equals(decoded.format, mono))
  assert.deepEqual(Wav.encode(decoded.bytes, decoded.format), pipe(decoded.bytes, Wav.encode(decoded.format)))
  assert.deepEqual(Wav.encode(decoded.bytes, decoded.format), Uint8Array.from(first))
  const notWav = Wav.decode(new Uint8Array(100))
  assert.ok(Either.isLeft(notWav) && notWav.left.reason === "NotWav")
  yield* Console.log(`ok prompts ${files.length} pieces of ${AudioFormat.describe(mono)}`)
})

program.pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer), NodeRuntime.runMain)
