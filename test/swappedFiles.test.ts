import { execFileSync } from "node:child_process"
import { renameSync, writeFileSync } from "node:fs"
import * as FileSystem from "@effect/platform/FileSystem"
import { expect, it } from "@effect/vitest"
import { Telephony, Wav } from "@effect-speech/audio-codec"
import { AudioSource, Recording } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const wav = Wav.encode(new Uint8Array(16_000), { sampleRate: 8000, channels: 1, encoding: "pcm16" })

/** A file whose path names a pipe after its first stat. */
const swapped = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = `${yield* fs.makeTempDirectoryScoped()}/call.wav`
  writeFileSync(path, wav)
  const swap = Effect.sync(() => {
    execFileSync("mkfifo", [`${path}.pipe`])
    renameSync(`${path}.pipe`, path)
  })
  const swapping = FileSystem.make({ ...fs, stat: (name) => Effect.zipLeft(fs.stat(name), swap) })
  return { path, swapping }
})

const notSent = { _tag: "SttAudioUnreadable", problem: "it is a pipe or a device", hint: "sendAsStream" }
const notRead = { _tag: "SystemError", reason: "BadResource", message: expect.stringContaining("not a pipe") }

type Read = (path: string) => Effect.Effect<unknown, unknown, FileSystem.FileSystem | Scope.Scope>
const reads: ReadonlyArray<readonly [name: string, failure: object, read: Read]> = [
  ["Recording.inspect", notSent, (path) => Recording.inspect(AudioSource.fromPath(path))],
  ["Wav.readFile", notRead, Wav.readFile],
  ["Wav.repair", notRead, Wav.repair],
  ["Telephony.readFile", notRead, Telephony.readFile]
]

// Node reads all files in four threads. Each open that waited for a writer would take one for good.
it.scopedLive.each(reads)(
  "%s refuses a file that became a pipe when it was opened, time and again",
  ([_, failure, read]) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      for (let time = 0; time < 6; time++) {
        const { path, swapping } = yield* swapped
        const reading = Effect.scoped(Effect.provideService(read(path), FileSystem.FileSystem, swapping))
        expect(yield* Effect.flip(Effect.timeout(Effect.disconnect(reading), "2 seconds"))).toMatchObject(failure)
      }
      const { path } = yield* swapped
      expect(Buffer.compare(yield* fs.readFile(path), wav)).toBe(0)
    }).pipe(Effect.provide(NodeTransport.layer))
)
