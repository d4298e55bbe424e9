/**
 * The speech service in small, on this machine: both operations of the contract and the platform that keeps the
 * account, each on a port of its own, as in life the hosts differ.
 */
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpApp from "@effect/platform/HttpApp"
import type { ServeError } from "@effect/platform/HttpServerError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Accounts, type AccountsService } from "./Accounts.js"
import { platformApp } from "./internal/platformApp.js"
import { synthesisApp } from "./internal/synthesisApp.js"
import { transcriptionApp } from "./internal/transcriptionApp.js"
import { Recogniser, type RecogniserService } from "./Recogniser.js"
import { Voice } from "./Voice.js"

export interface LocalServiceOptions {
  /** The port of transcription; synthesis has the next one, the platform the one after. Default: 0, any three. */
  readonly port?: number | undefined
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
}

export interface LocalServiceHandle {
  readonly sttBaseUrl: string
  readonly ttsBaseUrl: string
  readonly platformUrl: string
  /** The active key at the start. */
  readonly apiKey: Redacted.Redacted
  /** For the `X-Admin-Token` header of the platform. */
  readonly adminToken: Redacted.Redacted
  /** The account, without the way over HTTP. */
  readonly accounts: AccountsService
  /** To teach recordings. */
  readonly recogniser: RecogniserService
}

const host = "127.0.0.1"

export class LocalService extends Context.Tag("@effect-speech/local-service/LocalService")<
  LocalService,
  LocalServiceHandle
>() {
  /** The service with its own voice and recogniser, until the scope of the layer closes. */
  static readonly layer = (options: LocalServiceOptions = {}): Layer.Layer<LocalService, ServeError> =>
    Layer.scoped(LocalService, make(options)).pipe(
      Layer.provide([
        Voice.layerEspeak,
        Recogniser.layerKnownRecordings(),
        Accounts.layerMemory({ state: "active", credits: options.credits ?? 1_000_000 }),
        NodeFileSystem.layer
      ])
    )
}

/** The service over a voice, a recogniser and an account of the program's choice. */
export const make = (
  options: LocalServiceOptions
): Effect.Effect<LocalServiceHandle, ServeError, Voice | Recogniser | Accounts | FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const voice = yield* Voice
    const accounts = yield* Accounts
    const recogniser = yield* Recogniser
    const adminToken = Redacted.make(randomBytes(24).toString("base64url"))
    const { key } = yield* accounts.createKey("local", "local-service")
    const port = (offset: number) => (options.port ?? 0) && (options.port ?? 0) + offset

    const transcription = transcriptionApp({
      models: options.models ?? defaultModels(voice.languages),
      maximumUploadBytes: options.maximumUploadBytes ?? 512 * 1024 * 1024,
      maximumRecordingSeconds: options.maximumRecordingSeconds ?? 7200,
      creditsPerSecond: options.creditsPerSecond ?? 1
    })
    return {
      sttBaseUrl: yield* listen(transcription, port(0)),
      ttsBaseUrl: yield* listen(synthesisApp, port(1)),
      platformUrl: yield* listen(platformApp(adminToken), port(2)),
      apiKey: key,
      adminToken,
      accounts,
      recogniser
    }
  })

const defaultModels = (languages: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    languages.flatMap((lang) => [
      [`${lang}-general-v2-8khz`, lang],
      [`${lang}-banking-v2-8khz`, lang]
    ])
  )

const listen = <E, R>(app: HttpApp.Default<E, R>, port: number) =>
  Effect.gen(function* () {
    const node = createServer()
    const server = yield* NodeHttpServer.make(() => node, { host, port })
    // A client that goes away ends the work for it, which is not so of itself.
    yield* server.serve(Effect.interruptible(app))
    // Nothing is spoken here but HTTP/1.1; with a listener for it, an offer to upgrade would lose the body.
    node.removeAllListeners("upgrade")
    // Runs before the server's own close, which would wait for connections that nobody ends.
    yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
    return server.address._tag === "TcpAddress" ? `http://${host}:${server.address.port}` : server.address.path
  })
