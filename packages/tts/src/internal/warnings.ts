import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import { audioFormat, type Encoding, type OutputFormat } from "../TtsContract.js"
import { DurationMissing, FormatDiffers, RequestIdDiffers, RequestIdMissing, type TtsWarning } from "../TtsWarning.js"

export interface Answered {
  readonly asked: OutputFormat | undefined
  readonly format: AudioFormat & { readonly encoding: Encoding }
  readonly durationMillis: number | undefined
  readonly sentId: string
  readonly receivedId: string | undefined
}

export const warningsFor = (answered: Answered): ReadonlyArray<TtsWarning> =>
  [ofFormat(answered), ofDuration(answered), ofRequestId(answered)].filter((warning) => warning !== undefined)

const ofFormat = ({ asked, format: { encoding, sampleRate } }: Answered): TtsWarning | undefined => {
  if (asked === undefined) return undefined
  const expected = audioFormat(asked)
  return expected.sampleRate === sampleRate && expected.encoding === encoding
    ? undefined
    : FormatDiffers.make({
        asked,
        sampleRate,
        encoding,
        message: `The audio is ${sampleRate}:${encoding}, where ${asked} was asked for: go by the format of the speech, not by the request.`
      })
}

const ofDuration = ({ durationMillis }: Answered): TtsWarning | undefined =>
  durationMillis === undefined
    ? DurationMissing.make({
        message:
          "The answer does not say how long the audio is, so a cut at a whole sample would not be noticed: listen to its end."
      })
    : undefined

const ofRequestId = ({ receivedId, sentId }: Answered): TtsWarning | undefined => {
  if (receivedId === undefined) {
    return RequestIdMissing.make({ message: `The answer has no request id; ${sentId} was sent.` })
  }
  return receivedId === sentId
    ? undefined
    : RequestIdDiffers.make({
        sentId,
        receivedId,
        message: `The answer has the request id ${receivedId}, where ${sentId} was sent: quote both to the service.`
      })
}
