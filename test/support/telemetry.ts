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

/** The labels of the metrics of calls that are the same for all calls of a test. */
const constant: ReadonlySet<string> = new Set(["server.address", "server.port", "unit"])

const speechMetrics = Effect.map(Metric.snapshot, (metrics) => {
  const found = new Map<string, { readonly count: number; readonly seconds: number | undefined }>()
  for (const { metricKey, metricState } of metrics) {
    if (!metricKey.name.startsWith("speech.client.") || !("count" in metricState)) continue
    const labels = metricKey.tags.filter(({ key }) => !constant.has(key)).map(({ value }) => value)
    const name = [metricKey.name, ...labels].join(" ")
    // Calls to other ports have metrics of their own.
    const others = found.get(name)
    found.set(name, {
      count: Number(metricState.count) + (others?.count ?? 0),
      seconds: "sum" in metricState ? Number(metricState.sum) + (others?.seconds ?? 0) : undefined
    })
  }
  return found
})

/** By how much the metrics of calls grow while an effect runs, such as `{ "speech.client.attempts synthesize 200": 1 }`. */
export const metricsOf = <E, R>(calls: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const before = yield* speechMetrics
    yield* calls
    const growth: Record<string, number | { readonly count: number; readonly seconds: number }> = {}
    for (const [name, { count, seconds }] of yield* speechMetrics) {
      const earlier = before.get(name)
      const grown = count - (earlier?.count ?? 0)
      if (grown === 0) continue
      growth[name] = seconds === undefined ? grown : { count: grown, seconds: seconds - (earlier?.seconds ?? 0) }
    }
    return growth
  })
