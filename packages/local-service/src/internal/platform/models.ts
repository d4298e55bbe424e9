import type { ModelStatus } from "@effect-speech/engine/Model"
import type { RecogniserModel, RecogniserService } from "@effect-speech/engine/Recogniser"
import type { VoiceModel, VoiceService } from "@effect-speech/engine/Voice"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Model, Readiness, SynthesisModel, TranscriptionModel } from "../../Models.js"
import type { Engines } from "../options.js"

interface ModelsOptions extends Engines {
  /** The models of transcription, by their names. */
  readonly models: ReadonlyMap<string, RecogniserModel>
}

/** Reads the models of both engines at this moment. */
export const makeModels = (options: ModelsOptions): Effect.Effect<ReadonlyArray<Model>> => {
  const { recogniser, voice } = options
  const described = [...transcriptionModels(options), ...synthesisModels(voice)]
  const statuses = Effect.map(Effect.all([recogniser.status ?? none, voice.status ?? none]), Arr.flatten)
  return Effect.map(statuses, (all) =>
    described.map((model) => {
      const status = all.find(({ name, operation }) => name === model.name && operation === model.operation)
      return status === undefined ? model : { ...model, ...stateOf(status) }
    })
  )
}

const none = Effect.succeed<ReadonlyArray<ModelStatus>>([])

const stateOf = ({ name: _, operation: __, ...state }: ModelStatus) => state

/** An engine without a status is always ready. */
const always = { state: "ready" } as const

const transcriptionModels = ({ models, recogniser }: ModelsOptions): ReadonlyArray<TranscriptionModel> => {
  const { sampleRate } = recogniser
  const all = [...models.values()]
  // Without models of its own, a recogniser takes any.
  const groups: Readonly<Record<string, ReadonlyArray<RecogniserModel>>> =
    recogniser.models === undefined ? standIn(recogniser, all) : Arr.groupBy(all, ({ name }) => modelOf(name, models))
  return Object.entries(groups).map(([name, entries]) => ({
    ...always,
    operation: "transcribe",
    name,
    ...detailsOf(entries),
    languages: Arr.dedupe(entries.map(({ lang }) => lang)),
    sampleRate,
    names: entries.map(({ aliasOf, lang, name }) => ({ name, lang, aliasOf })),
    hotwords: entries.some(({ hotwords }) => hotwords)
  }))
}

/** A recogniser that takes any model, as one model. */
const standIn = (
  { knownRecordings }: RecogniserService,
  models: ReadonlyArray<RecogniserModel>
): Readonly<Record<string, ReadonlyArray<RecogniserModel>>> => {
  const family = knownRecordings === undefined ? "recogniser" : "known-recordings"
  return { [family]: models.map((model) => ({ ...model, hotwords: false, details: { family } })) }
}

const detailsOf = (entries: ReadonlyArray<Pick<RecogniserModel, "details">>) =>
  entries.find(({ details }) => details !== undefined)?.details

/** The name of the model behind a name, which may be another name of a name. */
const modelOf = (name: string, models: ModelsOptions["models"], seen: ReadonlyArray<string> = []): string => {
  const { aliasOf, model } = models.get(name) ?? {}
  if (model !== undefined || aliasOf === undefined || seen.includes(name)) return model ?? name
  return modelOf(aliasOf, models, [...seen, name])
}

const synthesisModels = ({ voices }: VoiceService): ReadonlyArray<SynthesisModel> =>
  Object.entries(Arr.groupBy(voices, ({ model, name }) => model ?? name)).map(([name, entries]) => ({
    ...always,
    operation: "synthesize",
    name,
    ...detailsOf(entries),
    languages: Arr.dedupe(entries.flatMap(({ languages }) => languages)),
    sampleRate: entries[0].sampleRate,
    voices: voicesOf(entries)
  }))

/** A voice may have several entries, for other languages. */
const voicesOf = (entries: ReadonlyArray<VoiceModel>) =>
  Object.entries(Arr.groupBy(entries, ({ name }) => name)).map(([name, same]) => ({
    name,
    languages: same.flatMap(({ languages }) => languages)
  }))

/**
 * Without the reasons of failures: anyone may read it. One model that is down does not make a service unready that has others, and
 * one that loads does not either: its requests wait.
 */
export const readinessOf = (models: ReadonlyArray<Model>): Readiness => ({
  ready: Object.values(Arr.groupBy(models, ({ operation }) => operation)).every((same) => same.some(takesRequests)),
  models: models.map(({ name, operation, queued, running, state }) => ({ name, operation, state, running, queued }))
})

const takesRequests = ({ state }: Model): boolean => state !== "restarting" && state !== "refused"
