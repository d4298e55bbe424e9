/**
 * The local service, with the options of a command.
 */
import * as Espeak from "@effect-speech/local-service/Espeak"
import * as KnownRecordings from "@effect-speech/local-service/KnownRecordings"
import { LocalService } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import { Voice } from "@effect-speech/local-service/Voice"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { checkOutput } from "./checkOutput.js"
import type { Given } from "./declaration.js"
import {
  checkExchanges,
  describeExchanges,
  describeSource,
  describeUnrecorded,
  readRecordedService
} from "./exchanges.js"
import { refuse, type UsageError } from "./failure.js"
import { note } from "./message.js"
import { typeOf } from "./pathType.js"

/** The options that say how to run models. */
const ofModels = ["idle", "preload", "queue", "threads"] as const

const check = (given: Given<"run">): Effect.Effect<void, UsageError> => {
  const { capacity, dataDir, models, newKey, recordings } = given
  if (newKey && dataDir === undefined) {
    return refuse("--new-key is for a --data-dir, whose key it replaces. Without one each start creates a key.")
  }
  if (dataDir !== undefined && typeOf(dataDir) === "file") return refuse("--data-dir must be a folder.")
  if (recordings !== undefined && typeOf(recordings) !== "folder") {
    return refuse("--recordings must be a folder that exists.")
  }
  if (capacity !== undefined && capacity <= 0) return refuse("--capacity must be a number above 0.")
  if (models !== undefined && typeOf(models) !== "folder") return refuse("--models must be a folder that exists.")
  const alone = ofModels.find((name) => given[name] !== undefined && given[name] !== false)
  if (models === undefined && alone !== undefined) return refuse(`--${alone} is for the models of --models FOLDER.`)
  return checkExchanges(given)
}

const builtInRecogniser = ({ capacity }: Given<"run">) =>
  KnownRecordings.layer({ capacity: capacity === undefined ? undefined : Duration.hours(capacity) })

/** What speaks and what listens until the scope closes, and what to say of a folder of models. */
const openEngines = (given: Given<"run">) =>
  Effect.gen(function* () {
    if (given.models === undefined) {
      const engines = yield* Layer.build(Layer.merge(Espeak.layer, builtInRecogniser(given)))
      return { engines, aboutModels: [], problems: [] }
    }
    const { describeContents, describeProblems, openModels } = yield* Effect.promise(() => import("./models.js"))
    const { contents, recogniser, voice } = yield* openModels(given.models, given)
    const engines = yield* Layer.build(
      Layer.merge(
        voice === undefined ? Espeak.layer : Layer.succeed(Voice, voice),
        recogniser === undefined ? builtInRecogniser(given) : Layer.succeed(Recogniser, recogniser)
      )
    )
    return { engines, aboutModels: describeContents(contents), problems: describeProblems(contents) }
  })

/** The faults of `--faults`. Only this option loads the reader. */
const faultsOf = ({ faults, faultsReport }: Given<"run">) =>
  Effect.gen(function* () {
    if (faults === undefined) {
      return yield* faultsReport === undefined ? Effect.succeed([]) : refuse("--faults-report is for --faults FILE.")
    }
    const { readFaults } = yield* Effect.promise(() => import("./faults.js"))
    const read = yield* readFaults(faults)
    if (faultsReport !== undefined) yield* checkOutput(faultsReport, "--faults-report")
    return read
  })

/** Runs the service until the scope closes. `apiKey` is `undefined` if an earlier version created it in `--data-dir`. */
export const startService = (given: Given<"run">) =>
  Effect.gen(function* () {
    yield* check(given)
    const faults = yield* faultsOf(given)
    const record = given.record === undefined ? undefined : yield* readRecordedService(given.record)
    const { aboutModels, engines, problems } = yield* openEngines(given)
    // Runs after the service has ended.
    let summary: Effect.Effect<void> = Effect.void
    yield* Effect.addFinalizer(() => Effect.suspend(() => summary))
    const { credits, dataDir, host, hostNames, newKey, port, recordings, replay } = given
    const service = yield* LocalService.make({
      port,
      host,
      hostNames,
      credits,
      dataDirectory: dataDir,
      newKey,
      recordings,
      record,
      replay
    }).pipe(Effect.provide(engines))
    yield* service.faults.set(faults)
    const { adminToken, apiKey, consoleLink, platformUrl, sttBaseUrl, ttsBaseUrl } = service
    summary = Effect.flatMap(service.exchanges, (counts) => note(...describeExchanges(given, counts)))
    return {
      sttBaseUrl,
      ttsBaseUrl,
      platformUrl,
      apiKey: apiKey && Redacted.value(apiKey),
      adminToken: Redacted.value(adminToken),
      faults: service.faults,
      /** What each model does, which folders are none, and where the responses come from. */
      notes: [...aboutModels, ...describeSource(given, record)],
      /** Which folders of `--models` are no models, and which operation is not recorded, and why. */
      problems: [...problems, ...describeUnrecorded(record)],
      /** A new link, which signs a browser in at the console once. */
      consoleUrl: Effect.map(consoleLink, Redacted.value)
    }
  })

/** A service that runs, as the commands use it. */
export type StartedService = Effect.Effect.Success<ReturnType<typeof startService>>
