import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech, TtsContract } from "@effect-speech/tts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { codeOf, OutputFailed, UsageError } from "./failure.js"
import { json, standardStream, textArgument, text as textOption } from "./options.js"
import { checkOutput } from "./output.js"

const text = textArgument("TEXT").pipe(Args.withDescription("What to say."), Args.optional)

const overrides = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
  message: () => ({ message: "--g2p-overrides must be a JSON object", override: true })
})

const options = {
  out: Options.text("out").pipe(Options.withDescription("The WAV file to write, or - for standard output.")),
  textFile: Options.text("text-file").pipe(
    Options.withDescription("Read the text from a file, or from standard input with -."),
    Options.optional
  ),
  lang: textOption("lang").pipe(
    Options.withDescription("The language of the text, such as hi or en."),
    Options.optional
  ),
  voice: textOption("voice").pipe(Options.withDescription("The voice."), Options.optional),
  outputFormat: Options.choice("output-format", TtsContract.outputFormats).pipe(
    Options.withDescription("Sample rate and encoding, such as 8000:pcm16."),
    Options.optional
  ),
  speed: Options.float("speed").pipe(Options.withDescription("The speaking rate, 0.25 to 4."), Options.optional),
  numStep: Options.float("num-step").pipe(Options.withDescription("Flow-matching steps, 1 to 100."), Options.optional),
  g2pOverrides: textOption("g2p-overrides").pipe(
    Options.withDescription("Pronunciations, a JSON object from a word to its tokens."),
    Options.withSchema(overrides),
    Options.optional
  ),
  requestId: textOption("request-id").pipe(Options.withDescription("Your own id for the request."), Options.optional),
  json
}

/** Everything that a text file or standard input holds, less the line break at its end. */
const readText = (file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const content = yield* file === standardStream ? standardInput : fs.readFileString(file)
    return content.replace(/\r?\n$/, "")
  })

const standardInput = NodeStream.toString(() => process.stdin, {
  onFailure: () => new UsageError({ message: "Standard input could not be read." })
})

const textOf = (given: Option.Option<string>, file: Option.Option<string>) => {
  if (Option.isSome(given) && Option.isNone(file)) return Effect.succeed(given.value)
  if (Option.isSome(file) && Option.isNone(given)) return readText(file.value)
  return Effect.fail(
    new UsageError({
      message: Option.isNone(file)
        ? "There is nothing to say: give a TEXT, or a --text-file (- for standard input)."
        : "There are two texts: give a TEXT or a --text-file."
    })
  )
}

/** `speech synthesize [TEXT] --out FILE|-` */
export const synthesize = Command.make("synthesize", { text, ...options }, (given) =>
  Effect.gen(function* () {
    if (given.out === standardStream && given.json) {
      return yield* new UsageError({ message: "--out - puts audio on standard output, where --json can't be as well." })
    }
    const request = {
      text: yield* textOf(given.text, given.textFile),
      lang: Option.getOrUndefined(given.lang),
      voice: Option.getOrUndefined(given.voice),
      outputFormat: Option.getOrUndefined(given.outputFormat),
      speed: Option.getOrUndefined(given.speed),
      numStep: Option.getOrUndefined(given.numStep),
      g2pOverrides: Option.getOrUndefined(given.g2pOverrides),
      requestId: Option.getOrUndefined(given.requestId)
    }
    if (given.out !== standardStream) yield* checkOutput(given.out)
    const tts = yield* TextToSpeech
    const speech = yield* tts.stream(request)

    if (given.out === standardStream) {
      const stdout = NodeSink.fromWritable(
        () => process.stdout,
        (error) => new OutputFailed({ message: `Standard output can't be written (${codeOf(error)}).` }),
        { endOnDone: false }
      )
      return yield* Stream.run(Wav.encodeStream(speech), stdout)
    }
    const file = yield* Wav.writeFile(speech, given.out)
    yield* given.json
      ? Console.log(JSON.stringify({ ...file, requestId: speech.requestId, call: speech.call }))
      : Console.error(
          `${file.path}: ${(file.durationMillis / 1000).toFixed(2)} s, ${AudioFormat.describe(file.format)}, request ${speech.requestId}`
        )
  }).pipe(Effect.scoped, Effect.provide(TextToSpeech.layerFromEnv), Effect.provide(NodeTransport.layer))
).pipe(Command.withDescription("Speaks a text into a WAV file."))
