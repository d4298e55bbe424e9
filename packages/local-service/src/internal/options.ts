import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OptionInvalid } from "../LocalServiceError.js"
import type { LocalServiceOptions } from "../LocalServiceOptions.js"
import { longestMillis } from "./realTime.js"
import { firstIssue } from "./validation.js"

const positive = Schema.Number.pipe(
  Schema.filter((value) => (value > 0 && value < Number.POSITIVE_INFINITY) || "must be a number above 0")
)
const count = Schema.Int.pipe(Schema.nonNegative()).annotations({
  message: () => ({ message: "must be a whole number, 0 or more", override: true })
})

/** As in a `Host` header, without a port. */
const hostNames = Schema.Array(Schema.String).pipe(
  Schema.filter(
    (names) => names.every((name) => /^[\w.-]+$/.test(name)) || "must be host names, such as speech or speech.example"
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
  capacitySeconds: Schema.optional(positive),
  seed: Schema.optional(
    Schema.Int.annotations({ message: () => ({ message: "must be a whole number", override: true }) })
  ),
  fixedTime: Schema.optional(
    Schema.ValidDateFromSelf.annotations({ message: () => ({ message: "must be a valid Date", override: true }) })
  )
})

const validate = Schema.validate(Options)

/** Checks the options, so that a wrong one fails where it was written, and fills in the defaults. */
export const resolveOptions = (options: LocalServiceOptions, languages: ReadonlyArray<string>) =>
  Effect.mapBoth(validate(options), {
    onFailure: ({ issue }) => {
      const { field, problem } = firstIssue(issue)
      return new OptionInvalid({ option: field, problem, message: `The option ${field} ${problem}.` })
    },
    onSuccess: () => ({
      port: options.port ?? 0,
      host: options.host ?? "127.0.0.1",
      hostNames: options.hostNames ?? [],
      credits: options.credits ?? 1_000_000,
      creditsPerSecond: options.creditsPerSecond ?? 1,
      models: options.models ?? defaultModels(languages),
      maximumUploadBytes: options.maximumUploadBytes ?? 512 * 1024 * 1024,
      maximumRecordingSeconds: options.maximumRecordingSeconds ?? 7200,
      maximumSpeechSeconds: options.maximumSpeechSeconds ?? 7200,
      bodyIdleMillis: Math.min(options.bodyIdleMillis ?? 60_000, longestMillis)
    })
  })

const defaultModels = (languages: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    languages.flatMap((lang) => [
      [`${lang}-general-v2-8khz`, lang],
      [`${lang}-banking-v2-8khz`, lang]
    ])
  )
