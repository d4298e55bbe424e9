/** Table 5: the speed of resampling. */
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { at } from "../../../test/support/report.js"
import { bar, medianOf, race, timesTable, title } from "./harness.js"
import { sampleRate, speex } from "./peers/index.js"
import { makeSignal } from "./signal.js"

const blocks = 120
const block = makeSignal()().subarray(0, 8192)

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
  const results = await race(
    Object.entries(resamplers).map(([name, push]) => ({
      name,
      run: () => {
        for (let count = 0; count < blocks; count++) push(block)
      }
    })),
    { rounds: 15 }
  )
  timesTable(results, "x real time", (milliseconds) => ((blocks * block.length) / from / milliseconds) * 1000)
  const peer = medianOf(results, "Speex, SIMD, quality 5") / at(results, 0).median
  if (required !== undefined) bar(`${required} times as fast as Speex`, peer >= required, `${peer.toFixed(1)}x`)
}
