/**
 * What the clients of all operations share: options, connection, layers, test double, and the errors that do not depend on the
 * contract. The module of a client adds the rest: its request, its response, its statuses and their errors.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { CallReport, Sent } from "../CallReport.js"
import type { ClientOptions } from "../ClientOptions.js"
import { makeTransport, type Transport } from "../internal/call/makeTransport.js"
import { makeRetryBudget } from "../internal/call/retryBudget.js"
import * as Concurrency from "../internal/options/concurrency.js"
import * as Deadlines from "../internal/options/deadlines.js"
import * as OptionalConfig from "../internal/options/optionalConfig.js"
import * as Retries from "../internal/options/retries.js"
import type { ServiceError } from "../ServiceError.js"
import type { TestAnswer, TestCalls } from "../Testing.js"
import * as BaseUrl from "./BaseUrl.js"
import * as Environment from "./Environment.js"
import type { ConnectionFailed, DeadlineExceeded, Failure, InvalidApiKey, UploadFailed } from "./Failure.js"
import type { Response } from "./Operation.js"

/**
 * Where the requests of an operation go, by its contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint<E> {
  /** Path below the base URL. */
  readonly path: string
  /** Name of the header that carries the key. */
  readonly apiKeyHeader: string
  /** Environment variable of the base URL. */
  readonly baseUrlVariable: "SPEECH_STT_BASE_URL" | "SPEECH_TTS_BASE_URL"
  /** Default of `deadlines.answer`. */
  readonly answerDeadline: Duration.DurationInput
  /** The error of a key that can't be read or has the wrong form. */
  readonly InvalidApiKey: new (facts: {
    readonly problem: string
  }) => E
}

export type { Opened, Transport } from "../internal/call/makeTransport.js"

/**
 * A transport to an endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Connection {
  readonly transport: Transport
  /** The address of the operation. */
  readonly url: URL
  /** The base URL, without a slash at its end. */
  readonly baseUrl: string
}

/**
 * Checks the options, fills in the defaults, and makes the transport.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect = <E, R, OperationError extends ServiceError>(
  { InvalidApiKey, answerDeadline, apiKeyHeader, baseUrlVariable, path }: Endpoint<E>,
  options: ClientOptions<R, OperationError>
): Effect.Effect<Connection, ConfigError.ConfigError | E, R | HttpClient.HttpClient> =>
  Effect.gen(function* () {
    // It may come from `process.env`, against its type.
    const base = yield* BaseUrl.parse(`baseUrl (${baseUrlVariable})`, options.baseUrl ?? "", options)
    const transport = yield* Effect.mapError(
      makeTransport(
        {
          apiKey: options.apiKey,
          apiKeyHeader,
          baseUrl: base,
          deadlines: yield* Deadlines.parse(options.deadlines ?? {}, answerDeadline),
          retries: yield* Retries.parse(options),
          concurrency: yield* Concurrency.parse(options)
        },
        makeRetryBudget()
      ),
      ({ problem }) => new InvalidApiKey({ problem })
    )
    return {
      transport,
      url: BaseUrl.resolve(base, path),
      baseUrl: BaseUrl.resolve(base, "").href.replace(/\/$/, "")
    }
  })

/**
 * The layer of a client from a `Config` of its options, or from a record with a `Config` for each option.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = <Self, Service, Options extends object, E, R>(
  tag: Context.Tag<Self, Service>,
  make: (options: Options) => Effect.Effect<Service, E, R>,
  options: Config.Config.Wrap<Options>
): Layer.Layer<Self, E | ConfigError.ConfigError, R> =>
  Layer.effect(tag, Effect.flatMap(OptionalConfig.unwrap<Options>(options), make))

/**
 * The layer of a client from `SPEECH_API_KEY` and the variable of its base URL.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerFromEnv = <Self, Service, E, R>(
  tag: Context.Tag<Self, Service>,
  make: (options: ClientOptions) => Effect.Effect<Service, E, R>,
  { baseUrlVariable }: Pick<Endpoint<unknown>, "baseUrlVariable">
): Layer.Layer<Self, E | ConfigError.ConfigError, R> =>
  Layer.effect(
    tag,
    Effect.flatMap(Config.all({ apiKey: Environment.apiKey, baseUrl: Environment.baseUrl(baseUrlVariable) }), make)
  )

/**
 * A call of a test double.
 *
 * @since 0.1.0
 * @category models
 */
