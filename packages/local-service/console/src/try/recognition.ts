/** The fields of a transcription beside its recording. */
import type { Model } from "../../../src/Models.js"
import type { Fields } from "../code.js"
import { makeStore } from "../store.js"
import { modelNames } from "./modelChoices.js"
import { showTry } from "./showTry.js"

export const chosenModel = makeStore<string | undefined>(undefined)

/** Whether a WAV file is sent as mono at 8 kHz. */
export const telephony = makeStore(false)

/** Phrases, separated by commas. */
export const hotwords = makeStore("")

/** The fields of an edited request that the form does not show. */
export const otherFields = makeStore<Fields>({})

/** The model that was chosen, or one to begin with: for Hindi if there is one. */
export const modelOf = (all: ReadonlyArray<Model> | undefined, chosen: string | undefined): string => {
  const names = modelNames(all)
  return chosen ?? (names.find(({ lang }) => lang === "hi") ?? names[0])?.name ?? ""
}

/** Chooses a model of a language, unless one of it is chosen. Returns its name. */
export const chooseLanguage = (all: ReadonlyArray<Model> | undefined, lang: string): string => {
  const current = modelOf(all, chosenModel.get())
  const ofLanguage = modelNames(all).filter((each) => each.lang === lang)
  const name = ofLanguage.some((each) => each.name === current) ? current : (ofLanguage[0]?.name ?? current)
  chosenModel.set(name)
  return name
}

/** The field `hotwords` of a request, if the form has phrases. */
export const hotwordsOf = (text: string): Fields => {
  const phrases = text.split(",").map((phrase) => phrase.trim())
  const given = phrases.filter((phrase) => phrase !== "").map((phrase) => ({ phrase }))
  return given.length === 0 ? {} : { hotwords: given }
}

/** Why the form can't send hotwords. `undefined` if it can. */
export const hotwordsProblem = (others: Fields, isTaken: boolean): string | undefined => {
  if (others.hotwords !== undefined) return "The edited request has its own."
  return isTaken ? undefined : "This model takes none."
}

/** Chooses the model and the other fields of a request, and puts the focus on the choice of a recording. */
export const editTranscription = ({ aux: _, model, transaction_id: __, ...others }: Fields): void => {
  if (typeof model === "string") chosenModel.set(model)
  otherFields.set(others)
  showTry("listen", "listen-file")
}
