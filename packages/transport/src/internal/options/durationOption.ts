import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** The option of one call. @throws RangeError if it is not valid: like a wrong type, it is a mistake in the program. */
export const ofCall = <A>(parsed: Either.Either<A, ConfigError.ConfigError>): A =>
  Either.getOrThrowWith(parsed, (error) => new RangeError(String(error)))

/** The milliseconds of an option. A value that is not a duration, or zero, is a `ConfigError` that names the option. */
export const millisOf = (
  path: Array<string>,
  given: Duration.DurationInput
): Either.Either<number, ConfigError.ConfigError> =>
  Option.match(Duration.decodeUnknown(given), {
    onNone: () => Either.left(ConfigError.InvalidData(path, 'is not a duration, such as "2 minutes"')),
    onSome: (duration) =>
      Duration.greaterThan(duration, Duration.zero)
        ? Either.right(Duration.toMillis(duration))
        : Either.left(ConfigError.InvalidData(path, "must be longer than zero"))
  })
