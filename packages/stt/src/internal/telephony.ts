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

/** In Hz. Below it nothing is left of speech, and what a small file is converted to grows large. */
const lowestRate = 1000

/** A WAV file as telephony has it: mono, 8 kHz, 16 bits. Of 48 kHz stereo that is a twelfth. */
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
    const decoded = yield* Effect.mapError(Wav.decodeStream(borrowedChunks(upload)), inOwnWords)
    if (decoded.format.sampleRate < lowestRate) {
      return yield* Effect.fail(failed(`its rate of ${decoded.format.sampleRate} Hz is too low for speech`))
    }
    const converted = Telephony.telephony({
      ...decoded,
      // What a header declares counts only where the size of the file bears it out.
      byteLength: byteLength === undefined ? undefined : header?.byteLength
    })
    return fromStream(
      Stream.mapError(Wav.encodeStream(converted), inOwnWords),
      // 16-bit samples need no padding.
      converted.byteLength === undefined
        ? undefined
        : Wav.header(converted.format, converted.byteLength).byteLength + converted.byteLength
    )
  })

/** What the service gets to hear of a recording: what it lacks, no conversion brings back. */
export const converted = ({ sampleRate, ...recording }: Recording): Recording => ({
  ...recording,
  channels: 1,
  sampleRate: sampleRate === undefined ? undefined : Math.min(sampleRate, Telephony.format.sampleRate)
})

const failed = (problem: string): UploadFailed => ({ _tag: "UploadFailed", problem })

const inOwnWords = (error: UploadFailed | WavError): UploadFailed =>
  error._tag === "WavError" ? failed(`it can't be converted: ${error.message}`) : error
