import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { allowInsecureHttp, describe, json, number, textArgument, text as textOption, timeout } from "../options.js"

const text = textArgument("TEXT").pipe(Args.withDescription("What to say."), Args.optional)

const overrides = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
  message: () => ({ message: "--g2p-overrides must be a JSON object", override: true })
})

const options = {
  out: Options.text("out").pipe(
    Options.withPseudoName("FILE"),
    Options.withDescription("The WAV file to write, or - for standard output.")
  ),
  textFile: Options.text("text-file").pipe(
    Options.withPseudoName("FILE"),
    Options.withDescription("Read the text from a file, or from standard input with -."),
    Options.optional
  ),
  lang: textOption("lang", "CODE").pipe(
    Options.withDescription("The language of the text, such as en; hi without it."),
    Options.optional
  ),
  voice: textOption("voice", "ID").pipe(
    Options.withDescription("The voice; the service chooses one without it."),
    Options.optional
  ),
  outputFormat: Options.choice("output-format", TtsContract.outputFormats).pipe(
    Options.withDescription("Sample rate and encoding; 24000:float32 without it."),
    Options.optional
  ),
  speed: number("speed", "RATE").pipe(Options.withDescription("The speaking rate, 0.25 to 4."), Options.optional),
  numStep: number("num-step", "N").pipe(
    Options.withDescription("How many steps the model takes, 1 to 100."),
    Options.optional
  ),
  g2pOverrides: textOption("g2p-overrides", "JSON").pipe(
    Options.withDescription("Pronunciations, a JSON object from a word to its tokens."),
    Options.withSchema(overrides),
    Options.optional
  ),
  requestId: textOption("request-id", "ID").pipe(
    Options.withDescription("Your own id for the request."),
    Options.optional
  ),
  timeout,
  allowInsecureHttp,
  json
}

/** `speech synthesize [TEXT] --out FILE|-` */
export const synthesize = Command.make("synthesize", { text, ...options }, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("../synthesize.js")),
    (work) => work.synthesize(given)
  )
).pipe(
  Command.withDescription(
    describe("Speaks a text into a WAV file.", [
      'speech synthesize "नमस्ते" --out namaste.wav',
      "speech synthesize --text-file news.txt --lang en --output-format 8000:pcm16 --out news.wav",
      'speech synthesize "नमस्ते" --out - | sox -t wav - prompt.mp3'
    ])
  )
)
