import type { Usage } from "../../Accounts.js"
import { type Model, ModelState } from "../../Models.js"
import type { OperationName } from "../../OperationName.js"
import type { RequestCount } from "../journal/journal.js"

export interface MetricsOptions {
  readonly counts: ReadonlyArray<RequestCount>
  readonly usage: ReadonlyArray<Usage>
  readonly models: ReadonlyArray<Model>
}

interface Metric {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge"
  readonly samples: ReadonlyArray<Sample>
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * Writes the metrics in the text format 0.0.4 of Prometheus. The service counts all of them anyway, so it needs no library that
 * measures: prom-client would add 4.6 MB in four packages.
 */
export const metricsText = (options: MetricsOptions): string => metricsOf(options).map(toText).join("")

export const metricsType = "text/plain; version=0.0.4; charset=utf-8"

const metricsOf = ({ counts, models, usage }: MetricsOptions): ReadonlyArray<Metric> => {
  const unitsOf = (operation: OperationName) =>
    usage.reduce((sum, each) => sum + (each.operation === operation ? each.units : 0), 0)
  /** A sample of each model whose engine knows the number. */
  const ofModels = (field: "running" | "queued" | "rejected" | "restarts") =>
    models.flatMap((model) => {
      const value = model[field]
      return value === undefined ? [] : [{ labels: labelsOf(model), value }]
    })
  return [
    {
      name: "speech_requests_total",
      help: "Requests that have ended. Status none: the client left before the response.",
      type: "counter",
      samples: counts.map(({ count, operation, outcome, status }) => ({
        labels: { operation, status: String(status ?? "none"), outcome },
        value: count
      }))
    },
    {
      name: "speech_transcribed_seconds_total",
      help: "Started seconds of the recordings whose transcript was delivered.",
      type: "counter",
      samples: [{ value: unitsOf("transcribe") }]
    },
    {
      name: "speech_synthesized_code_points_total",
      help: "Code points of the texts whose speech was delivered.",
      type: "counter",
      samples: [{ value: unitsOf("synthesize") }]
    },
    {
      name: "speech_model_state",
      help: "1 for the state of the model, 0 for the others.",
      type: "gauge",
      samples: models.flatMap((model) =>
        ModelState.literals.map((state) => ({
          labels: { ...labelsOf(model), state },
          value: model.state === state ? 1 : 0
        }))
      )
    },
    {
      name: "speech_model_running",
      help: "Requests that the model works on.",
      type: "gauge",
      samples: ofModels("running")
    },
    {
      name: "speech_model_queued",
      help: "Requests that wait for the model.",
      type: "gauge",
      samples: ofModels("queued")
    },
    {
      name: "speech_model_rejected_total",
      help: "Requests that found the queue of the model full.",
      type: "counter",
      samples: ofModels("rejected")
    },
    {
      name: "speech_model_restarts_total",
      help: "Starts of the model after it had failed.",
      type: "counter",
      samples: ofModels("restarts")
    }
  ]
}

const labelsOf = ({ name, operation }: Model) => ({ model: name, operation })

/** A metric without samples is left out. */
const toText = ({ help, name, samples, type }: Metric): string => {
  if (samples.length === 0) return ""
  const lines = samples.map(({ labels = {}, value }) => `${name}${toLabels(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n")
}

const toLabels = (labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeOf)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

const escapeOf = (character: string): string => (character === "\n" ? "\\n" : `\\${character}`)
