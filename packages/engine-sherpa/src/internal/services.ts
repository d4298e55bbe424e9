/**
 * The two services over the models of a folder.
 */
import {
  type ModelStatus,
  RecogniserFailed,
  type RecogniserService,
  VoiceFailed,
  type VoiceService
} from "@effect-speech/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { OfferedRecogniser, OfferedVoice } from "./folder/description.js"
import { detailsOf, type Loadable, type OpenRecogniser, type OpenVoice } from "./models.js"
import { sampleRate } from "./pieces.js"
import { recognise } from "./recognition.js"
import { speak } from "./speech.js"

const isRecogniser = (model: Loadable): model is OpenRecogniser => model.description._tag === "Recogniser"
const isVoice = (model: Loadable): model is OpenVoice => model.description._tag === "Voice"

const statusOf = (models: ReadonlyArray<Loadable>): Effect.Effect<ReadonlyArray<ModelStatus>> =>
  Effect.forEach(models, ({ status }) => status)

/** Each offer with its model. */
const withModels = <Offer extends { readonly model: object }, Model extends { readonly description: object }>(
  offers: ReadonlyArray<Offer>,
  models: ReadonlyArray<Model>
): ReadonlyArray<{ readonly offer: Offer; readonly model: Model }> =>
  offers.flatMap((offer) => {
    const model = models.find(({ description }) => description === offer.model)
    return model === undefined ? [] : [{ offer, model }]
  })

/** `undefined` if no model recognises. */
export const recogniserOf = (
  offers: ReadonlyArray<OfferedRecogniser>,
  all: ReadonlyArray<Loadable>
): RecogniserService | undefined => {
  const models = all.filter(isRecogniser)
  if (models.length === 0) return undefined
  const offered = withModels(offers, models)
  return {
    sampleRate,
    models: offered.map(({ model, offer: { aliasOf, lang, name } }) => ({
      name,
      lang,
      hotwords: model.family.takesHotwords,
      aliasOf,
      model: model.description.name,
      details: detailsOf(model.description)
    })),
    recognise: (request) => {
      const found = offered.find(({ offer }) => offer.name === request.model)
      if (found !== undefined) return recognise(found.model.supervised, found.model.family, request)
      return Effect.fail(new RecogniserFailed({ reason: "Failed", message: `There is no model ${request.model}.` }))
    },
    status: statusOf(models)
  }
}

/** `undefined` if no model speaks. */
export const voiceOf = (
  offers: ReadonlyArray<OfferedVoice>,
  all: ReadonlyArray<Loadable>
): VoiceService | undefined => {
  const models = all.filter(isVoice)
  if (models.length === 0) return undefined
  const offered = withModels(offers, models)
  return {
    voices: offered.map(({ model: { description }, offer: { languages, name } }) => ({
      name,
      languages,
      sampleRate: description.sampleRate,
      model: description.name,
      details: detailsOf(description)
    })),
    speak: (utterance) => {
      const { lang, voice } = utterance
      const found = offered.find(({ offer }) => offer.name === voice && offer.languages.includes(lang))
      if (found !== undefined) {
        return speak(found.model.supervised, found.model.family, found.offer.speaker, utterance)
      }
      return Stream.fail(new VoiceFailed({ reason: "Failed", message: `There is no voice ${voice} for ${lang}.` }))
    },
    status: statusOf(models)
  }
}
