/** The text to speak, with its fields. */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Model } from "../../../src/Models.js"
import type { Fields } from "../code.js"
import { makeStore } from "../store.js"
import { spokenLanguages, voicesFor } from "./modelChoices.js"
import { isSample, samples } from "./samples.js"
import { showTry } from "./showTry.js"

export interface Draft {
  readonly text: string
  readonly lang: string
  readonly voice: string
  readonly output_format: string
  readonly speed: number
  /** The fields of an edited request that the form does not show. */
  readonly others: Fields
}

export const draft = makeStore<Draft>({
  text: samples[TtsContract.defaultLang] ?? "",
  lang: TtsContract.defaultLang,
  voice: TtsContract.defaultVoice,
  output_format: "24000:pcm16",
  speed: 1,
  others: {}
})

export const change = (changes: Partial<Draft>): void => draft.update((before) => ({ ...before, ...changes }))

/** Chooses a language, a voice that speaks it, and a text in it unless you have written one. */
export const changeLanguage = (all: ReadonlyArray<Model> | undefined, lang: string): void => {
  const { text, voice } = draft.get()
  const voices = voicesFor(all, lang)
  change({
    lang,
    voice: voices.includes(voice) ? voice : (voices[0] ?? voice),
    text: isSample(text) ? (samples[lang] ?? text) : text
  })
}

/** If no voice speaks the language of the text to begin with, begins with a language that one speaks. */
export const beginWith = (all: ReadonlyArray<Model> | undefined): void => {
  const languages = spokenLanguages(all)
  const { lang, text } = draft.get()
  const first = languages.includes("en") ? "en" : languages[0]
  if (first === undefined || languages.includes(lang) || !isSample(text)) return
  changeLanguage(all, first)
}

/** Puts the fields of a request into the form, and the focus on its text. */
export const editSpeech = ({ text, lang, voice, output_format, speed, ...others }: Fields): void => {
  const string = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise)
  draft.set({
    text: string(text, ""),
    lang: string(lang, TtsContract.defaultLang),
    voice: string(voice, TtsContract.defaultVoice),
    output_format: string(output_format, TtsContract.defaultOutputFormat),
    speed: typeof speed === "number" ? speed : 1,
    others: Object.fromEntries(Object.entries(others).filter(([, value]) => !isEmpty(value)))
  })
  showTry("speak", "speak-text")
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

export const fieldsOf = ({ others, ...fields }: Draft): Fields => ({ ...others, ...fields })

const decode = Schema.decodeUnknownEither(TtsContract.SynthesisBody)

/** The rule of the contract that the fields break, as a sentence. */
export const problemOf = (fields: Fields): string | undefined =>
  Either.match(decode(fields), {
    onLeft: ({ issue }) => {
      const { field, problem } = Issue.first(issue)
      return `${field} ${problem}`
    },
    onRight: () => undefined
  })
