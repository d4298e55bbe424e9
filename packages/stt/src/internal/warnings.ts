import * as Printable from "@effect-speech/common/Printable"
import * as Contract from "../SttContract.js"
import {
  HotwordNotSpoken,
  HotwordsIgnored,
  MoreThanOneChannel,
  NothingRecognised,
  ParseNumberWithoutEffect,
  SampleRateFarFrom8kHz,
  type SttWarning
} from "../SttWarning.js"
import type { TranscriptionOptions } from "../TranscriptionOptions.js"

/** The facts of a recording that can cause a warning. */
export interface WarnedFacts {
  readonly channels?: number | undefined
  readonly sampleRate?: number | undefined
}

/** The fields of a request that can cause a warning. */
export type WarnedFields = Pick<TranscriptionOptions, "model" | "parseNumber" | "hotwords">

/** The warnings of a recording and its request. The service would give none. */
export const warningsFor = (recording: WarnedFacts, request: WarnedFields): ReadonlyArray<SttWarning> =>
  [
    channelsWarning(recording.channels),
    sampleRateWarning(recording.sampleRate),
    request.parseNumber === true ? parseNumberWarning(request.model) : undefined,
    ...(request.hotwords?.map(({ phrase }) => hotwordWarning(phrase)) ?? [])
  ].filter((warning) => warning !== undefined)

/** The warnings of a response: those headers of the local service that the contract does not define. */
export const responseWarnings = (
  text: string,
  header: (name: string) => string | undefined
): ReadonlyArray<SttWarning> => {
  const notice = text === "" ? header(Contract.noticeHeader) : undefined
  const hotwords = header(Contract.hotwordsHeader)
  return [
    ...(hotwords === Contract.hotwordsIgnored ? [hotwordsIgnored] : []),
    ...(hotwords === Contract.someHotwordsIgnored ? [someHotwordsIgnored] : []),
    ...(notice === undefined ? [] : [nothingRecognised(notice)])
  ]
}

const hotwordsIgnored = new HotwordsIgnored({
  message: "The model takes no hotwords, so those of the request had no effect: leave them out, or use another model."
})

const someHotwordsIgnored = new HotwordsIgnored({
  message:
    "The model can't use some of the hotwords, so these had no effect: leave out those that are long, or have characters that it does not write."
})

const nothingRecognised = (notice: string): SttWarning =>
  new NothingRecognised({
    notice,
    message: `Nothing was recognised: ${notice.replace(/[.!?]?$/, (end) => end || ".")}`
  })

const channelsWarning = (channels: number | undefined): SttWarning | undefined =>
  channels === undefined || channels === 1
    ? undefined
    : new MoreThanOneChannel({
        channels,
        message: `The recording has ${channels} channels, but the service requires mono: mix them down (telephony does this for a WAV file), or send each channel as a recording of its own.`
      })

/** In Hz: the rate of the models, and the highest at which the service itself speaks. */
const rates = { from: 8000, to: 24_000 }

const sampleRateWarning = (sampleRate: number | undefined): SttWarning | undefined => {
  if (sampleRate === undefined || (sampleRate >= rates.from && sampleRate <= rates.to)) return undefined
  const message =
    sampleRate < rates.from
      ? `The recording is at ${sampleRate} Hz, but the models are trained at 8000 Hz: record at 8000 Hz, since conversion can't restore what is missing.`
      : `The recording is at ${sampleRate} Hz, but the models are trained at 8000 Hz: send it at 8000 Hz (telephony does this for a WAV file), which is smaller and loses nothing that the models use.`
  return new SampleRateFarFrom8kHz({ sampleRate, message })
}

const parseNumberLanguages = ["hi", "ml", "kn", "gu", "mr"]

/** Creates `Intl.DisplayNames` on demand: the first one takes 10 ms, too long for an import. */
const languageName = (language: string): string | undefined =>
  new Intl.DisplayNames(["en"], { type: "language", fallback: "none" }).of(language)

const parseNumberWarning = (model: string): SttWarning | undefined => {
  const code = /^([a-z]{2,3})-/i.exec(model)?.[1]
  if (code === undefined) return undefined
  const language = new Intl.Locale(code).language
  const name = languageName(language)
  return name === undefined || parseNumberLanguages.includes(language)
    ? undefined
    : new ParseNumberWithoutEffect({
        model,
        language,
        message: Printable.line(
          `parseNumber has no effect with the model ${model}, whose language is ${name}: omit it, or use a model of ${parseNumberLanguages.slice(0, -1).join(", ")} or ${parseNumberLanguages.at(-1)}.`
        )
      })
}

/** A word includes the joiners of Indic and Arabic scripts, which are format characters. */
const word = String.raw`[\p{L}\p{M}\u200c\u200d]+(?:['’-][\p{L}\p{M}\u200c\u200d]+)*`
const spoken = new RegExp(String.raw`^\s*${word}(?:\s+${word})*\s*$`, "u")

const hotwordWarning = (phrase: string): SttWarning | undefined =>
  spoken.test(phrase)
    ? undefined
    : new HotwordNotSpoken({
        phrase,
        message: Printable.line(
          `The hotword ${JSON.stringify(phrase)} has digits or punctuation, but only spoken words are recognised: write it in words, as it is spoken.`
        )
      })
