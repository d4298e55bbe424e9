/**
 * `speech serve`: runs the local service until it is interrupted.
 */
import { statSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { make } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import { Voice } from "@effect-speech/local-service/Voice"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Given } from "../declaration.js"
import { UsageError } from "../failure.js"

const typeOf = (path: string): "folder" | "file" | undefined => {
  try {
    return statSync(path).isDirectory() ? "folder" : "file"
  } catch {
    return undefined
  }
}

const check = ({ dataDir, newKey, recordings }: Given<"serve">): Effect.Effect<void, UsageError> => {
  const refuse = (message: string) => new UsageError({ message })
  if (newKey && dataDir === undefined) {
    return refuse("--new-key is for a --data-dir, whose key it replaces. Without one each start creates a key.")
  }
  if (dataDir !== undefined && typeOf(dataDir) === "file") return refuse("--data-dir must be a folder.")
  if (recordings !== undefined && typeOf(recordings) !== "folder") {
    return refuse("--recordings must be a folder that exists.")
  }
  return Effect.void
}

export const serve = (given: Given<"serve">) =>
  Effect.gen(function* () {
    yield* check(given)
    const { credits, dataDir, host, hostNames, newKey, port, recordings } = given
    const service = yield* make({ port, host, hostNames, credits, dataDirectory: dataDir, newKey, recordings })
    const apiKey = service.apiKey === undefined ? null : Redacted.value(service.apiKey)
    const adminToken = Redacted.value(service.adminToken)
    const { platformUrl, sttBaseUrl, ttsBaseUrl } = service
    const lines = [`export SPEECH_STT_BASE_URL=${sttBaseUrl}`, `export SPEECH_TTS_BASE_URL=${ttsBaseUrl}`]
    yield* given.json
      ? Console.log(JSON.stringify({ sttBaseUrl, ttsBaseUrl, platformUrl, apiKey, adminToken }))
      : Console.log([...lines, ...(apiKey === null ? [] : [`export SPEECH_API_KEY=${apiKey}`])].join("\n"))
    const keyNote =
      "SPEECH_API_KEY is the key of this folder. It was shown when it was created; --new-key replaces it.\n"
    yield* Console.error(
      `The local service is ready. Ctrl-C ends it.${given.json ? "" : " Paste the lines above into another terminal."}\n` +
        `${apiKey === null ? keyNote : ""}Platform: ${platformUrl} with X-Admin-Token: ${adminToken}`
    )
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide([Voice.layerEspeak, Recogniser.layerKnownRecordings(), NodeFileSystem.layer]))
