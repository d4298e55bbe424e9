import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { json, text } from "../options.js"

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

/** `speech transcribe FILE|- --model NAME` */
export const transcribe = Command.make("transcribe", { file, ...options }, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("../transcribe.js")),
    (work) => work.transcribe(given)
  )
).pipe(Command.withDescription("Prints what is said in a recording."))
