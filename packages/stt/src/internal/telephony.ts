import { type Container, displayName } from "@effect-speech/audio-codec/Container"
import * as Telephony from "@effect-speech/audio-codec/Telephony"
import * as Wav from "@effect-speech/audio-codec/Wav"
import type { WavError } from "@effect-speech/audio-codec/WavError"
import type { UploadFailed } from "@effect-speech/transport/Failure"
import { borrowedChunks, fromStream, type Upload } from "@effect-speech/transport/Upload"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Recording } from "../Recording.js"
import type { OpenAudio } from "./openAudio.js"

/** In Hz. A lower rate holds no speech, and its conversion to 8 kHz makes a large file of a small one. */
const lowestRate = 1000

/** Converts a WAV file to mono, 8 kHz and 16 bits during the upload. */
export const asTelephony = (
  { bytes, upload }: OpenAudio,
  container: Container | undefined
): Effect.Effect<Upload, UploadFailed, Scope.Scope> =>
  Effect.gen(function* () {
    if (container !== "wav") {
      const found = container === undefined ? "no WAV file" : displayName(container)
      return yield* Effect.fail({
        ...failed(`it is ${found}, and only WAV can be converted`),
        hint: "omitTelephony"
      })
    }
    const { byteLength } = upload
    const beginning = yield* bytes.read(0, Wav.longestHeader)
    const header = Either.getOrUndefined(Wav.decodeHeader(beginning, byteLength))
    const decoded = yield* Effect.mapError(Wav.decodeStream(borrowedChunks(upload)), toUploadFailed)
    if (decoded.format.sampleRate < lowestRate) {
      return yield* Effect.fail(failed(`its rate of ${decoded.format.sampleRate} Hz is too low for speech`))
    }
    const converted = Telephony.telephony({
      ...decoded,
      // Without the size of the file, the length in the header can't be trusted.
      byteLength: byteLength === undefined ? undefined : header?.byteLength
    })
    return fromStream(
      Stream.mapError(Wav.encodeStream(converted), toUploadFailed),
      // 16-bit samples need no padding.
      converted.byteLength === undefined
        ? undefined
        : Wav.header(converted.format, converted.byteLength).byteLength + converted.byteLength
    )
  })

/**
 * Describes the recording after the conversion. A lower sample rate stays, since no conversion restores frequencies.
 */
export const describeConverted = ({ sampleRate, ...recording }: Recording): Recording => ({
  ...recording,
  channels: 1,
  sampleRate: sampleRate === undefined ? undefined : Math.min(sampleRate, Telephony.format.sampleRate)
})

const failed = (problem: string): UploadFailed => ({ _tag: "UploadFailed", problem })

const toUploadFailed = (error: UploadFailed | WavError): UploadFailed =>
  error._tag === "WavError" ? failed(`it can't be converted: ${error.message}`) : error
