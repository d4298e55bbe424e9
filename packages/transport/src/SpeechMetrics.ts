/**
 * The metrics of calls, named by the conventions of OpenTelemetry. Durations are in seconds. Read one by `Metric.value`.
 *
 * `Metric.snapshot` has those of all attributes.
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"

/**
 * The attributes of a metric of calls.
 *
 * @example
 * ```ts
 * import type { SpeechMetrics } from "@effect-speech/transport"
 *
 * export const failedByCredit: SpeechMetrics.CallAttributes = {
 *   operation: "transcribe",
 *   serverAddress: "host.example",
 *   errorType: "SttCreditExhausted"
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface CallAttributes {
  /** `speech.operation`: `transcribe` or `synthesize`. */
  readonly operation: string
  /** `server.address`: the host of the base URL. */
  readonly serverAddress: string
  /** `server.port`. That of plain http without a port is 80. Default: 443. */
  readonly serverPort?: number | undefined
  /** `error.type`: the tag of the error, `interrupted` or `defect`. Absent: the calls that succeeded. */
  readonly errorType?: string | undefined
}

/**
 * The attributes of a metric of attempts.
 *
 * @example
 * ```ts
 * import type { SpeechMetrics } from "@effect-speech/transport"
 *
 * export const overloaded: SpeechMetrics.AttemptAttributes = {
 *   operation: "transcribe",
 *   serverAddress: "host.example",
 *   status: 503,
 *   errorType: "503"
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface AttemptAttributes extends Omit<CallAttributes, "errorType"> {
  /** `http.response.status_code`. Absent if there was no response. */
  readonly status?: number | undefined
  /**
   * `error.type`: the status as a text, such as `"503"`, if it is 400 or more. If the attempt failed otherwise, the tag of the error,
   * such as `SttConnectionFailed`, `interrupted` or `defect`. Absent: the attempts that succeeded.
   */
  readonly errorType?: string | undefined
}

/** From 5 milliseconds to one hour, in seconds. */
const boundaries = MetricBoundaries.fromIterable([
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600
])

const labelsOf = (attributes: ReadonlyArray<readonly [name: string, value: string | number | undefined]>) =>
  attributes.flatMap(([name, value]) => (value === undefined ? [] : [MetricLabel.make(name, String(value))]))

const placeOf = ({ serverAddress, serverPort = 443 }: CallAttributes) =>
  [
    ["server.address", serverAddress],
    ["server.port", serverPort]
  ] as const

/** The exporters of Effect read the unit from a label. */
const histogram = (name: string, description: string, { errorType, ...rest }: CallAttributes) =>
  Metric.fromMetricKey(
    MetricKey.taggedWithLabels(
      MetricKey.histogram(name, boundaries, description),
      labelsOf([["speech.operation", rest.operation], ["error.type", errorType], ...placeOf(rest), ["unit", "s"]])
    )
  )

/**
 * `speech.client.operation.duration`: from the start of a call to its result or its error, with its attempts. That of a stream ends
 * with its audio. The `count` is that of the calls.
 *
 * @example
 * ```ts
 * import { SpeechMetrics } from "@effect-speech/transport"
 * import { Effect, Metric } from "effect"
 *
 * const succeeded = SpeechMetrics.operationDuration({ operation: "synthesize", serverAddress: "host.example" })
 *
 * // The mean duration of the calls that succeeded, in seconds.
 * export const mean = Effect.map(Metric.value(succeeded), ({ count, sum }) => sum / count)
 * ```
 *
 * @since 0.1.0
 * @category metrics
 */
export const operationDuration = (attributes: CallAttributes): Metric.Metric.Histogram<number> =>
  histogram("speech.client.operation.duration", "Duration of calls", attributes)

/**
 * `speech.client.queue.duration`: how long a call waited for its turn. Calls that did not wait are not in it.
 *
 * @example
 * ```ts
 * import { SpeechMetrics } from "@effect-speech/transport"
 * import { Effect, Metric } from "effect"
 *
 * const waited = SpeechMetrics.queueDuration({ operation: "transcribe", serverAddress: "host.example" })
 *
 * // The longest wait for a turn, in seconds.
 * export const longest = Effect.map(Metric.value(waited), ({ max }) => max)
 * ```
 *
 * @since 0.1.0
 * @category metrics
 */
export const queueDuration = (attributes: Omit<CallAttributes, "errorType">): Metric.Metric.Histogram<number> =>
  histogram("speech.client.queue.duration", "Time that calls waited for their turn", attributes)

/**
 * `speech.client.attempts`: the number of requests. An attempt is counted when it ends, and not if it is interrupted before its response.
 *
 * @example
 * ```ts
 * import { SpeechMetrics } from "@effect-speech/transport"
 * import { Effect, Metric } from "effect"
 *
 * const overloaded = SpeechMetrics.attempts({
 *   operation: "transcribe",
 *   serverAddress: "host.example",
 *   status: 503,
 *   errorType: "503"
 * })
 *
 * // How many requests got a 503.
 * export const count = Effect.map(Metric.value(overloaded), ({ count }) => count)
 * ```
 *
 * @since 0.1.0
 * @category metrics
 */
export const attempts = ({ errorType, status, ...rest }: AttemptAttributes): Metric.Metric.Counter<number> =>
  Metric.fromMetricKey(
    MetricKey.taggedWithLabels(
      MetricKey.counter("speech.client.attempts", { description: "Requests of calls", incremental: true }),
      labelsOf([
        ["speech.operation", rest.operation],
        ["http.response.status_code", status],
        ["error.type", errorType],
        ...placeOf(rest)
      ])
    )
  )
