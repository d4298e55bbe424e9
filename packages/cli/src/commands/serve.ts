/**
 * `speech serve`: runs the local service until it is interrupted.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { Given } from "../declaration.js"
import { UsageError } from "../failure.js"
import { serviceDependencies, startService } from "../service.js"
import { findShell, setVariable } from "../shells.js"

export const serve = (given: Given<"serve">) =>
  Effect.gen(function* () {
    if (given.json && given.shell !== undefined) {
      return yield* new UsageError({ message: "--json prints no lines for a shell: leave out --shell." })
    }
    const { adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl } = yield* startService(given)
    const shell = given.shell ?? findShell(process.env, process.platform)
    const variables = { SPEECH_STT_BASE_URL: sttBaseUrl, SPEECH_TTS_BASE_URL: ttsBaseUrl, SPEECH_API_KEY: apiKey }
    yield* given.json
      ? Console.log(JSON.stringify({ sttBaseUrl, ttsBaseUrl, platformUrl, apiKey: apiKey ?? null, adminToken }))
      : Console.log(
          Object.entries(variables)
            .flatMap(([name, value]) => (value === undefined ? [] : setVariable(shell, name, value)))
            .join("\n")
        )
    const notes = [
      `The local service is ready. Ctrl-C ends it.${given.json ? "" : " Paste the lines above into another terminal."}`,
      ...(given.json || given.shell !== undefined
        ? []
        : [`They are for ${shell}; --shell gives those of another shell.`]),
      ...(apiKey === undefined
        ? ["SPEECH_API_KEY is the key of this folder. It was shown when it was created; --new-key replaces it."]
        : []),
      `Platform: ${platformUrl} with X-Admin-Token: ${adminToken}`
    ]
    yield* Effect.forEach(notes, (note) => Console.error(note), { discard: true })
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(serviceDependencies(given)))
