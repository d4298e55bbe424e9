import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { LocalService } from "@effect-speech/local-service/LocalService"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
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

/** `speech serve` */
export const serve = Command.make("serve", { port, json }, (given) =>
  Effect.gen(function* () {
    const service = yield* LocalService
    const apiKey = Redacted.value(service.apiKey)
    const adminToken = Redacted.value(service.adminToken)
    const { platformUrl, sttBaseUrl, ttsBaseUrl } = service
    yield* given.json
      ? Console.log(JSON.stringify({ sttBaseUrl, ttsBaseUrl, platformUrl, apiKey, adminToken }))
      : Console.log(
          [
            `export SPEECH_STT_BASE_URL=${sttBaseUrl}`,
            `export SPEECH_TTS_BASE_URL=${ttsBaseUrl}`,
            `export SPEECH_API_KEY=${apiKey}`
          ].join("\n")
        )
    yield* Console.error(
      `The local service is ready, and ends with Ctrl-C. Paste the lines above into another terminal.\n` +
        `Platform: ${platformUrl} with X-Admin-Token: ${adminToken}`
    )
    return yield* Effect.never
  }).pipe(Effect.provide(LocalService.layer({ port: given.port })))
).pipe(Command.withDescription("Runs the service on this machine: no network, no key, no credit."))
