/**
 * The rules that a program without types may break, beside those that the Effect clients check.
 */
import { errorName } from "@effect-speech/common/SystemCode"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { snapshot } from "./plain.js"

/** A copy of the options of a call, which may be missing in a program without types. A later change of them has no effect on the call. */
export const readOptions = <Options extends object>(
  options: Options | undefined
): Either.Either<Options, Issue.Issue> => {
  if (options !== undefined && !Predicate.isRecord(options)) {
    return Either.left({ field: "options", problem: "must be an object" })
  }
  return copyOf("options", () => ({ ...options }) as Options)
}

/** A copy of what `read` gives, or the issue of a value that has none. */
export const copyOf = <A>(field: string, read: () => A): Either.Either<A, Issue.Issue> =>
  Either.try({
    try: () => snapshot(read()),
    catch: (error) => ({
      field,
      problem: `can't be read (${errorName(error)}): a getter fails, or an object is nested in itself`
    })
  })

const unknownOption = "is not a known option"

const positiveDuration = Schema.Unknown.pipe(
  Schema.filter((value) => {
    const duration = Duration.decodeUnknown(value)
    if (Option.isNone(duration)) return 'is not a duration, such as "2 minutes"'
    return Duration.greaterThan(duration.value, Duration.zero) || "must be longer than zero"
  })
)

const aFunction = Schema.declare(Predicate.isFunction, { message: () => "must be a function" })

const notAnObject = { message: () => "must be an object" }

const deadlines = Schema.Struct({
  uploadIdle: Schema.optional(positiveDuration),
  answer: Schema.optional(positiveDuration),
  downloadIdle: Schema.optional(positiveDuration),
  total: Schema.optional(positiveDuration)
}).annotations(notAnObject)

/** The Effect clients check the values. */
const retryPolicy = Schema.Struct({
  times: Schema.optional(Schema.Unknown),
  firstDelay: Schema.optional(Schema.Unknown),
  longestDelay: Schema.optional(Schema.Unknown),
  outage: Schema.optional(Schema.Unknown)
})

const isNoPolicy = (value: unknown): value is unknown => !Predicate.isRecord(value)

const apiKey = Schema.Unknown.pipe(
  Schema.filter((value) => Predicate.isString(value) || Predicate.isFunction(value) || "must be a string or a function")
)

const connectOptions = Schema.Struct({
  allowInsecureHttp: Schema.optional(Schema.Boolean),
  apiKey: Schema.optional(apiKey),
  concurrency: Schema.optional(Schema.Unknown),
  deadlines: Schema.optional(deadlines),
  environment: Schema.optional(Schema.Object.annotations(notAnObject)),
  hotwordEncoding: Schema.optional(Schema.Literal("json", "repeated", "indexed")),
  retries: Schema.optional(Schema.Union(retryPolicy, Schema.Unknown.pipe(Schema.filter(isNoPolicy)))),
  retryAmbiguous: Schema.optional(Schema.Boolean),
  sttBaseUrl: Schema.optional(Schema.Unknown),
  ttsBaseUrl: Schema.optional(Schema.Unknown)
})

/** Checks the names of the options of `connect`, and the values that the Effect clients do not check. */
export const checkConnectOptions = Issue.strictly(connectOptions, unknownOption)

const segmentFields = Schema.Struct({
  start: Schema.String,
  end: Schema.String,
  text: Schema.optional(Schema.String),
  unit: Schema.Literal("seconds", "millis")
}).annotations(notAnObject)

const callOptions = Schema.Struct({
  deadlines: Schema.optional(deadlines),
  filename: Schema.optional(Schema.String),
  onEvent: Schema.optional(aFunction),
  outage: Schema.optional(positiveDuration),
  retryIfBilled: Schema.optional(Schema.Boolean),
  segments: Schema.optional(segmentFields)
})

const checkPresent = Issue.strictly(callOptions, unknownOption)

/** Checks options of a call that are not in its request. If all are absent, it costs nothing. */
export const checkCallOptions = <Options extends { readonly [Name in keyof typeof callOptions.Type]?: unknown }>(
  options: Options
): Either.Either<Options, Issue.Issue> =>
  Object.values(options).every((value) => value === undefined)
    ? Either.right(options)
    : Either.map(checkPresent(options), () => options)
