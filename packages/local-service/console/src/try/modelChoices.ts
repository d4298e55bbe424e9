/** What the forms of the page offer: the names, languages and voices of the service's models. */
import type { Model, SynthesisModel, TranscriptionModel } from "../../../src/Models.js"

type Models = ReadonlyArray<Model> | undefined

const recognisers = (models: Models = []): ReadonlyArray<TranscriptionModel> =>
  models.filter((model) => model.operation === "transcribe")

const speakers = (models: Models = []): ReadonlyArray<SynthesisModel> =>
  models.filter((model) => model.operation === "synthesize")

/** What the field `model` of a request can be. */
export const modelNames = (models: Models): TranscriptionModel["names"] =>
  recognisers(models).flatMap(({ names }) => names)

/** Whether the model of a name takes hotwords. */
export const takesHotwords = (models: Models, name: string): boolean =>
  recognisers(models).some((model) => model.hotwords && model.names.some((each) => each.name === name))

/** The languages in which a voice speaks. */
export const spokenLanguages = (models: Models): ReadonlyArray<string> => [
  ...new Set(speakers(models).flatMap(({ languages }) => languages))
]

/** The voices that speak a language. */
export const voicesFor = (models: Models, lang: string): ReadonlyArray<string> => [
  ...new Set(
    speakers(models).flatMap(({ voices }) =>
      voices.flatMap((each) => (each.languages.includes(lang) ? [each.name] : []))
    )
  )
]
