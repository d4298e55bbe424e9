import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { make } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import { Voice } from "@effect-speech/local-service/Voice"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { json } from "./options.js"

const port = Options.integer("port").pipe(
  Options.withDescription(
    "The port of transcription; synthesis and the platform take the next two. 0 takes any three."
  ),
  Options.withSchema(Schema.Int.pipe(Schema.between(0, 65_533, { message: () => "--port must be from 0 to 65533" }))),
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
  Effect.gen(function* () {
    const service = yield* make({
      port: given.port,
      dataDirectory: Option.getOrUndefined(given.dataDir),
      newKey: given.newKey,
      recordings: Option.getOrUndefined(given.recordings)
    })
    const apiKey = service.apiKey === undefined ? null : Redacted.value(service.apiKey)
    const adminToken = Redacted.value(service.adminToken)
    const { platformUrl, sttBaseUrl, ttsBaseUrl } = service
    const lines = [`export SPEECH_STT_BASE_URL=${sttBaseUrl}`, `export SPEECH_TTS_BASE_URL=${ttsBaseUrl}`]
    yield* given.json
      ? Console.log(JSON.stringify({ sttBaseUrl, ttsBaseUrl, platformUrl, apiKey, adminToken }))
      : Console.log([...lines, ...(apiKey === null ? [] : [`export SPEECH_API_KEY=${apiKey}`])].join("\n"))
    const known = "SPEECH_API_KEY is the key of this folder, which was shown when it was made; --new-key replaces it.\n"
    yield* Console.error(
      `The local service is ready, and ends with Ctrl-C. Paste the lines above into another terminal.\n` +
        `${apiKey === null ? known : ""}Platform: ${platformUrl} with X-Admin-Token: ${adminToken}`
    )
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide([Voice.layerEspeak, Recogniser.layerKnownRecordings(), NodeFileSystem.layer]))
).pipe(Command.withDescription("Runs the service on this machine: no network, no key, no credit."))
