import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { describe, json, number, text, texts } from "../options.js"

const port = number("port", "N", { integer: true }).pipe(
  Options.withDescription(
    "The port of transcription; synthesis and the platform take the next two. Without it any three."
  ),
  Options.withDefault(0)
)

const host = text("host", "ADDRESS").pipe(
  Options.withDescription(
    "The address to listen on, such as 0.0.0.0 in a container. Without it only this machine comes in."
  ),
  Options.optional
)

const hostNames = texts("host-name", "NAME", "A name by which other machines call this one; may be repeated.")

const credits = number("credits", "N").pipe(
  Options.withDescription("The credit that the account begins with, 1,000,000 without it."),
  Options.optional
)

const dataDir = Options.directory("data-dir").pipe(
  Options.withPseudoName("FOLDER"),
  Options.withDescription(
    "Keeps keys, credit and usage in this folder, which is made. Without it they end with the service."
  ),
  Options.optional
)

const newKey = Options.boolean("new-key").pipe(
  Options.withDescription("Makes a key, and revokes the one that the folder of --data-dir has.")
)

const recordings = Options.directory("recordings", { exists: "yes" }).pipe(
  Options.withPseudoName("FOLDER"),
  Options.withDescription(
    "Knows the recordings of this folder: NAME.wav with its text in NAME.txt, in a folder named hi for Hindi models alone."
  ),
  Options.optional
)

/** `speech serve` */
export const serve = Command.make(
  "serve",
  { port, host, hostNames, credits, dataDir, newKey, recordings, json },
  (given) =>
    Effect.flatMap(
      Effect.promise(() => import("../serve.js")),
      (work) => work.serve(given)
    )
).pipe(
  Command.withDescription(
    describe("Runs the service on this machine: no network, no key, no credit.", [
      "speech serve",
      "speech serve --port 8100 --data-dir speech-data"
    ])
  )
)
