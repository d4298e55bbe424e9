/**
 * The speech service in small, on this machine: both operations of the contract and the platform that keeps the
 * account, each on a port of its own, as in life the hosts differ.
 */
import { randomBytes } from "node:crypto"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ServeError } from "@effect/platform/HttpServerError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { AccountsService } from "./Accounts.js"
import type { FaultsService } from "./Faults.js"
import { Faults, makeFaults } from "./internal/faults/faults.js"
import { listen } from "./internal/http/listener.js"
import type { AnswerProblem } from "./internal/http/requests.js"
import { answerSynthesisProblem, synthesisApp } from "./internal/operations/synthesis.js"
import { answerTranscriptionProblem, transcriptionApp } from "./internal/operations/transcription.js"
import { checkOptions } from "./internal/options.js"
import { answerPlatformProblem, platformApp } from "./internal/platform/platformApp.js"
import { teach, teachDirectory } from "./internal/recordings/teaching.js"
import { Accounts, makeAccounts } from "./internal/state/accounts.js"
import { openDataDirectory } from "./internal/state/dataDirectory.js"
import { makeStamps, Stamps } from "./internal/state/idsAndClock.js"
import { Journal, makeJournal } from "./internal/state/journal.js"
import { makeSpool, Spool } from "./internal/state/temporaryFiles.js"
import type { JournalEntry } from "./Journal.js"
import type { LocalServiceError, RecordingUnusable } from "./LocalServiceError.js"
import { Recogniser, type RecogniserService, type TaughtRecording } from "./Recogniser.js"
import { Voice } from "./Voice.js"

/** What makes two runs of the service the same, byte by byte, but for the voice. */
export interface ReproducibleOptions {
  /** An integer from which call and request ids are made, the same ones in the same order. Default: they are random. */
  readonly seed?: number | undefined
  /** The time that is told, whenever it is. Default: the time it is. */
  readonly fixedTime?: Date | undefined
}

export interface LocalServiceOptions extends ReproducibleOptions {
  /** The port of transcription; synthesis has the next one, the platform the one after. Default: 0, any three. */
  readonly port?: number | undefined
  /** The address that is listened on. Default: 127.0.0.1, which this machine alone can reach. */
  readonly host?: string | undefined
  /** Names by which the service is reached, besides `localhost` and bare addresses. Default: none. */
  readonly hostNames?: ReadonlyArray<string> | undefined
  /** Where keys, credit and usage are kept. Default: in memory, gone with the layer. */
  readonly dataDirectory?: string | undefined
  /** A folder of recordings to know, `name.wav` with its text in `name.txt`; those in a folder `hi` only for Hindi. Default: none. */
  readonly recordings?: string | undefined
  /** The credit that the account begins with. Default: 1,000,000. */
  readonly credits?: number | undefined
  /** What a second of audio costs, each begun one whole. Default: 1. The contract does not show the unit. */
  readonly creditsPerSecond?: number | undefined
  /** Model names, each with its language. Default: `<lang>-general-v2-8khz` and `<lang>-banking-v2-8khz`. */
  readonly models?: Readonly<Record<string, string>> | undefined
  /** The largest recording that is taken, in bytes. Default: 512 MiB. The contract does not show it. */
  readonly maximumUploadBytes?: number | undefined
  /** The longest recording that is taken, in seconds. Default: 7,200. The contract does not show it. */
  readonly maximumRecordingSeconds?: number | undefined
  /** The longest speech that a text may become, in seconds. Default: 7,200. The contract does not show it. */
  readonly maximumSpeechSeconds?: number | undefined
  /** How long nothing may come of a request's body before it is 408, in milliseconds. Default: 60,000. */
  readonly bodyIdleMillis?: number | undefined
}

/** The service in the hand of a test: what the platform offers over HTTP, and recordings to be known. */
export interface LocalServiceHandle {
  readonly sttBaseUrl: string
  readonly ttsBaseUrl: string
  readonly platformUrl: string
  /** For the `X-Admin-Token` header of the platform. */
  readonly adminToken: Redacted.Redacted
  /** Credit, state and keys. */
  readonly accounts: AccountsService
  /** Failures on demand. */
  readonly faults: FaultsService
  /** The latest requests of both operations, the oldest first. */
  readonly requests: Effect.Effect<ReadonlyArray<JournalEntry>>
  readonly recogniser: RecogniserService
  /** Makes a recording known, in any container that the service takes. */
  readonly teach: (recording: TaughtRecording) => Effect.Effect<void, RecordingUnusable>
  /** As at the start: account, keys, faults, requests and recordings; with another seed or time where one is given. */
  readonly reset: (options?: ReproducibleOptions) => Effect.Effect<void>
}

export class LocalService extends Context.Tag("@effect-speech/local-service/LocalService")<
  LocalService,
  LocalServiceHandle & {
    /** A key that is active at the start. */
    readonly apiKey: Redacted.Redacted
  }
