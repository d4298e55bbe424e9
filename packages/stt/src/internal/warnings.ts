import type { Recording } from "../Recording.js"
import {
  HotwordNotSpoken,
  MoreThanOneChannel,
  ParseNumberWithoutEffect,
  SampleRateFarFrom8kHz,
  type SttWarning
} from "../SttWarning.js"
import type { TranscriptionRequest } from "../TranscriptionRequest.js"

/** What of a request is looked at. */
export type Asked = Pick<TranscriptionRequest, "model" | "parseNumber" | "hotwords">

/** What is known before a recording is sent that the service would not say. */
export const warningsFor = (recording: Recording, request: Asked): ReadonlyArray<SttWarning> =>
  [
    ofChannels(recording.channels),
    ofSampleRate(recording.sampleRate),
    request.parseNumber === true ? ofParseNumber(request.model) : undefined,
    ...(request.hotwords?.map(({ phrase }) => ofHotword(phrase)) ?? [])
  ].filter((warning) => warning !== undefined)

const ofChannels = (channels: number | undefined): SttWarning | undefined =>
  channels === undefined || channels === 1
    ? undefined
    : MoreThanOneChannel.make({
        channels,
        message: `The recording has ${channels} channels, and the service takes mono: mix them down (telephony does so with a WAV file), or send each speaker's channel as a recording of its own.`
      })

const ofSampleRate = (sampleRate: number | undefined): SttWarning | undefined => {
  if (sampleRate === undefined || (sampleRate >= 8000 && sampleRate <= 16_000)) return undefined
  const message =
    sampleRate < 8000
      ? `The recording is at ${sampleRate} Hz, and the models are trained at 8000 Hz: record at 8000 Hz, since what is missing can't be added later.`
      : `The recording is at ${sampleRate} Hz, and the models are trained at 8000 Hz: send it at 8000 Hz (telephony does so with a WAV file), which is smaller and loses nothing that they hear.`
  return SampleRateFarFrom8kHz.make({ sampleRate, message })
}

const withParseNumber = ["hi", "ml", "kn", "gu", "mr"]

/** Made when it is asked for, since the first takes 10 ms, which an import need not. */
const nameOf = (language: string): string | undefined =>
  new Intl.DisplayNames(["en"], { type: "language", fallback: "none" }).of(language)

const ofParseNumber = (model: string): SttWarning | undefined => {
  const code = /^([a-z]{2,3})-/i.exec(model)?.[1]
  if (code === undefined) return undefined
  const language = new Intl.Locale(code).language
  const name = nameOf(language)
  return name === undefined || withParseNumber.includes(language)
    ? undefined
    : ParseNumberWithoutEffect.make({
        model,
        language,
        message: `Turning numbers into digits has no effect with the model ${model}, whose language is ${name}: leave parseNumber out, or use a model of ${withParseNumber.slice(0, -1).join(", ")} or ${withParseNumber.at(-1)}.`
      })
}

/** The joiners of Indic and Arabic scripts are format characters, and belong to the word. */
const word = String.raw`[\p{L}\p{M}\u200c\u200d]+(?:['’-][\p{L}\p{M}\u200c\u200d]+)*`
const spoken = new RegExp(String.raw`^\s*${word}(?:\s+${word})*\s*$`, "u")

const ofHotword = (phrase: string): SttWarning | undefined =>
  spoken.test(phrase)
    ? undefined
    : HotwordNotSpoken.make({
        phrase,
        message: `The hotword ${JSON.stringify(phrase)} holds digits or punctuation, which nobody speaks: write it as it is said, in words.`
      })
