/**
 * The Effect clients that do the work: each is made at the first call that needs it, once.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import { SpeechToText, type SpeechToTextService } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Environment from "@effect-speech/transport/unstable/Environment"
import { TextToSpeech, type TextToSpeechService } from "@effect-speech/tts/TextToSpeech"
import * as ConfigError from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { ConnectOptions } from "../SpeechClient.js"
import type { Calls } from "./calls.js"

/** What a client is made of. */
export interface Services {
  /** The defaults of its calls. */
  readonly deadlines: ConnectOptions["deadlines"]
  readonly textToSpeech: Effect.Effect<TextToSpeechService, unknown>
  readonly speechToText: Effect.Effect<SpeechToTextService, unknown>
  readonly files: Effect.Effect<Context.Context<FileSystem.FileSystem>>
  /** Closes the connections. */
  readonly close: Effect.Effect<void>
}

type Transport = Context.Context<HttpClient.HttpClient | FileSystem.FileSystem>

type ApiKey = Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown>

/** The name of an address in `ConnectOptions`, and its variable. */
const addresses = {
  ttsBaseUrl: "SPEECH_TTS_BASE_URL",
  sttBaseUrl: "SPEECH_STT_BASE_URL"
} as const

/** A `ConfigError` of the base URL names the option of `connect` or the variable that has the value. */
export const withOptionName =
  (name: string) =>
  <A, E, R>(made: Effect.Effect<A, E, R>): Effect.Effect<A, E | ConfigError.ConfigError, R> =>
    Effect.mapError(made, (error) =>
      ConfigError.isConfigError(error) && error._op === "InvalidData" && error.path[0]?.startsWith("baseUrl") === true
        ? ConfigError.InvalidData([name], error.message)
        : error
    )

const commonOptions = ({ allowInsecureHttp, concurrency, deadlines, retries, retryAmbiguous }: ConnectOptions) => ({
  allowInsecureHttp,
  concurrency,
  deadlines,
  retries,
  retryAmbiguous
})

export const makeTextToSpeech = (options: ConnectOptions, apiKey: ApiKey, baseUrl: string) =>
  TextToSpeech.make({ ...commonOptions(options), apiKey, baseUrl })

export const makeSpeechToText = (options: ConnectOptions, apiKey: ApiKey, baseUrl: string) =>
  SpeechToText.make({ ...commonOptions(options), hotwordEncoding: options.hotwordEncoding, apiKey, baseUrl })

/** The key as the Effect clients take it. */
const apiKeyOf = (given: ConnectOptions["apiKey"]): Effect.Effect<ApiKey, ConfigError.ConfigError> => {
  if (given === undefined) return Environment.apiKey
  if (typeof given === "string") return Effect.succeed(Redacted.make(given))
  return Effect.succeed(
    Effect.map(Effect.tryPromise({ try: async () => given(), catch: (error) => error }), Redacted.make)
  )
}

/** Reads the variables where the options say, when the effect runs. */
const withVariables =
  ({ environment }: ConnectOptions) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const entries = Object.entries(environment ?? process.env)
      const variables = entries.filter((entry): entry is [string, string] => entry[1] !== undefined)
      return Effect.withConfigProvider(effect, ConfigProvider.fromMap(new Map(variables)))
    })

/** The services of a client, as of `options`, which are valid. */
export const makeServices = (options: ConnectOptions, calls: Calls): Services => {
  const { close, transport } = makeTransport(calls)
  const { apiKey: given } = options
  // The key is that of the client, so its reader must not see the async context of any call.
  const readKey = typeof given === "function" ? AsyncLocalStorage.bind(given) : given
  const service = <A, E>(
    address: keyof typeof addresses,
    make: (apiKey: ApiKey, baseUrl: string) => Effect.Effect<A, E, HttpClient.HttpClient | FileSystem.FileSystem>
  ) =>
    once(
      calls,
      Effect.gen(function* () {
        const variable = addresses[address]
        const given = options[address]
        const baseUrl = given ?? (yield* Environment.baseUrl(variable))
        const apiKey = yield* apiKeyOf(readKey)
        const context: Transport = yield* transport
        return yield* withOptionName(given === undefined ? variable : address)(
          Effect.provide(make(apiKey, baseUrl), context)
        )
      }).pipe(withVariables(options))
    )
  return {
    deadlines: options.deadlines,
    textToSpeech: service("ttsBaseUrl", (...values) => makeTextToSpeech(options, ...values)),
    speechToText: service("sttBaseUrl", (...values) => makeSpeechToText(options, ...values)),
    files: transport,
    close
  }
}

/** The connections and the files of this machine, opened at the first call that needs them. */
export const makeTransport = (
  calls: Calls
): { readonly transport: Effect.Effect<Transport>; readonly close: Effect.Effect<void> } => {
  const scope = Effect.runSync(Scope.make())
  return {
    transport: once(calls, Layer.buildWithScope(NodeTransport.layer, scope)),
    close: Scope.close(scope, Exit.void)
  }
}

/**
 * What `make` gives, once. Calls that come while it is made wait for it in their order, and none of them ends it. After a failure the
 * next call makes it anew.
 */
const once = <A, E>(calls: Calls, make: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let made: Effect.Effect<A> | undefined
  /** The calls that wait for it, while it is made. */
  let waiting: Set<(outcome: Effect.Effect<A, E>) => void> | undefined
  const begin = (resumes: NonNullable<typeof waiting>) => {
    waiting = resumes
    calls.fork(make).addObserver((exit) => {
      waiting = undefined
      if (Exit.isSuccess(exit)) made = Effect.succeed(exit.value)
      for (const resume of resumes) resume(exit)
    })
  }
  return Effect.suspend(
    () =>
      made ??
      Effect.async<A, E>((resume) => {
        const resumes = waiting ?? new Set()
        resumes.add(resume)
        if (waiting === undefined) begin(resumes)
        return Effect.sync(() => resumes.delete(resume))
      })
  )
}
