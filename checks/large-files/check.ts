/**
 * Writes a WAV file of more than 4 GiB in four ways, and reads it back: `pnpm verify large-files`. Needs 9 GB in the folder for
 * temporary files, and two minutes.
 */
import { execFileSync } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { type AudioFormat, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { temporaryFolder } from "effect-speech-test-support/processes"

const format: AudioFormat.AudioFormat = { sampleRate: 48_000, channels: 2, encoding: "pcm16" }
const blockLength = 1024 * 1024
const blocks = 4097
const dataLength = blocks * blockLength

const stream = Stream.map(Stream.range(0, blocks - 1), (index) => new Uint8Array(blockLength).fill(index % 251))
const path = join(temporaryFolder("large-wav-"), "large.wav")

const check = (what: string) =>
  Effect.gen(function* () {
    const header = yield* Effect.flatMap(FileSystem.FileSystem, (fs) =>
      Stream.runHead(fs.stream(path, { bytesToRead: 4, chunkSize: 4 }))
    )
    const name = header._tag === "Some" ? Buffer.from(header.value).toString("latin1") : "nothing"
    let length = 0
    let wrong = 0
    const audio = yield* Wav.readFile(path)
    yield* Stream.runForEach(audio.stream, (bytes) =>
      Effect.sync(() => {
        for (const at of [0, bytes.byteLength - 1]) {
          if (bytes[at] !== Math.floor((length + at) / blockLength) % 251) wrong++
        }
        length += bytes.byteLength
      })
    )
    if (name !== "RF64" || length !== dataLength || wrong > 0) {
      throw new Error(`${what}: ${name}, ${length} bytes, ${wrong} blocks wrong`)
    }
    console.log(`${what}: ${name} of ${statSync(path).size} bytes, read back whole`)
  }).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  yield* Wav.writeFile(PcmStream.make(format, stream, { byteLength: dataLength }), path)
  yield* check("with a known length")
  try {
    console.log(`ffprobe: ${execFileSync("ffprobe", ["-v", "error", "-show_entries", "format=duration", path])}`.trim())
  } catch {
    console.log("ffprobe is not installed")
  }
  yield* fs.remove(path)
  yield* Wav.writeFile(PcmStream.make(format, stream), path)
  yield* check("without a known length")
  yield* fs.remove(path)
  yield* Stream.run(Wav.encodeStream(PcmStream.make(format, stream)), fs.sink(path))
  yield* Wav.repair(path)
  yield* check("streamed and repaired")
  yield* Wav.repair(path)
  yield* check("repaired again")
  yield* fs.remove(path)
  const wrapped = Buffer.from(Wav.header(format, 0))
  wrapped.writeUInt32LE((dataLength + 36) % 2 ** 32, 4)
  wrapped.writeUInt32LE(dataLength % 2 ** 32, 40)
  yield* Stream.run(Stream.concat(Stream.make<[Uint8Array]>(wrapped), stream), fs.sink(path))
  yield* Wav.repair(path)
  yield* check("with sizes that overflowed, and repaired")
})

await Effect.runPromise(Effect.provide(program, NodeFileSystem.layer))
