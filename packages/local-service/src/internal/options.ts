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

/** As a Host header has them, without a port. */
const hostNames = Schema.Array(Schema.String).pipe(
  Schema.filter(
    (names) =>
      names.every((name) => /^[\w.-]+$/.test(name)) || "must be names of hosts, such as speech or speech.example"
  )
)

const Options = Schema.Struct({
  hostNames: Schema.optional(hostNames),
  port: Schema.optional(
    Schema.Int.pipe(Schema.between(0, 65_533)).annotations({
      message: () => ({ message: "must be a whole number from 0 to 65533", override: true })
    })
  ),
  credits: Schema.optional(count),
  creditsPerSecond: Schema.optional(count),
  maximumUploadBytes: Schema.optional(positive),
  maximumRecordingSeconds: Schema.optional(positive),
  maximumSpeechSeconds: Schema.optional(positive),
  bodyIdleMillis: Schema.optional(positive),
  seed: Schema.optional(
    Schema.Int.annotations({ message: () => ({ message: "must be a whole number", override: true }) })
  ),
  fixedTime: Schema.optional(
    Schema.ValidDateFromSelf.annotations({ message: () => ({ message: "must be a valid Date", override: true }) })
  )
})

const validate = Schema.validate(Options)

/** The numbers, dates and names of options: a wrong one would be noticed late, and not where it was written. */
export const checkOptions = (options: object): Effect.Effect<void, OptionInvalid> =>
  Effect.mapError(validate(options), ({ issue }) => {
    const { field, problem } = Issue.first(issue)
    return new OptionInvalid({ option: field, message: `The option ${field} ${problem}.` })
  })
