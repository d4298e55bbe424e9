import * as Duration from "effect/Duration"

/**
 * A duration in milliseconds.
 *
 * @throws RangeError if it is negative, infinite or NaN. `Duration` alone would take a negative number for 0.
 */
export const finiteMillis = (name: string, duration: Duration.DurationInput): number => {
  const millis = typeof duration === "number" ? duration : Duration.toMillis(duration)
  if (millis >= 0 && Number.isFinite(millis)) return millis
  throw new RangeError(`The ${name} must be 0 ms or more, not ${millis}.`)
}
