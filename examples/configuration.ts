/**
 * Configuration from the environment, with the key in a file, as secret managers mount it. The client reads the file
 * when the program starts, and again when the service refuses the key. So you can replace the key while the program
 * runs; a new key revokes the old one at once.
 *
 * Synthesizes each line of standard input: `SPEECH_API_KEY_FILE=key.txt pnpm example examples/configuration.ts`, with
 * the variables that `pnpm speech serve` prints, and its key in key.txt.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import { Config, Console, Effect, Layer, Redacted, Stream } from "effect"

const keyIn = (fs: FileSystem.FileSystem, path: string) =>
  Effect.map(fs.readFileString(path), (text) => Redacted.make(text.trim()))

const TextToSpeechLive = Layer.unwrapEffect(
  Effect.map(FileSystem.FileSystem, (fs) =>
    TextToSpeech.layerConfig({
      apiKey: Config.map(Config.string("SPEECH_API_KEY_FILE"), (path) => keyIn(fs, path)),
      baseUrl: Config.string("SPEECH_TTS_BASE_URL"),
      deadlines: { total: Config.duration("SPEECH_PATIENCE").pipe(Config.withDefault("1 minute")) },
      retries: Config.integer("SPEECH_RETRIES").pipe(Config.withDefault(2))
    })
  )
)

const say = (text: string) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const { call, durationMillis } = yield* tts.synthesize({ text, lang: "en" })
    const statuses = call.attempts.map(({ status }) => status)
    yield* Console.log(`${text}: ${durationMillis} ms, answered ${statuses.join(", then ")}`)
  }).pipe(
    // The file may still hold the refused key, or no key. Continue, since the next line may succeed.
    Effect.catchAll((error) => Console.error(error.message))
  )

const lines = NodeStream.fromReadable<Error, Uint8Array>(
  () => process.stdin,
  () => new Error("Standard input can't be read.")
).pipe(Stream.decodeText(), Stream.splitLines)

Stream.runForEach(lines, say).pipe(
  Effect.provide(TextToSpeechLive),
  Effect.provide(NodeTransport.layer),
  NodeRuntime.runMain
)
