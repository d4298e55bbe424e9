/** The rules of options that a long text and a long recording have alike. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

const number = (isValid: (value: number) => boolean, problem: string) =>
  // The rule says more than the type of the schema would: it is the problem of another type too.
  Schema.optional(
    Schema.Unknown.pipe(Schema.filter((value) => (typeof value === "number" && isValid(value)) || problem))
  )

export const whole = (from: number, to: number) =>
  number(
    (value) => Number.isInteger(value) && value >= from && value <= to,
    `must be a whole number from ${from} to ${to}`
  )

type Words = Extract<Duration.DurationInput, string>

/** Numbers are milliseconds: `Duration` takes one that is negative or NaN for zero, this rule for an error. */
const isDuration = (given: unknown): boolean =>
  !(typeof given === "number" && !(given >= 0)) && Option.isSome(Duration.decodeUnknown(given))

/** A duration in any of its forms. */
export const duration = (from: Words, to: Words) =>
  Schema.optional(
    Schema.Unknown.pipe(
      Schema.filter(
        (given) =>
          (isDuration(given) &&
            Option.exists(
              Duration.decodeUnknown(given),
              Duration.between({ minimum: Duration.decode(from), maximum: Duration.decode(to) })
            )) ||
          `must be a duration from "${from}" to "${to}"`
      )
    )
  )

/** A `Duration` is no effect. */
export const gracePeriod = Schema.optional(
  Schema.Unknown.pipe(
    Schema.filter(
      (given) => Effect.isEffect(given) || isDuration(given) || 'must be a duration, such as "25 seconds", or an effect'
    )
  )
)

/** A function of the user. */
export const callback = Schema.optional(
  Schema.Unknown.pipe(Schema.filter((given) => Predicate.isFunction(given) || "must be a function"))
)

/** How many pieces are sent at once. */
export const concurrency = whole(1, 1000)

export const outage = Schema.optional(
  Schema.Unknown.pipe(
    Schema.filter(
      (given) =>
        Option.exists(Duration.decodeUnknown(given), Duration.greaterThan(Duration.zero)) ||
        'must be a duration longer than zero, such as "5 minutes"'
    )
  )
)
