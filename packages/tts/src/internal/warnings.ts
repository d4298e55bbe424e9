import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import type { Encoding, OutputFormat } from "../TtsContract.js"
import { DurationMissing, FormatDiffers, RequestIdDiffers, RequestIdMissing, type TtsWarning } from "../TtsWarning.js"

export interface ResponseFacts {
  /** The requested format. */
  readonly asked: OutputFormat | undefined
  readonly format: AudioFormat & { readonly encoding: Encoding }
  readonly durationMillis: number | undefined
  readonly sentId: string
  readonly receivedId: string | undefined
}

export const warningsFor = (facts: ResponseFacts): ReadonlyArray<TtsWarning> =>
  [formatWarning(facts), durationWarning(facts), requestIdWarning(facts)].filter((warning) => warning !== undefined)

const formatWarning = ({ asked, format: { encoding, sampleRate } }: ResponseFacts): TtsWarning | undefined => {
  return asked === undefined || asked === `${sampleRate}:${encoding}`
    ? undefined
    : new FormatDiffers({
        asked,
        sampleRate,
        encoding,
        message: `The audio is ${sampleRate}:${encoding}, not ${asked} as requested: use the format of the speech.`
      })
}

const durationWarning = ({ durationMillis }: ResponseFacts): TtsWarning | undefined =>
  durationMillis === undefined
    ? new DurationMissing({
        message:
          "The response does not state the duration of the audio, so audio that was cut between two samples is not detected: listen to its end."
      })
    : undefined

const requestIdWarning = ({ receivedId, sentId }: ResponseFacts): TtsWarning | undefined => {
  if (receivedId === undefined) {
    return new RequestIdMissing({
      message: `The response has no request id. To report this call to the service, use the id that was sent: ${sentId}.`
    })
  }
  return receivedId === sentId
    ? undefined
    : new RequestIdDiffers({
        sentId,
        receivedId,
        message: `The response has the request id ${receivedId}, not ${sentId} as sent. To report this call to the service, use both.`
      })
}
