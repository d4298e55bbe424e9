/**
 * The names by which requests ask for the models of a folder. No two are the same: the first has a name, and a note says who has not.
 */
import { groupBy } from "effect/Array"
import type {
  Contents,
  ModelDescription,
  OfferedRecogniser,
  OfferedVoice,
  RecogniserDescription,
  VoiceDescription
} from "./description.js"
import { defaults } from "./voices.js"

type Offers = Pick<Contents, "recognisers" | "voices" | "notes">

const isRecogniser = (model: ModelDescription): model is RecogniserDescription => model._tag === "Recogniser"
const isVoice = (model: ModelDescription): model is VoiceDescription => model._tag === "Voice"

/** The aliases of `model.json`, by the name of the model. */
export type Aliases = ReadonlyMap<string, ReadonlyArray<string>>

/** The name of a model of several languages has the language in front, so that each has a name of its own. */
const nameIn = ({ languages, name }: RecogniserDescription, lang: string): string =>
  languages.length === 1 ? name : `${lang}-${name}`

/** The name that programs have for the general model of a language at the service. */
const generalName = (lang: string): string => `${lang}-general-v2-8khz`

const offerRecognisers = (models: ReadonlyArray<RecogniserDescription>, aliases: Aliases) => {
  const offered = new Map<string, OfferedRecogniser>()
  const notes: Array<string> = []
  const offer = (entry: OfferedRecogniser): void => {
    const first = offered.get(entry.name)
    if (first === undefined) offered.set(entry.name, entry)
    else if (first.model !== entry.model) {
      notes.push(
        `${entry.name} is the model ${first.model.name}, so ${entry.model.name} does not get this name. Give one of them another name in model.json.`
      )
    }
  }
  const inOneLanguage = models.filter(({ languages }) => languages.length === 1)
  const inSeveral = models.filter(({ languages }) => languages.length > 1)
  for (const model of [...inOneLanguage, ...inSeveral]) {
    for (const lang of model.languages) offer({ name: nameIn(model, lang), lang, model, aliasOf: undefined })
  }
  for (const model of models) {
    for (const alias of aliases.get(model.name) ?? []) {
      const lang =
        model.languages.length === 1 ? model.languages[0] : model.languages.find((code) => alias.startsWith(`${code}-`))
      if (lang === undefined) {
        notes.push(
          `The alias ${alias} of ${model.name} is left out: ${model.name} has several languages, so an alias begins with one of them, such as ${model.languages[0]}-${alias}.`
        )
      } else offer({ name: alias, lang, model, aliasOf: nameIn(model, lang) })
    }
  }
  for (const model of models) {
    for (const lang of model.languages) {
      const name = generalName(lang)
      if (!offered.has(name)) offered.set(name, { name, lang, model, aliasOf: nameIn(model, lang) })
    }
  }
  return { recognisers: [...offered.values()], notes }
}

type Default = (typeof defaults)[number]

/** The names of speakers say it in Kokoro, such as `af_bella`, and in Kitten, such as `expr-voice-2-f`. */
const sexOf = ({ family }: VoiceDescription, voice: string): Default | undefined => {
  const letter =
    family === "kokoro"
      ? /^[a-z]([fm])_/.exec(voice)?.[1]
      : family === "kitten"
        ? /-([fm])$/.exec(voice)?.[1]
        : undefined
  return letter === undefined ? undefined : letter === "f" ? "default_female" : "default_male"
}

interface Speaker {
  readonly voice: string
  readonly model: VoiceDescription
  readonly speaker: number
}

const speakersOf = (model: VoiceDescription): ReadonlyArray<Speaker> =>
  Object.entries(model.voices).map(([voice, speaker]) => ({ voice, model, speaker }))

/** The speakers that stand for the two defaults of a language, and whether anything says so. */
const defaultsOf = (
  speakers: ReadonlyArray<Speaker>
): Record<Default, { readonly speaker: Speaker; readonly isStated: boolean }> => {
  const stated = (name: Default) =>
    speakers.find(({ voice }) => voice === name) ?? speakers.find(({ model, voice }) => sexOf(model, voice) === name)
  const female = stated("default_female")
  const male = stated("default_male")
  const [first = speakers[0]] = speakers.filter((speaker) => speaker !== male)
  const [second = first] = speakers.filter((speaker) => speaker !== (female ?? first))
  return {
    default_female: { speaker: (female ?? first) as Speaker, isStated: female !== undefined },
    default_male: { speaker: (male ?? second) as Speaker, isStated: male !== undefined }
  }
}

