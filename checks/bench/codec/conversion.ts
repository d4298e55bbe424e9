/** Table 1: floats to 16 bits. */
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import { bar, exitStatus, title } from "effect-speech-test-support/report"
import { compare } from "./harness.js"
import { pcmConvert } from "./peers/index.js"
import { channels, makeSignal, rate, seconds } from "./signal.js"

const total = rate * seconds * channels

const plainLoop = (samples: Float32Array, target: Int16Array) => {
  for (let index = 0; index < samples.length; index++) {
    target[index] = Math.max(-0x8000, Math.min(0x7fff, Math.round(Number(samples[index]) * 0x8000)))
  }
}

for (const length of [2 ** 16, 2 ** 20, 2 ** 23]) {
  const samples = new Float32Array(length)
  const second = makeSignal()
  for (let offset = 0; offset < length; ) {
    const part = second().subarray(0, length - offset)
    samples.set(part, offset)
    offset += part.length
  }
  const integers = new Int16Array(length)
  const bytes = new Uint8Array(integers.buffer)
  const floats = new Float32Array(length)

  const all = (convertBlock: () => void) => () => {
    for (let converted = 0; converted < total; converted += length) convertBlock()
  }
  title(`1. float32 to int16, ${Math.ceil(total / length)} blocks of ${length} samples in reused memory`)
  const samplesRun = Math.ceil(total / length) * length
  const medianOf = await compare(
    [
      { name: "Pcm.encodeInto", run: all(() => Pcm.encodeInto(samples, "pcm16", bytes)) },
      { name: "Float32Array.set", run: all(() => floats.set(samples)) },
      { name: "loop in JavaScript", run: all(() => plainLoop(samples, integers)) },
      { name: "pcm-convert", run: all(() => pcmConvert(samples)) }
    ],
    { rounds: 7, unit: "Msamples/s", speed: (milliseconds) => samplesRun / milliseconds / 1000 }
  )
  const ours = medianOf("Pcm.encodeInto")
  const limit = ours / medianOf("Float32Array.set")
  const peer = medianOf("pcm-convert") / ours
  bar("at most 1.5 times Float32Array.set", limit <= 1.5, `${limit.toFixed(2)}x`)
  bar("10 times as fast as pcm-convert", peer >= 10, `${peer.toFixed(1)}x`)
}
process.exitCode = exitStatus()
