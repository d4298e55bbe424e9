import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import type { Hotword } from "@effect-speech/stt/SttContract"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { json, literal, standardStream, text } from "./options.js"

const file = Args.text({ name: "FILE" }).pipe(Args.withDescription("The recording, or - for standard input."))

const options = {
  model: text("model").pipe(
    Options.withDescription("The model, which decides the language, such as hi-general-v2-8khz.")
  ),
  aux: Options.boolean("aux").pipe(Options.withDescription("Ask for timings and confidences; see them with --json.")),
  parseNumber: Options.boolean("parse-number").pipe(Options.withDescription("Write spoken numbers in digits.")),
  hotwords: Options.text("hotword").pipe(
    Options.withDescription("A phrase to listen for, as PHRASE or PHRASE:SCORE; may be repeated."),
    Options.repeated
  ),
  transactionId: text("transaction-id").pipe(
    Options.withDescription("Your own UUID for the request."),
    Options.optional
  ),
  json
}

/** The last colon counts, and only before a number: phrases hold colons too. */
export const toHotword = (text: string): Hotword => {
  const scored = /^(.+):(-?\d+(?:\.\d+)?)$/s.exec(text)
  return scored === null ? { phrase: text } : { phrase: scored[1] ?? "", score: Number(scored[2]) }
}

const standardInput = AudioSource.fromOneShotStream(
  NodeStream.fromReadable(
    () => process.stdin,
    () => "StandardInput"
  ),
  { filename: "stdin" }
)

/** `speech transcribe FILE|- --model NAME` */
export const transcribe = Command.make("transcribe", { file, ...options }, (given) =>
  Effect.gen(function* () {
    const stt = yield* SpeechToText
    const transcription = yield* stt.transcribe({
      audio: given.file === standardStream ? standardInput : AudioSource.fromPath(given.file),
      model: given.model,
      transactionId: Option.getOrUndefined(given.transactionId),
      aux: given.aux ? true : undefined,
      parseNumber: given.parseNumber ? true : undefined,
      hotwords: given.hotwords.length === 0 ? undefined : given.hotwords.map(literal).map(toHotword)
    })
    if (transcription.text === "") yield* Console.error("speech: nothing was recognised in the recording.")
    yield* Console.log(given.json ? JSON.stringify(transcription) : transcription.text)
  }).pipe(Effect.provide(SpeechToText.layerFromEnv), Effect.provide(NodeTransport.layer))
).pipe(Command.withDescription("Prints what is said in a recording."))
