/** The rules of options that a long text and a long recording have alike. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
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

/** A duration in any of its forms. Numbers are milliseconds: `Duration` takes one that is negative or NaN for zero, this rule for an error. */
export const duration = (from: Words, to: Words) =>
  Schema.optional(
    Schema.Unknown.pipe(
      Schema.filter(
        (given) =>
          (!(typeof given === "number" && !(given >= 0)) &&
            Option.exists(
              Duration.decodeUnknown(given),
              Duration.between({ minimum: Duration.decode(from), maximum: Duration.decode(to) })
            )) ||
          `must be a duration from "${from}" to "${to}"`
      )
    )
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