/** The voices by their own names. Of two models with a voice of one name, the first has it in the languages of both. */
const namedVoices = (models: ReadonlyArray<VoiceDescription>) => {
  const voices: Array<OfferedVoice> = []
  const notes: Array<string> = []
  const owners = new Map<string, VoiceDescription>()
  for (const model of models) {
    const clashes = new Map<VoiceDescription, Array<string>>()
    for (const { speaker, voice } of speakersOf(model)) {
      if (defaults.some((name) => name === voice)) continue
      const languages = model.languages.filter((lang) => !owners.has(`${lang} ${voice}`))
      const owner = owners.get(`${model.languages.find((lang) => !languages.includes(lang))} ${voice}`)
      if (owner !== undefined) clashes.set(owner, [...(clashes.get(owner) ?? []), voice])
      for (const lang of languages) owners.set(`${lang} ${voice}`, model)
      if (languages.length > 0) voices.push({ name: voice, languages, model, speaker })
    }
    for (const [owner, names] of clashes) {
      const [first, ...others] = names
      const all = others.length === 0 ? first : `${first} and ${others.length} more`
      notes.push(
        `${owner.name} has a voice ${all}, so that of ${model.name} is left out for the same language. Name the voices of one of them in model.json.`
      )
    }
  }
  return { voices, notes }
}

/** The two defaults of each language: an entry for each speaker. */
const defaultVoices = (models: ReadonlyArray<VoiceDescription>) => {
  const languages = [...new Set(models.flatMap((model) => model.languages))].toSorted()
  const choices = languages.flatMap((lang) => {
    const chosen = defaultsOf(models.filter((model) => model.languages.includes(lang)).flatMap(speakersOf))
    return defaults.map((name) => ({ name, lang, ...chosen[name] }))
  })
  const ofSpeaker = Object.values(
    groupBy(choices, ({ name, speaker: { model, speaker } }) => `${name} ${model.name} ${speaker}`)
  )
  return {
    voices: ofSpeaker.map(([first, ...others]): OfferedVoice => {
      const { model, speaker } = first.speaker
      return { name: first.name, languages: [first, ...others].map(({ lang }) => lang), model, speaker }
    }),
    notes: notesOf(choices)
  }
}

/** The voice that stands for one of the two defaults of a language. */
interface Choice {
  readonly name: Default
  readonly lang: string
  readonly speaker: Speaker
  readonly isStated: boolean
}

/** What was chosen between several speakers, though nothing says it: a note for the languages with the same voices. */
const notesOf = (choices: ReadonlyArray<Choice>): ReadonlyArray<string> => {
  const ofLanguage = Object.entries(groupBy(choices, ({ lang }) => lang)).flatMap(([lang, [first, ...others]]) => {
    const { model, speaker } = first.speaker
    const hasOne = others.every((other) => other.speaker.model === model && other.speaker.speaker === speaker)
    const guessed = [first, ...others].filter(({ isStated }) => !isStated)
    const said = guessed.map(({ name, speaker: { voice } }) => `${name} is ${voice}`).join(" and ")
    return hasOne || guessed.length === 0 ? [] : [{ lang, said }]
  })
  return Object.values(groupBy(ofLanguage, ({ said }) => said)).map(
    ([first, ...others]) =>
      `For ${[first, ...others].map(({ lang }) => lang).join(", ")}, ${first.said}, which no model.json says. To choose another voice, write {"voices": {"default_female": 0}} into the model.json of its folder, with the number of its speaker.`
  )
}

/** What the models of a folder offer. They are in the order of their names. */
export const offersOf = (models: ReadonlyArray<ModelDescription>, aliases: Aliases): Offers => {
  const { notes, recognisers } = offerRecognisers(models.filter(isRecogniser), aliases)
  const voices = models.filter(isVoice)
  const named = namedVoices(voices)
  const chosen = defaultVoices(voices)
  return {
    recognisers,
    voices: [...chosen.voices, ...named.voices],
    notes: [...notes, ...named.notes, ...chosen.notes]
  }
}