export interface TestCall<Request, A> {
  /** The checked request. */
  readonly request: Request
  /** Number of the call. Counts from 1. */
  readonly number: number
  readonly given: A
}

/**
 * The parts of a test double.
 *
 * @since 0.1.0
 * @category models
 */
export interface TestDouble<Self, Service, Calls, Request, A, E> {
  readonly tag: Context.Tag<Self, Service>
  readonly calls: Context.Tag<Calls, TestCalls<Request>>
  /** Checks a request as the client does. */
  readonly validate: (request: Request) => Either.Either<Request, E>
  readonly answer: TestAnswer<Request, A, E>
  /** Makes the service. `call` checks a request, records it, and gives its outcome. */
  readonly service: (call: (request: Request) => Effect.Effect<TestCall<Request, A>, E>) => Service
}

/**
 * A layer of a test double, and of the requests that it received.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerTest = <Self, Service, Calls, Request, A, E>({
  answer,
  calls,
  service,
  tag,
  validate
}: TestDouble<Self, Service, Calls, Request, A, E>): Layer.Layer<Self | Calls> =>
  Layer.effectContext(
    Effect.sync(() => {
      const received: Array<Request> = []
      let latest = 0
      const call = (given: Request) =>
        Effect.gen(function* () {
          const request = yield* validate(given)
          received.push(request)
          const number = ++latest
          const outcome = typeof answer === "function" ? (answer as (given: Request) => unknown)(request) : answer
          // An error is also an effect, which fails with it. An effect may give an error, too.
          const result = Effect.isEffect(outcome) ? yield* outcome : outcome
          return { request, number, given: Effect.isEffect(result) ? yield* result : result }
        }) as Effect.Effect<TestCall<Request, A>, E>
      const all = Effect.sync(() => [...received])
      const clear = Effect.sync(() => {
        received.length = 0
      })
      return Context.make(tag, service(call)).pipe(Context.add(calls, { all, clear }))
    })
  )

type Facts<F> = Omit<F, "_tag"> & { readonly call: CallReport }

/**
 * The errors of a response that had begun, with the tags of an operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReadingErrors<E> {
  readonly ConnectionFailed: new (facts: Facts<ConnectionFailed> & { readonly sent: Sent }) => E
  readonly DeadlineExceeded: new (facts: Facts<DeadlineExceeded>) => E
}

/**
 * The errors that all operations have, with the tags of one.
 *
 * @since 0.1.0
 * @category models
 */
export interface FailureErrors<E> extends ReadingErrors<E> {
  readonly InvalidApiKey: new (facts: Facts<InvalidApiKey>) => E
}

/**
 * The error of a response that had begun. `sent` is how much of its request has left this process.
 *
 * @since 0.1.0
 * @category errors
 */
export const readingError = <E>(
  errors: ReadingErrors<E>,
  failure: ConnectionFailed | DeadlineExceeded,
  sent: Sent,
  call: CallReport
): E =>
  failure._tag === "ConnectionFailed"
    ? new errors.ConnectionFailed({ reason: failure.reason, code: failure.code, sent, call })
    : new errors.DeadlineExceeded({ phase: failure.phase, limitMillis: failure.limitMillis, call })

/**
 * The error of a call without a usable response. `sent` is how much of the latest request left this process.
 *
 * @since 0.1.0
 * @category errors
 */
export const failureError = <E>(
  errors: FailureErrors<E>,
  failure: Exclude<Failure, UploadFailed>,
  sent: Sent,
  call: CallReport
): E =>
  failure._tag === "InvalidApiKey"
    ? new errors.InvalidApiKey({ problem: failure.problem, call })
    : readingError(errors, failure, sent, call)

type Texts = Readonly<Record<string, string | undefined>>

/**
 * The texts of a response, without the key and printable.
 *
 * @since 0.1.0
 * @category combinators
 */
export const redacted = <A extends Texts>({ redact }: Pick<Response<unknown>, "redact">, texts: A): A =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text === undefined ? undefined : redact(text)])
  ) as A

/**
 * Makes a reader of the bodies of failures, which have this form. It gives `{}` for a body of another form.
 *
 * @since 0.1.0
 * @category constructors
 */
export const errorBodyReader = <A extends Texts, I>(form: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(Schema.parseJson(form))
  return <E>(response: Response<E>): Effect.Effect<Partial<A>> =>
    Effect.map(response.errorText, (text) =>
      Option.match(decode(text), { onNone: () => ({}), onSome: (body) => redacted(response, body) })
    )
}
