import * as Issue from "@effect-speech/transport/Issue"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OptionInvalid } from "../LocalServiceError.js"

const positive = Schema.Number.pipe(
  Schema.filter((value) => (value > 0 && value < Number.POSITIVE_INFINITY) || "must be a number above 0")
)
const count = Schema.Int.pipe(Schema.nonNegative()).annotations({
  message: () => ({ message: "must be a whole number from 0 on", override: true })
})
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(schema)

const Options = Schema.Struct({
  port: maybe(
    Schema.Int.pipe(Schema.between(0, 65_533)).annotations({
      message: () => ({ message: "must be a whole number from 0 to 65533", override: true })
    })
  ),
  credits: maybe(count),
  creditsPerSecond: maybe(count),
  maximumUploadBytes: maybe(positive),
  maximumRecordingSeconds: maybe(positive),
  maximumSpeechSeconds: maybe(positive),
  bodyIdleMillis: maybe(positive),
  seed: maybe(Schema.Int.annotations({ message: () => ({ message: "must be a whole number", override: true }) })),
  fixedTime: maybe(
    Schema.ValidDateFromSelf.annotations({ message: () => ({ message: "must be a valid Date", override: true }) })
  )
})

const validate = Schema.validate(Options)

/** The numbers and dates of options: a wrong one would be noticed late, and not where it was written. */
export const checkOptions = (options: object): Effect.Effect<void, OptionInvalid> =>
  Effect.mapError(validate(options), ({ issue }) => {
    const { field, problem } = Issue.first(issue)
    return new OptionInvalid({ option: field, message: `The option ${field} ${problem}.` })
  })
