/** Table 3: a stream of floats to a WAV file. */
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import { bar, exitStatus, title } from "effect-speech-test-support/report"
import { checkMemory, compare, executeCase, folder } from "./harness.js"
import { write } from "./ours.js"
import { makeSignal } from "./signal.js"

const output = join(folder, "out.wav")
const total = 2 ** 30

// To replace a file costs a flush of what another contestant has written.
const before = () => rmSync(output, { force: true })

for (const size of [64 * 1024, 256 * 1024]) {
  const samples = makeSignal()().slice(0, size / 4)
  const chunk = new Uint8Array(samples.buffer)
  const count = total / size

  title(`3. 1 GiB of float32 to a WAV file, in ${count} chunks of ${size / 1024} KiB`)
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
      },
      {
        name: "fs.writeSync",
        before,
        run: () => {
          const file = openSync(output, "wx")
          for (let written = 0; written < count; written++) writeSync(file, chunk)
          closeSync(file)
        }
      }
    ],
    { rounds: 7, maximumMillis: 8000, unit: "MB/s", speed: (milliseconds) => total / milliseconds / 1000 }
  )
  const limit = medianOf("Wav.writeFile of a stream") / medianOf("FileHandle.write, awaited")
  bar("at most 1.3 times the bare write calls", limit <= 1.3, `${limit.toFixed(2)}x`)

  before()
  checkMemory(executeCase("write", output, `${size}`, `${count}`))
  before()
}
process.exitCode = exitStatus()
