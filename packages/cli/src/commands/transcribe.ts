import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { allowInsecureHttp, describe, json, number, text, texts, timeout } from "../options.js"

const files = Args.text({ name: "FILE" }).pipe(
  Args.withDescription("A recording, or - for standard input. Of several, each line names its file."),
  Args.atLeast(1)
)

const options = {
  model: text("model", "NAME").pipe(
    Options.withDescription("The model, which decides the language, such as hi-general-v2-8khz.")
  ),
  aux: Options.boolean("aux").pipe(Options.withDescription("Ask for timings and confidences; see them with --json.")),
  parseNumber: Options.boolean("parse-number").pipe(Options.withDescription("Write spoken numbers in digits.")),
  hotwords: texts("hotword", "PHRASE[:SCORE]", "A phrase to listen for; may be repeated."),
  transactionId: text("transaction-id", "UUID").pipe(
    Options.withDescription("Your own UUID for the request."),
    Options.optional
  ),
  telephony: Options.boolean("telephony").pipe(
    Options.withDescription("Send WAV recordings as mono, 8 kHz and 16 bits, which is what the models hear.")
  ),
  concurrency: number("concurrency", "N", { above: 0, integer: true }).pipe(
    Options.withDescription("How many recordings are under way at once, 4 without it."),
    Options.withDefault(4)
  ),
  timeout,
  allowInsecureHttp,
  json
}

/** `speech transcribe FILE… --model NAME` */
export const transcribe = Command.make("transcribe", { files, ...options }, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("../transcribe.js")),
    (work) => work.transcribe(given)
  )
).pipe(
  Command.withDescription(
    describe("Prints what is said in recordings.", [
      "speech transcribe call.wav --model hi-general-v2-8khz",
      "speech transcribe calls/*.wav --model hi-general-v2-8khz --telephony --json",
      "rec -r 8000 -c 1 -t wav - trim 0 10 | speech transcribe - --model hi-general-v2-8khz"
    ])
  )
)
