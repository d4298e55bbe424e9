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

/** A copy of options, so that a later change of them has no effect on a call. None is an empty object. */
export const readOptions = <Options extends object>(
  options: Options | undefined
): Either.Either<Partial<Options>, Issue.Issue> => {
  if (options === undefined) return Either.right({})
  if (!Predicate.isRecord(options)) return Either.left({ field: "options", problem: "must be an object" })
  return Either.try({
    try: () => snapshot<Partial<Options>>({ ...options }),
    catch: (error) => ({
      field: "options",
      problem: `can't be read (${errorName(error)}): a getter fails, or an object is nested in itself`
    })
  })
}

const positiveDuration = Schema.Unknown.pipe(
  Schema.filter((value) => {
    const duration = Duration.decodeUnknown(value)
    if (Option.isNone(duration)) return 'is not a duration, such as "2 minutes"'
    return Duration.greaterThan(duration.value, Duration.zero) || "must be longer than zero"
  })
)

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

const connectOptions = Schema.Struct({
  allowInsecureHttp: Schema.optional(Schema.Boolean),
  apiKey: Schema.optional(Schema.Unknown),
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
export const checkConnectOptions = Issue.strictly(connectOptions, "is not a known option")
