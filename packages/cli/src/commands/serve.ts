/**
 * `speech serve`: runs the local service until it is interrupted.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { checkOutput } from "../checkOutput.js"
import type { Given } from "../declaration.js"
import { describeExposure, writeEnvFile } from "../envFile.js"
import { refuse } from "../failure.js"
import { reportingFaults } from "../faultsReport.js"
import { applying, unlessQuiet } from "../message.js"
import { openBrowser } from "../openBrowser.js"
import { choosePort } from "../servePorts.js"
import { type StartedService, startService } from "../service.js"
import { findShell, setVariable } from "../shells.js"

const openConsole = (url: string) =>
  Effect.flatMap(openBrowser(url), (isOpened) =>
    isOpened
      ? // A browser that has to start first reads the file later.
        Effect.sleep("1 minute")
      : Console.error("No browser could be opened. Open the link of the console yourself.")
  ).pipe(Effect.scoped)

export const serve = (given: Given<"serve">) =>
  Effect.gen(function* () {
    if (given.json && given.shell !== undefined) {
      return yield* refuse("--json prints no lines for a shell: leave out --shell.")
    }
    if (given.settingsFile !== undefined) yield* checkOutput(given.settingsFile, "--dotenv")
    const { notes, port } = yield* choosePort(given)
    const service = yield* startService({ ...given, port })
    return yield* announce(given, { ...service, notes: [...notes, ...service.notes] }).pipe(
      Effect.zipRight(Effect.never),
      reportingFaults(given, service.faults)
    )
  }).pipe(Effect.scoped)

/** Writes the settings into a file of variables. Returns a warning if others may get to see it. */
const keepSettings = (path: string, variables: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    if (variables.SPEECH_API_KEY === undefined) {
      return yield* refuse(
        "--dotenv needs the active key of --data-dir, which is not in its file api-key. Give --new-key."
      )
    }
    yield* writeEnvFile(path, variables)
    return yield* describeExposure(path)
  })

const print = (...lines: ReadonlyArray<string>) =>
  Effect.forEach(lines, (line) => Console.error(line), { discard: true })

/** Prints how to use the service, and opens its console if that is asked for. */
const announce = (
  given: Given<"serve">,
  { adminToken, apiKey, notes: about, platformUrl, sttBaseUrl, ttsBaseUrl, ...service }: StartedService
) =>
  Effect.gen(function* () {
    const consoleUrl = yield* service.consoleUrl
    const shell = given.shell ?? findShell(process.env, process.platform)
    const variables = {
      SPEECH_STT_BASE_URL: sttBaseUrl,
      SPEECH_TTS_BASE_URL: ttsBaseUrl,
      ...(apiKey === undefined ? {} : { SPEECH_API_KEY: apiKey })
    }
    const file = given.settingsFile
    const exposure = file === undefined ? undefined : yield* keepSettings(file, variables)
    yield* given.json
      ? Console.log(
          JSON.stringify({ sttBaseUrl, ttsBaseUrl, platformUrl, apiKey: apiKey ?? null, adminToken, consoleUrl })
        )
      : Console.log(
          Object.entries(variables)
            .map(([name, value]) => setVariable(shell, name, value))
            .join("\n")
        )
    const notes = applying(
      ...about,
      `The local service is ready. Ctrl-C ends it.${given.json ? "" : " Paste the lines above into another terminal."}`,
      !given.json && given.shell === undefined && `They are for ${shell}; --shell gives those of another shell.`,
      file !== undefined && `${file} has the settings too.`
    )
    // With --json, standard output has them. Without, nothing else does.
    const access = applying(
      apiKey === undefined &&
        "The active key of --data-dir is not in its file api-key, so it can't be printed. Use the key that you noted, or give --new-key.",
      `Platform: ${platformUrl} with X-Admin-Token: ${adminToken}`,
      `Console, by a link that signs in once: ${consoleUrl}`
    )
    yield* unlessQuiet(print(...notes))
    yield* print(...applying(exposure))
    yield* given.json ? unlessQuiet(print(...access)) : print(...access)
    // A link of its own, so that the one that is printed stays unused.
    if (given.open) yield* Effect.forkScoped(Effect.flatMap(service.consoleUrl, openConsole))
  })
