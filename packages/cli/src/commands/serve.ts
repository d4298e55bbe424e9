import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { json } from "../options.js"

const port = Options.integer("port").pipe(
  Options.withDescription(
    "The port of transcription; synthesis and the platform take the next two. 0 takes any three."
  ),
  Options.withDefault(0)
)

const dataDir = Options.directory("data-dir").pipe(
  Options.withDescription(
    "Keeps keys, credit and usage in this folder, which is made. Without it they end with the service."
  ),
  Options.optional
)

const newKey = Options.boolean("new-key").pipe(
  Options.withDescription("Makes a key, and revokes the one that the folder of --data-dir has.")
)

const recordings = Options.directory("recordings", { exists: "yes" }).pipe(
  Options.withDescription(
    "Knows the recordings of this folder: NAME.wav with its text in NAME.txt, in a folder named hi for Hindi models alone."
  ),
  Options.optional
)

/** `speech serve` */
export const serve = Command.make("serve", { port, dataDir, newKey, recordings, json }, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("../serve.js")),
    (work) => work.serve(given)
  )
).pipe(Command.withDescription("Runs the service on this machine: no network, no key, no credit."))
