import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { json, textArgument, text as textOption } from "../options.js"

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

/** `speech synthesize [TEXT] --out FILE|-` */
export const synthesize = Command.make("synthesize", { text, ...options }, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("../synthesize.js")),
    (work) => work.synthesize(given)
  )
).pipe(Command.withDescription("Speaks a text into a WAV file."))
