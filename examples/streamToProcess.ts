/**
 * Pipes speech into the standard input of another program while it arrives, for example to play or encode it.
 *
 * `pnpm example examples/streamToProcess.ts "a text" wc`, with the variables that `pnpm speech serve` prints. In
 * place of `wc`, which counts bytes: `ffplay -nodisp -autoexit -`, `sox -t wav - hello.ogg`, `ffmpeg -i - hello.mp3`.
 */
import * as Command from "@effect/platform/Command"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Data, Effect, Stream } from "effect"

const [text = "Hello.", command = "wc", ...args] = process.argv.slice(2)

class ProgramFailed extends Data.TaggedError("ProgramFailed")<{ readonly exitCode: number }> {
  override get message(): string {
    return `${command} ended with exit code ${this.exitCode}.`
  }
}

const program = Effect.gen(function* () {
  const tts = yield* TextToSpeech
  // Start the synthesis first: if it fails, the program is not started.
  const speech = yield* tts.stream({ text, lang: "en" })
  const child = yield* Command.make(command, ...args).pipe(
    Command.stdout("inherit"),
    Command.stderr("inherit"),
    Command.start
  )
  // If the speech breaks off, kill the program, so that it does not accept incomplete speech.
  const file = Stream.tapError(Wav.encodeStream(speech), () => child.kill())
  // If the program reads slowly, the client receives slowly: no queue grows between them.
  yield* Stream.run(file, child.stdin)
  const exitCode = yield* child.exitCode
  if (exitCode !== 0) yield* new ProgramFailed({ exitCode })
})

// Ctrl-C closes the scope too, which ends the call and the program.
program.pipe(
  Effect.scoped,
  Effect.provide(TextToSpeech.layerFromEnv),
  Effect.provide([NodeTransport.layer, NodeContext.layer]),
  NodeRuntime.runMain
)
