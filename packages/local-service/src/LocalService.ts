/**
 * The speech service on this machine: transcription, synthesis and the platform that manages the account. Each has its
 * own port, because in production each has its own host.
 */
import { randomBytes } from "node:crypto"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ServeError } from "@effect/platform/HttpServerError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as SttContract from "@effect-speech/stt/SttContract"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { AccountsService } from "./Accounts.js"
import * as Espeak from "./Espeak.js"
import type { ExchangeCounts } from "./ExchangeCounts.js"
import type { FaultsService } from "./Faults.js"
import { Accounts, type BillableAccounts, makeAccounts } from "./internal/account/accounts.js"
import { openDataDirectory, refuseFullDisk } from "./internal/account/dataDirectory.js"
import type { KeptKey } from "./internal/account/keptKey.js"
import type { CallsOptions } from "./internal/console/calls.js"
import { makeSessions } from "./internal/console/sessions.js"
import { IdsAndClock, makeIdsAndClock } from "./internal/contract/idsAndClock.js"
import { synthesisHandler, synthesisProblemToResponse } from "./internal/contract/synthesis.js"
import { transcriptionHandler, transcriptionProblemToResponse } from "./internal/contract/transcription.js"
import { makeCounter } from "./internal/exchanges/exchanges.js"
import { Faults, makeFaults } from "./internal/faults/faults.js"
import { type ListenOptions, listen } from "./internal/http/listener.js"
import type { ProblemToResponse } from "./internal/http/problems.js"
import { makeChanges } from "./internal/journal/changes.js"
import { Journal, makeJournal } from "./internal/journal/journal.js"
import { makeKeptFiles } from "./internal/journal/keptFiles.js"
import { offersOf, resolveOptions, type Settings } from "./internal/options.js"
import { makeModels } from "./internal/platform/models.js"
import { platformApp, platformProblemToResponse } from "./internal/platform/platformApp.js"
import { withDocument } from "./internal/platform/withDocument.js"
import { monotonicMillis, realClock } from "./internal/realTime.js"
import { type RecordingsFolder, teach, teachDirectory } from "./internal/recordings/teaching.js"
import { makeTemporaryFiles, TemporaryFiles } from "./internal/recordings/temporaryFiles.js"
import type { JournalEntry } from "./Journal.js"
import * as KnownRecordings from "./KnownRecordings.js"
import type { LocalServiceError, LocalServiceRecordingUnusable } from "./LocalServiceError.js"
import type { LocalServiceOptions, ReproducibleOptions } from "./LocalServiceOptions.js"
import type { Model } from "./Models.js"
import { Recogniser, type RecogniserService, type TaughtRecording } from "./Recogniser.js"
import { Voice } from "./Voice.js"

export type { LocalServiceOptions, RecordOptions, ReproducibleOptions } from "./LocalServiceOptions.js"

/**
 * A running local service: its addresses, its state, and its faults.
 *
 * `teach` fails with `LocalServiceRecordingUnusable` if the recording can't be read, or if the recogniser can't be taught. Nothing else in it
 * fails, but `accounts` has errors of its own.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Console, Effect, Redacted } from "effect"
 *
 * export const printAddresses = Effect.gen(function* () {
 *   const service = yield* LocalService
 *   yield* Console.log(`${service.sttBaseUrl} transcribes, and ${service.ttsBaseUrl} speaks.`)
 *   yield* Console.log(`Open ${Redacted.value(yield* service.consoleLink)}`)
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface LocalServiceHandle {
  /** Base URL of transcription. */
  readonly sttBaseUrl: string
  /** Base URL of synthesis. */
  readonly ttsBaseUrl: string
  /** Base URL of the platform. */
  readonly platformUrl: string
  /** Value of the platform's `X-Admin-Token` header. */
  readonly adminToken: Redacted.Redacted
  /** A new link to the console, which signs a browser in once. Of those that are not used, the latest 100 are valid. */
  readonly consoleLink: Effect.Effect<Redacted.Redacted>
  /** Reads and changes the account's credit, state and keys. */
  readonly accounts: AccountsService
  /** Injects failures. */
  readonly faults: FaultsService
  /** The latest thousand requests of both operations, oldest first. */
  readonly requests: Effect.Effect<ReadonlyArray<JournalEntry>>
  /** How many requests were recorded or replayed since the start. All are 0 without the options `record` and `replay`. */
  readonly exchanges: Effect.Effect<ExchangeCounts>
  /** With what it recognises and speaks, at this moment. */
  readonly models: Effect.Effect<ReadonlyArray<Model>>
  /** Turns recordings into text. */
  readonly recogniser: RecogniserService
  /** Teaches the recogniser a recording in any supported container. Fails if it can't be taught: `recogniser.knownRecordings`. */
  readonly teach: (recording: TaughtRecording) => Effect.Effect<void, LocalServiceRecordingUnusable>
  /**
   * Restores the account and the key of the start, clears faults, requests and recordings, and teaches the `recordings` directory again.
   * The credit is that of the options, also with a data directory. `seed` and `fixedTime` replace those of the options until the next
   * `reset`. If a recording of the directory can't be taught any more, that is a defect.
   */
  readonly reset: (options?: ReproducibleOptions) => Effect.Effect<void>
}

