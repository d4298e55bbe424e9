/** Replaces the file at the given path by an endless WAV file, for a test that kills this process. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const endless = PcmStream.make(
  { sampleRate: 8000, channels: 1, encoding: "pcm16" },
  Stream.repeatEffect(Effect.as(Effect.sleep("1 millis"), new Uint8Array(100_000)))
)

await Effect.runPromise(Effect.provide(Wav.writeFile(endless, process.argv[2] as string), NodeFileSystem.layer))
