/**
 * The local service, with the options of a command.
 */
import { statSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Espeak from "@effect-speech/local-service/Espeak"
import * as KnownRecordings from "@effect-speech/local-service/KnownRecordings"
import { LocalService } from "@effect-speech/local-service/LocalService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Given } from "./declaration.js"
import { refuse, type UsageError } from "./failure.js"

const typeOf = (path: string): "folder" | "file" | undefined => {
  try {
    return statSync(path).isDirectory() ? "folder" : "file"
  } catch {
    return undefined
  }
}

const check = ({ capacity, dataDir, newKey, recordings }: Given<"run">): Effect.Effect<void, UsageError> => {
  if (newKey && dataDir === undefined) {
    return refuse("--new-key is for a --data-dir, whose key it replaces. Without one each start creates a key.")
  }
  if (dataDir !== undefined && typeOf(dataDir) === "file") return refuse("--data-dir must be a folder.")
  if (recordings !== undefined && typeOf(recordings) !== "folder") {
    return refuse("--recordings must be a folder that exists.")
  }
  if (capacity !== undefined && capacity <= 0) return refuse("--capacity must be a number above 0.")
  return Effect.void
}

/** What {@link startService} needs for as long as the service runs. */
export const serviceDependencies = ({ capacity }: Given<"run">) =>
  [
    Espeak.layer,
    KnownRecordings.layer({ capacity: capacity === undefined ? undefined : Duration.hours(capacity) }),
    NodeFileSystem.layer
  ] as const

/** Runs the service until the scope closes. `apiKey` is `undefined` if an earlier start showed it. */
export const startService = (given: Given<"run">) =>
  Effect.gen(function* () {
    yield* check(given)
    const { credits, dataDir, host, hostNames, newKey, port, recordings } = given
    const service = yield* LocalService.make({
      port,
      host,
      hostNames,
      credits,
      dataDirectory: dataDir,
      newKey,
      recordings
    })
    const { adminToken, apiKey, consoleLink, platformUrl, sttBaseUrl, ttsBaseUrl } = service
    return {
      sttBaseUrl,
      ttsBaseUrl,
      platformUrl,
      apiKey: apiKey && Redacted.value(apiKey),
      adminToken: Redacted.value(adminToken),
      /** A new link, which signs a browser in at the console once. */
      consoleUrl: Effect.map(consoleLink, Redacted.value)
    }
  })