/**
 * Options of `LocalService.make`.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 *
 * // A new key revokes the active one of the directory.
 * export const start = LocalService.make({ dataDirectory: "speech-data", newKey: true })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface LocalServiceMakeOptions extends LocalServiceOptions {
  /** Creates a key even if one is active, which revokes the active one. Default: false. */
  readonly newKey?: boolean | undefined
}

/**
 * The speech service on this machine, as a service of Effect. Use `layer` in a test or beside an app, `layerWithoutDependencies` with your own voice
 * and recogniser, and `make` if the active key of a data directory must stay. `layerClients` connects both clients to it.
 *
 * `make` and the layers of the service fail with `LocalServiceOptionInvalid` if an option is not allowed, with
 * `LocalServiceDataDirectoryUnusable` if the data directory or the temporary folder can't be used, or another service uses the directory, with
 * `LocalServiceRecordingUnusable` if a file of `recordings` can't be taught, with `LocalServiceExchangesUnusable` if the folder of `record` or
 * `replay` can't be used, and with `ServeError` if it can't listen: a port is taken, or `host` is no address of this machine. `layerClients`
 * does not fail.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import * as NodeTransport from "@effect-speech/transport/NodeTransport"
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const tts = yield* TextToSpeech
 *   yield* tts.synthesize({ text: "Platform two", lang: "en" })
 *   const { requests } = yield* LocalService
 *   return yield* requests
 * })
 *
 * const MainLive = LocalService.layerClients.pipe(
 *   Layer.provideMerge(Layer.merge(LocalService.layer({ credits: 100 }), NodeTransport.layer))
 * )
 *
 * Effect.runPromise(Effect.provide(program, MainLive))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class LocalService extends Context.Tag("@effect-speech/local-service/LocalService")<
  LocalService,
  LocalServiceHandle & {
    /** API key that is active at the start. */
    readonly apiKey: Redacted.Redacted
  }
>() {
  /**
   * Runs the service until the scope closes. Unlike `layer`, it keeps the active key of a data directory. `apiKey` is `undefined` if the
   * directory does not have that key: an earlier version created it, or the file `api-key` was removed.
   */
  static readonly make = (
    options?: LocalServiceMakeOptions
  ): Effect.Effect<
    LocalServiceHandle & { readonly apiKey: Redacted.Redacted | undefined },
    ServeError | LocalServiceError,
    Voice | Recogniser | FileSystem.FileSystem | Scope.Scope
  > => make(options)

  /**
   * Runs the service with espeak-ng's voice and the recogniser of known recordings until the layer closes. It creates
   * a new key, which revokes the active key of a data directory.
   */
  static readonly layer = (
    options: LocalServiceOptions & KnownRecordings.KnownRecordingsOptions = {}
  ): Layer.Layer<LocalService, ServeError | LocalServiceError> =>
    LocalService.layerWithoutDependencies(options).pipe(
      Layer.provide([Espeak.layer, KnownRecordings.layer(options), NodeFileSystem.layer])
    )

  /** Like `layer`, with your own voice and recogniser. */
  static readonly layerWithoutDependencies = (
    options: LocalServiceOptions = {}
  ): Layer.Layer<LocalService, ServeError | LocalServiceError, Voice | Recogniser | FileSystem.FileSystem> =>
    Layer.scoped(
      LocalService,
      Effect.map(make({ ...options, newKey: true }), ({ apiKey, ...handle }) => ({
        ...handle,
        // `newKey` always creates one.
        apiKey: apiKey ?? Redacted.make("")
      }))
    )

  /**
   * Both clients, connected to this service with its first key and default options. For other options, use the clients'
   * own layers.
   */
  static readonly layerClients: Layer.Layer<
    SpeechToText | TextToSpeech,
    never,
    LocalService | HttpClient.HttpClient | FileSystem.FileSystem
  > = Layer.unwrapEffect(
    Effect.map(LocalService, ({ apiKey, sttBaseUrl, ttsBaseUrl }) =>
      Layer.merge(
        SpeechToText.layer({ apiKey, baseUrl: sttBaseUrl, allowInsecureHttp: true }),
        TextToSpeech.layer({ apiKey, baseUrl: ttsBaseUrl, allowInsecureHttp: true })
      )
    )
  ).pipe(Layer.orDie)
}