>() {
  /**
   * The service with its own voice and recogniser, until the scope of the layer closes. It makes a key of its own, which
   * revokes one that a data directory has from before.
   */
  static readonly layer = (
    options: LocalServiceOptions = {}
  ): Layer.Layer<LocalService, ServeError | LocalServiceError> =>
    LocalService.layerWithoutDependencies(options).pipe(
      Layer.provide([Voice.layerEspeak, Recogniser.layerKnownRecordings(), NodeFileSystem.layer])
    )

  /** The same over a voice and a recogniser of the program's choice. */
  static readonly layerWithoutDependencies = (
    options: LocalServiceOptions = {}
  ): Layer.Layer<LocalService, ServeError | LocalServiceError, Voice | Recogniser | FileSystem.FileSystem> =>
    Layer.scoped(
      LocalService,
      Effect.map(make({ ...options, newKey: true }), ({ apiKey, ...handle }) => ({
        ...handle,
        // With `newKey` there always is one.
        apiKey: apiKey ?? Redacted.make("")
      }))
    )

  /**
   * Both clients of this service, with its addresses and the key that it began with. Clients with options of their own are
   * made by their own layers.
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

export interface MakeOptions extends LocalServiceOptions {
  /** Makes a key also where one is active, which revokes that. Default: false. */
  readonly newKey?: boolean | undefined
}

/**
 * The service itself, until the scope closes, for a program that leaves the key of a data directory as it is. There is an
 * `apiKey` where one was made: a key is shown once.
 */
export const make = (
  options: MakeOptions
): Effect.Effect<
  LocalServiceHandle & { readonly apiKey: Redacted.Redacted | undefined },
  ServeError | LocalServiceError,
  Voice | Recogniser | FileSystem.FileSystem | Scope.Scope
> =>
  Effect.gen(function* () {
    const voice = yield* Voice
    const recogniser = yield* Recogniser
    yield* checkOptions(options)
    const stamps = makeStamps(options)
    const { spool: spoolDirectory, sql } = yield* openDataDirectory(options.dataDirectory)
    const initial = { state: "active", credits: options.credits ?? 1_000_000 } as const
    const accounts = yield* Effect.orDie(makeAccounts(sql, { initial, now: stamps.now }))
    const faults = makeFaults()
    const journal = makeJournal()
    const spool = yield* makeSpool(spoolDirectory)
    const adminToken = Redacted.make(randomBytes(24).toString("base64url"))

    const known = (yield* accounts.keys).active
    const created =
      known === null || options.newKey === true
        ? yield* Effect.orDie(accounts.createKey({ name: "local", creator: "local-service", confirm: true }))
        : undefined
    const firstKey = created?.record.id ?? known?.id

    const models = options.models ?? defaultModels(voice.languages)
    const maximumSeconds = options.maximumRecordingSeconds ?? 7200
    const teachAll =
      options.recordings === undefined
        ? Effect.void
        : teachDirectory(recogniser, {
            directory: options.recordings,
            languages: Object.values(models),
            maximumSeconds
          })
    yield* teachAll

    const handle = {
      accounts,
      adminToken,
      faults,
      recogniser,
      requests: journal.entries,
      teach: (recording: TaughtRecording) => onLiveClock(teach(recogniser, recording, { maximumSeconds })),
      reset: (again?: ReproducibleOptions) =>
        Effect.all(
          [
            accounts.reset(firstKey),
            faults.set([]),
            journal.clear,
            recogniser.forget,
            Effect.sync(() => stamps.restart(again)),
            // They could be taught at the start.
            Effect.orDie(onLiveClock(teachAll))
          ],
          { discard: true }
        )
    }

    const bodyIdleMillis = options.bodyIdleMillis ?? 60_000
    const transcription = transcriptionApp({
      models,
      maximumUploadBytes: options.maximumUploadBytes ?? 512 * 1024 * 1024,
      maximumRecordingSeconds: maximumSeconds,
      creditsPerSecond: options.creditsPerSecond ?? 1,
      bodyIdleMillis
    })
    const synthesisOptions = {
      voice,
      maximumSpeechSeconds: options.maximumSpeechSeconds ?? 7200,
      requestId: stamps.id,
      bodyIdleMillis
    }
    const services = Context.empty().pipe(
      Context.add(Accounts, accounts),
      Context.add(Faults, faults),
      Context.add(Journal, journal),
      Context.add(Spool, spool),
      Context.add(Stamps, stamps)
    )
    const serve = listenOn(options)
    const sttBaseUrl = yield* serve(0, Effect.provide(transcription, services), answerTranscriptionProblem)
    const ttsBaseUrl = yield* serve(
      1,
      Effect.provide(synthesisApp(synthesisOptions), services),
      answerSynthesisProblem(synthesisOptions)
    )
    const { languages, voices } = voice
    const platform = platformApp({ ...handle, sttBaseUrl, ttsBaseUrl, models: Object.keys(models), languages, voices })
    const platformUrl = yield* serve(2, platform, answerPlatformProblem)
    return { ...handle, sttBaseUrl, ttsBaseUrl, platformUrl, apiKey: created?.key }
  }).pipe(onLiveClock)

/** What goes over the network, or is done by a thread, takes its time, whatever clock a test has. */
const onLiveClock = Effect.withClock(Clock.make())

const defaultModels = (languages: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    languages.flatMap((lang) => [
      [`${lang}-general-v2-8khz`, lang],
      [`${lang}-banking-v2-8khz`, lang]
    ])
  )

const listenOn =
  ({ host = "127.0.0.1", hostNames = [], port = 0 }: LocalServiceOptions) =>
  <R>(offset: number, app: HttpApp.Default<never, R>, answerProblem: AnswerProblem) =>
    listen(app, { host, hostNames, port: port === 0 ? 0 : port + offset, answerProblem })
