/** Table 5: the speed of resampling. */
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { bar, exitStatus, title } from "effect-speech-test-support/report"
import { compare, type Push } from "./harness.js"
import { sampleRate, speex } from "./peers/index.js"
import { makeSignal } from "./signal.js"

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

for (const { bar: required, from, to } of [
  { from: 48_000, to: 8000 },
  { from: 44_100, to: 8000, bar: 5 },
  { from: 22_050, to: 24_000, bar: 3 }
]) {
  const resamplers = {
    "Resampler.make": Resampler.make({ from, to }).push,
    "Speex, SIMD, quality 5": await speex(from, to, 5),
    "libsamplerate, medium": await sampleRate(from, to, "medium"),
    "libsamplerate, best": await sampleRate(from, to, "best")
  }
  title(`5. ${from} Hz to ${to} Hz, ${blocks} blocks of ${block.length} mono samples`)
  const medianOf = await compare(
    Object.entries(resamplers).map(([name, push]) => ({ name, run: pushAll(push) })),
    optionsOf(from)
  )
  const peer = medianOf("Speex, SIMD, quality 5") / medianOf("Resampler.make")
  if (required !== undefined) bar(`${required} times as fast as Speex`, peer >= required, `${peer.toFixed(1)}x`)
}

title(`5. An odd ratio beside a common one, ${blocks} blocks of ${block.length} mono samples`)
const medianOf = await compare(
  [44_100, 44_101].map((from) => ({ name: `${from} Hz`, run: pushAll(Resampler.make({ from, to: 8000 }).push) })),
  optionsOf(44_100)
)
const slower = medianOf("44101 Hz") / medianOf("44100 Hz")
bar("44101 Hz to 8000 Hz in at most twice the time of 44100 Hz", slower <= 2, `${slower.toFixed(2)}x`)
process.exitCode = exitStatus()