const make: typeof LocalService.make = (options = {}) =>
  Effect.gen(function* () {
    const voice = yield* Voice
    const recogniser = yield* Recogniser
    const settings = yield* resolveOptions(options, { recogniser, voice })

    const { accounts, apiKey, changes, context, faults, idsAndClock, journal, keptKey, keyId, temporaryFiles } =
      yield* makeState(options, settings.credits)
    const adminToken = Redacted.make(randomBytes(24).toString("base64url"))
    const sessions = makeSessions(adminToken)

    const decodeLimits = { maximumSeconds: settings.maximumRecordingSeconds }
    const teachRecordings = teachFolder(recogniser, options.recordings, {
      languages: Array.from(settings.models.values(), ({ lang }) => lang),
      ...decodeLimits
    })
    yield* teachRecordings

    const exchanges = yield* openExchanges(options, settings)

    const handle = {
      accounts,
      adminToken,
      faults,
      recogniser,
      models: makeModels({ recogniser, voice, models: settings.models }),
      requests: journal.entries,
      exchanges: exchanges?.counts ?? makeCounter().counts,
      teach: (recording: TaughtRecording) => onLiveClock(teach(recogniser, recording, decodeLimits)),
      reset: (reproducible?: ReproducibleOptions) =>
        Effect.all(
          [
            accounts.reset(keyId),
            apiKey === undefined ? Effect.void : keptKey.write(Redacted.value(apiKey)),
            faults.set([]),
            journal.clear,
            recogniser.knownRecordings?.forget ?? Effect.void,
            exchanges?.reset ?? Effect.void,
            Effect.sync(() => idsAndClock.restart(reproducible)),
            // The same recordings were taught at the start without an error.
            Effect.orDie(onLiveClock(teachRecordings))
          ],
          { discard: true }
        )
    }

    const state = Context.add(context, Recogniser, recogniser)
    const serve = serverOf(settings)
    const synthesisOptions = { ...settings, voice, makeRequestId: idsAndClock.nextId }
    const transcription = transcriptionHandler(settings, exchanges)
    const synthesis = synthesisHandler(synthesisOptions, exchanges)
    const offers = offersOf(settings, voice.voices)
    // What is recorded or replayed has the models and voices of another service.
    const documented = <E, R>(operation: HttpApp.Default<E, R>, path: string) =>
      exchanges === undefined ? withDocument(operation, path, offers) : operation
    const ofTranscription = documented(transcription, SttContract.path)
    const ofSynthesis = documented(synthesis, TtsContract.path)
    const sttBaseUrl = yield* Effect.provide(serve(0, ofTranscription, transcriptionProblemToResponse), state)
    const ttsBaseUrl = yield* Effect.provide(serve(1, ofSynthesis, synthesisProblemToResponse(synthesisOptions)), state)
    const urls = { sttBaseUrl, ttsBaseUrl }
    const withoutKey = Context.add(state, Accounts, { ...accounts, authorize: () => accounts.authorizeConsole })
    const calls = yield* loadCalls({
      ...urls,
      transcription: Effect.provide(transcription, withoutKey),
      synthesis: Effect.provide(synthesis, withoutKey),
      operationWith: (operation, change) =>
        Effect.provide(
          operation === "transcribe" ? transcription : synthesis,
          Context.add(withoutKey, Journal, change(journal))
        ),
      voice,
      recogniser,
      temporaryFiles,
      settings
    })
    const { counts } = journal
    const platform = platformApp({ ...handle, ...urls, ...offers, journal, counts, sessions, changes, calls })
    const platformUrl = yield* serve(2, platform, platformProblemToResponse)
    const consoleLink = Effect.sync(() => Redacted.make(`${platformUrl}/#${Redacted.value(sessions.newCode())}`))
    return { ...handle, ...urls, platformUrl, consoleLink, apiKey }
  }).pipe(onLiveClock)

