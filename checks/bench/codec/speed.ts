/** The speed of the codec. Each function measures one part of it, and prints its tables and bars. */
import { readFileSync, rmSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { bar, title } from "effect-speech-test-support/report"
import { checkMemory, compare, execute, executeCase, type Push, programVersions } from "./harness.js"
import { toTelephony, write } from "./ours.js"
import { decodeByNodeWav, pcmConvert, speex } from "./peers/index.js"
import { channels, makeSignal, rate, seconds, writeRecording } from "./signal.js"

const total = rate * seconds * channels
const folder = temporaryFolder("bench-codec-")
const output = join(folder, "out.wav")
// To replace a file costs a flush of what another contestant has written.
const before = () => rmSync(output, { force: true })

/** The recording that is read. */
const recording = () => {
  const path = join(folder, "in.wav")
  writeRecording(path)
  return path
}

export const conversion = async () => {
  for (const length of [2 ** 16, 2 ** 20]) {
    const samples = new Float32Array(length)
    const second = makeSignal()
    for (let offset = 0; offset < length; ) {
      const part = second().subarray(0, length - offset)
      samples.set(part, offset)
      offset += part.length
    }
    const bytes = new Uint8Array(2 * length)
    const floats = new Float32Array(length)
    const blocks = Math.ceil(total / length)
    const all = (convertBlock: () => void) => () => {
      for (let block = 0; block < blocks; block++) convertBlock()
    }
    title(`float32 to int16, ${blocks} blocks of ${length} samples in reused memory`)
    const medianOf = await compare(
      [
        { name: "Pcm.encodeInto", run: all(() => Pcm.encodeInto(samples, "pcm16", bytes)) },
        { name: "Float32Array.set", run: all(() => floats.set(samples)) },
        { name: "pcm-convert", run: all(() => pcmConvert(samples)) }
      ],
      { rounds: 7, unit: "Msamples/s", speed: (milliseconds) => (blocks * length) / milliseconds / 1000 }
    )
    const ours = medianOf("Pcm.encodeInto")
    const limit = ours / medianOf("Float32Array.set")
    const peer = medianOf("pcm-convert") / ours
    bar("at most 1.5 times Float32Array.set", limit <= 1.5, `${limit.toFixed(2)}x`)
    bar("10 times as fast as pcm-convert", peer >= 10, `${peer.toFixed(1)}x`)
  }
}

export const wav = async () => {
  const file16 = new Uint8Array(readFileSync(recording()))
  const { bytes, format } = Either.getOrThrow(Wav.decode(file16))
  const file24 = Wav.encode(Pcm.encode(Pcm.decode(bytes, "pcm16"), "pcm24").bytes, { ...format, encoding: "pcm24" })
  const block = new Float32Array(2 ** 16 * channels)
  for (const [bits, file] of [[16, file16] as const, [24, file24] as const]) {
    title(`WAV to float32, 10 minutes of ${bits}-bit stereo at 48 kHz in memory`)
    const medianOf = await compare(
      [
        {
          name: "Wav.decode, Pcm.decodeInto in blocks",
          run: () => {
            const { bytes, format } = Either.getOrThrow(Wav.decode(file))
            const size = (block.length * bits) / 8
            for (let offset = 0; offset < bytes.byteLength; offset += size) {
              Pcm.decodeInto(bytes.subarray(offset, offset + size), format.encoding, block)
            }
          }
        },
        {
          name: "Wav.decode, Pcm.decode as a whole",
          run: () => {
            const { bytes, format } = Either.getOrThrow(Wav.decode(file))
            return Pcm.decode(bytes, format.encoding)
          }
        },
        { name: "node-wav", run: () => decodeByNodeWav(file) }
      ],
      { rounds: 5, unit: "Msamples/s", speed: (milliseconds) => total / milliseconds / 1000 }
    )
    const inBlocks = medianOf("node-wav") / medianOf("Wav.decode, Pcm.decodeInto in blocks")
    bar("in blocks 5 times as fast as node-wav", inBlocks >= 5, `${inBlocks.toFixed(1)}x`)
  }
}

export const writing = async () => {
  const bytes = 2 ** 30
  for (const size of [64 * 1024, 256 * 1024]) {
    const samples = makeSignal()().slice(0, size / 4)
    const chunk = new Uint8Array(samples.buffer)
    const count = bytes / size
    title(`1 GiB of float32 to a WAV file, in ${count} chunks of ${size / 1024} KiB`)
    const medianOf = await compare(
      [
        {
          name: "Wav.writeFile of a stream",
          before,
          run: () => Effect.runPromise(Effect.provide(write(samples, count, output), NodeFileSystem.layer))
        },
        {
          name: "FileHandle.write, awaited",
          before,
          run: async () => {
            const file = await open(output, "wx")
            for (let written = 0; written < count; written++) await file.write(chunk)
            await file.close()
          }
        }
      ],
      { rounds: 7, maximumMillis: 8000, unit: "MB/s", speed: (milliseconds) => bytes / milliseconds / 1000 }
    )
    const limit = medianOf("Wav.writeFile of a stream") / medianOf("FileHandle.write, awaited")
    bar("at most 1.3 times the bare write calls", limit <= 1.3, `${limit.toFixed(2)}x`)
    before()
    checkMemory(executeCase("write", output, `${size}`, `${count}`))
    before()
  }
}

export const telephony = async () => {
  const input = recording()
  const installed = programVersions()
  let peak = 0
  const programs = [
    { name: "sox", run: () => execute("sox", "-D", input, "-r", "8000", "-c", "1", "-b", "16", output) },
    {
      name: "ffmpeg",
      run: () => execute("ffmpeg", "-v", "error", "-y", "-i", input, "-ar", "8000", "-ac", "1", output)
    }
  ].filter(({ name }) => name in installed)
  const contestants = [
    {
      name: "Telephony.readFile to Wav.writeFile",
      run: () => Effect.runPromise(Effect.provide(toTelephony(input, output), NodeFileSystem.layer))
    },
    {
      name: "the same as a process, with its start",
      run: () => {
        peak = executeCase("telephony", input, output)
      }
    },
    ...programs
  ]
  /** Each contestant must have written the whole output, and not the whole input. */
  const checked = contestants.map(({ name, run }) => ({
    name,
    before,
    run: async () => {
      await run()
      const { size } = statSync(output)
      if (Math.abs(size - seconds * 8000 * 2) > 4096) throw new Error(`${name} wrote ${size} bytes.`)
    }
  }))
  title("10 minutes of 16-bit stereo at 48 kHz to 16-bit mono at 8 kHz, from file to file")
  const medianOf = await compare(
    [...checked, { name: "cp, only a copy", before, run: () => execute("cp", input, output) }],
    { rounds: 9, maximumMillis: 10_000, unit: "x real time", speed: (milliseconds) => (seconds * 1000) / milliseconds }
  )
  const ours = medianOf("Telephony.readFile to Wav.writeFile")
  const started = medianOf("the same as a process, with its start")
  const limit = ours / medianOf("cp, only a copy")
  bar("at most 4 times cp", limit <= 4, `${limit.toFixed(2)}x`)
  for (const { name } of programs) {
    const peer = medianOf(name)
    bar(`faster than ${name}, in a running process`, ours < peer, `${(peer / ours).toFixed(1)}x`)
    bar(`faster than ${name}, both with their start`, started < peer, `${(peer / started).toFixed(1)}x`)
  }
  checkMemory(peak)
}

export const resampling = async () => {
  const blocks = 120
  const block = makeSignal()().subarray(0, 8192)
  const pushAll = (push: Push) => () => {
    for (let count = 0; count < blocks; count++) push(block)
  }
  const optionsOf = (from: number) => ({
    rounds: 15,
    unit: "x real time",
    speed: (milliseconds: number) => ((blocks * block.length) / from / milliseconds) * 1000
  })
  for (const { from, required, to } of [
    { from: 44_100, to: 8000, required: 5 },
    { from: 22_050, to: 24_000, required: 3 }
  ]) {
    title(`${from} Hz to ${to} Hz, ${blocks} blocks of ${block.length} mono samples`)
    const medianOf = await compare(
      [
        { name: "Resampler.unsafeMake", run: pushAll(Resampler.unsafeMake({ from, to }).push) },
        { name: "Speex, SIMD, quality 5", run: pushAll(await speex(from, to, 5)) }
      ],
      optionsOf(from)
    )
    const peer = medianOf("Speex, SIMD, quality 5") / medianOf("Resampler.unsafeMake")
    bar(`${required} times as fast as Speex`, peer >= required, `${peer.toFixed(1)}x`)
  }
  title(`An odd ratio beside a common one, ${blocks} blocks of ${block.length} mono samples`)
  const medianOf = await compare(
    [44_100, 44_101].map((from) => ({
      name: `${from} Hz`,
      run: pushAll(Resampler.unsafeMake({ from, to: 8000 }).push)
    })),
    optionsOf(44_100)
  )
  const slower = medianOf("44101 Hz") / medianOf("44100 Hz")
  bar("44101 Hz to 8000 Hz in at most twice the time of 44100 Hz", slower <= 2, `${slower.toFixed(2)}x`)
}
