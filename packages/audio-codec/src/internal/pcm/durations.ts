import * as Duration from "effect/Duration"
import type { AudioFormat } from "../../AudioFormat.js"

/** A duration in milliseconds. A number stays as it is: `Duration` would take a negative one, and NaN, for 0. */
export const millisOf = (duration: Duration.DurationInput): number =>
  typeof duration === "number" ? duration : Duration.toMillis(duration)

/**
 * A duration in milliseconds.
 *
 * @throws RangeError if it is negative, infinite or NaN.
 */
export const finiteMillis = (name: string, duration: Duration.DurationInput): number => {
  const millis = millisOf(duration)
  if (millis >= 0 && Number.isFinite(millis)) return millis
  throw new RangeError(`The ${name} must be 0 ms or more, not ${millis}.`)
}

/** The frames that a duration has. */
export const framesOf = ({ sampleRate }: AudioFormat, name: string, duration: Duration.DurationInput): number =>
  Math.round((finiteMillis(name, duration) * sampleRate) / 1000)