/** Teaches the recordings of a folder, if there is one. */
const teachFolder = (
  recogniser: RecogniserService,
  directory: string | undefined,
  options: Omit<RecordingsFolder, "directory">
) => (directory === undefined ? Effect.void : teachDirectory(recogniser, { directory, ...options }))

/** What takes the place of the voice and the recogniser. Without these options it is not loaded: `undefined`. */
const openExchanges = ({ record, replay }: LocalServiceOptions, { bodyIdleMillis }: Settings) =>
  Effect.gen(function* () {
    if (replay !== undefined) {
      const { makeReplay } = yield* Effect.promise(() => import("./internal/exchanges/replay.js"))
      return yield* makeReplay({ folder: replay, bodyIdleMillis })
    }
    if (record === undefined) return undefined
    const { makeRecorder } = yield* Effect.promise(() => import("./internal/exchanges/record.js"))
    return yield* makeRecorder({ ...record, bodyIdleMillis })
  })

/** The calls of the console. The first of them loads the clients: the page needs them, and the start does not. */
const loadCalls = (options: CallsOptions) =>
  Effect.flatMap(Effect.context<FileSystem.FileSystem | Scope.Scope>(), (context) =>
    Effect.cached(
      Effect.promise(() => import("./internal/console/calls.js")).pipe(
        Effect.flatMap(({ makeCalls }) => makeCalls(options)),
        Effect.provide(context),
        Effect.uninterruptible
      )
    )
  )

/** The state of a service, also as the context of its operations. */
const makeState = (options: LocalServiceMakeOptions, credits: number) =>
  Effect.gen(function* () {
    const idsAndClock = makeIdsAndClock(options)
    const { hasRoom, keptKey, temporaryFolder, sql } = yield* openDataDirectory(options.dataDirectory)
    const changes = makeChanges()
    const initial = { state: "active", credits } as const
    const { accounts, apiKey, keyId } = yield* Effect.gen(function* () {
      const { changed } = changes
      const accounts = yield* Effect.orDie(
        makeAccounts(sql, { initial, hasRoom, keep: keptKey.write, now: idsAndClock.now, changed })
      )
      return { accounts, ...(yield* firstKey(accounts, options.newKey === true ? undefined : keptKey.read)) }
    }).pipe(refuseFullDisk(options.dataDirectory))
    const temporaryFiles = yield* makeTemporaryFiles(temporaryFolder)
    const faults = makeFaults({ ...changes, now: monotonicMillis })
    const files = yield* makeKeptFiles<object>(temporaryFolder)
    const keys = options.record === undefined ? [] : [options.record.apiKey]
    const journal = makeJournal({ changes, files, keys })
    const context = Context.empty().pipe(
      Context.add(Accounts, accounts),
      Context.add(Faults, faults),
      Context.add(Journal, journal),
      Context.add(TemporaryFiles, temporaryFiles),
      Context.add(IdsAndClock, idsAndClock)
    )
    return { accounts, apiKey, changes, context, faults, idsAndClock, journal, keptKey, keyId, temporaryFiles }
  })

/** The active key of a data directory, if `kept` has it. Creates a key if none is active, or without `kept`. */
const firstKey = (accounts: BillableAccounts, kept: KeptKey["read"] | undefined) =>
  Effect.gen(function* () {
    const { active } = yield* accounts.keys
    if (active !== null && kept !== undefined) {
      const key = yield* kept
      const apiKey = accounts.isActive(key) ? Redacted.make(key) : undefined
      return { keyId: active.id, apiKey }
    }
    const created = yield* accounts.createKey({ name: "local", creator: "local-service", confirm: true })
    return { keyId: created.record.id, apiKey: created.key }
  }).pipe(Effect.orDie)

/** Sockets and threads take real time, so they ignore a TestClock and fake timers. */
const onLiveClock = Effect.withClock(realClock)

/** Serves an app at `offset` ports after the first. Port 0 stays 0: the system chooses each. */
const serverOf =
  ({ host, hostNames, port }: Omit<ListenOptions, "problemToResponse">) =>
  <R>(offset: number, app: HttpApp.Default<never, R>, problemToResponse: ProblemToResponse) =>
    listen(app, { host, hostNames, port: port === 0 ? 0 : port + offset, problemToResponse })
