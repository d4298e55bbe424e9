/** Table 2: WAV files in memory to floats. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as Either from "effect/Either"
import { bar, exitStatus, title } from "effect-speech-test-support/report"
import { compare, folder } from "./harness.js"
import { decoders } from "./peers/index.js"
import { channels, rate, seconds } from "./signal.js"

const total = rate * seconds * channels

/** With an ArrayBuffer of its own, as wav-decoder needs. */
const file16 = new Uint8Array(readFileSync(join(folder, "in.wav")))
const { bytes, format } = Either.getOrThrow(Wav.decode(file16))
const file24 = Wav.encode({ ...format, encoding: "pcm24" }, Pcm.encode(Pcm.decode(bytes, "pcm16"), "pcm24").bytes)

const block = new Float32Array(2 ** 16 * channels)

for (const [bits, file] of [[16, file16] as const, [24, file24] as const]) {
  title(`2. WAV to float32, 10 minutes of ${bits}-bit stereo at 48 kHz in memory`)
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
      { name: "new memory for the whole, no decoding", run: () => new Float32Array(total).fill(1) },
      ...Object.entries(decoders).map(([name, decode]) => ({ name, run: () => decode(file, bits) }))
    ],
    { rounds: 5, unit: "Msamples/s", speed: (milliseconds) => total / milliseconds / 1000 }
  )
  const peer = medianOf("node-wav")
  const inBlocks = peer / medianOf("Wav.decode, Pcm.decodeInto in blocks")
  const whole = peer / medianOf("Wav.decode, Pcm.decode as a whole")
  const figure = `${inBlocks.toFixed(1)}x; as a whole ${whole.toFixed(1)}x`
  bar("in blocks 5 times as fast as node-wav", inBlocks >= 5, figure)
}
process.exitCode = exitStatus()
