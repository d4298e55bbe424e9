/** What tests observe of a call: its spans, and the growth of its metrics. */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

export interface EndedSpan {
  readonly name: string
  readonly parent: string | undefined
  readonly kind: Tracer.SpanKind
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: ReadonlyArray<unknown>
  readonly exit: Exit.Exit<unknown, unknown>
}

/** A tracer that records the spans that have ended, in order. The id of a span is its name. */
export const recordingTracer = () => {
  const spans: Array<EndedSpan> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const events: Array<unknown> = []
      return {
        _tag: "Span",
        name,
        spanId: name,
        traceId: "trace",
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes,
        attribute: (key, value) => void attributes.set(key, value),
        event: (event, _, details) => void events.push({ event, details }),
        addLinks: () => undefined,
        end: (_, exit) => {
          const parentId = Option.getOrUndefined(Option.map(parent, ({ spanId }) => spanId))
          spans.push({ name, parent: parentId, kind, attributes: Object.fromEntries(attributes), events, exit })
        }
      }
    },
    context: (run) => run()
  })
  return { spans, tracer }
}

const speechMetrics = Effect.map(
  Metric.snapshot,
  (metrics) =>
    new Map(
      metrics.flatMap(({ metricKey, metricState }) => {
        if (!metricKey.name.startsWith("speech_") || !("count" in metricState)) return []
        const name = [metricKey.name, ...metricKey.tags.map(({ value }) => value)].join(" ")
        const millis = "sum" in metricState ? Number(metricState.sum) : undefined
        return [[name, { count: Number(metricState.count), millis }] as const]
      })
    )
)

/** By how much the metrics of calls grow while an effect runs, such as `{ "speech_calls synthesize success": 1 }`. */
export const metricsOf = <E, R>(calls: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const before = yield* speechMetrics
    yield* calls
    const growth: Record<string, number | { readonly count: number; readonly millis: number }> = {}
    for (const [name, { count, millis }] of yield* speechMetrics) {
      const grown = count - (before.get(name)?.count ?? 0)
      if (grown === 0) continue
      growth[name] = millis === undefined ? grown : { count: grown, millis: millis - (before.get(name)?.millis ?? 0) }
    }
    return growth
  })
