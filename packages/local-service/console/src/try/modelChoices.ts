/** What the forms of the page offer: the names, languages and voices of the service's models. */
import type { Model, SynthesisModel, TranscriptionModel } from "../../../src/Models.js"
import { language } from "../format.js"

type Models = ReadonlyArray<Model> | undefined

const recognisers = (models: Models = []): ReadonlyArray<TranscriptionModel> =>
  models.filter((model) => model.operation === "transcribe")

const speakers = (models: Models = []): ReadonlyArray<SynthesisModel> =>
  models.filter((model) => model.operation === "synthesize")

/** What the field `model` of a request can be. */
export const modelNames = (models: Models): TranscriptionModel["names"] =>
  recognisers(models).flatMap(({ names }) => names)

/** `hi-banking-v2-8khz` of Hindi becomes "Hindi · banking · 8 kHz", and `hi-general-v2-8khz` "Hindi · 8 kHz". */
const labelOf = (name: string, lang: string): string => {
  const [, code, kind, rate] = /^([a-z]+)-([a-z]+)-v\d+-(\d+)khz$/.exec(name) ?? []
  if (code !== lang || kind === undefined) return name
  return [language(lang), ...(kind === "general" ? [] : [kind]), `${rate} kHz`].join(" · ")
}

/** The names of a language. */
export interface ModelGroup {
  readonly lang: string
  readonly names: ReadonlyArray<{ readonly name: string; readonly label: string }>
}

/** The names of models by their language, in the order of the languages' names. */
export const modelGroups = (models: Models): ReadonlyArray<ModelGroup> => {
  const byLanguage = new Map<string, Map<string, string>>()
  for (const { lang, name } of modelNames(models)) {
    const labels = byLanguage.get(lang) ?? new Map<string, string>()
    const label = labelOf(name, lang)
    // Models that differ only in their version show their names.
    labels.set(name, [...labels.values()].includes(label) ? name : label)
    byLanguage.set(lang, labels)
  }
  return Array.from(byLanguage, ([lang, labels]) => ({
    lang,
    names: Array.from(labels, ([name, label]) => ({ name, label }))
  })).sort((one, other) => language(one.lang).localeCompare(language(other.lang)))
}

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
