import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioFormat, Telephony, Wav } from "@effect-speech/audio-codec"
import { Console, Effect } from "effect"

const [from = "recording.wav", to = "telephony.wav"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const audio = yield* Telephony.readFile(from)
  const file = yield* Wav.writeFile(audio, to)
  yield* Console.log(`${file.path}: ${AudioFormat.describe(file.format)}, ${file.durationMillis / 1000} s`)
  yield* Console.log(`${yield* audio.clipped} samples were clipped`)
}).pipe(Effect.tapError((error) => Console.error(error.message)))

program.pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer), NodeRuntime.runMain({ disableErrorReporting: true }))
