import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { make } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import { Voice } from "@effect-speech/local-service/Voice"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { UsageError } from "./failure.js"

export interface ServeOptions {
  readonly port: number
  readonly host: Option.Option<string>
  readonly hostNames: ReadonlyArray<string>
  readonly credits: Option.Option<number>
  readonly dataDir: Option.Option<string>
  readonly newKey: boolean
  readonly recordings: Option.Option<string>
  readonly json: boolean
}

export const serve = (given: ServeOptions) =>
  Effect.gen(function* () {
    if (given.newKey && Option.isNone(given.dataDir)) {
      return yield* new UsageError({
        message: "--new-key is for a --data-dir, whose key it replaces: without one each start makes a key."
      })
    }
    const service = yield* make({
      port: given.port,
      host: Option.getOrUndefined(given.host),
      hostNames: given.hostNames,
      credits: Option.getOrUndefined(given.credits),
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
      `The local service is ready, and ends with Ctrl-C.${given.json ? "" : " Paste the lines above into another terminal."}\n` +
        `${apiKey === null ? known : ""}Platform: ${platformUrl} with X-Admin-Token: ${adminToken}`
    )
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide([Voice.layerEspeak, Recogniser.layerKnownRecordings(), NodeFileSystem.layer]))
