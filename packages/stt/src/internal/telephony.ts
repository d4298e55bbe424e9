import { type Container, displayName } from "@effect-speech/audio-codec/Container"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Telephony from "@effect-speech/audio-codec/Telephony"
import * as Wav from "@effect-speech/audio-codec/Wav"
import type { WavError } from "@effect-speech/audio-codec/WavError"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import * as Printable from "@effect-speech/common/Printable"
import type { UploadFailed } from "@effect-speech/transport/unstable/Failure"
import { borrowedChunks, fromStream, type Upload } from "@effect-speech/transport/unstable/Upload"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Recording } from "../Recording.js"
import type { OpenAudio } from "./openAudio.js"

/** Converts a WAV file to mono, 8 kHz and 16 bits during the upload. */
export const asTelephony = (
  { unchanged, upload }: OpenAudio,
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
    // Without the size of the file, the length in the header can't be trusted.
    const decoding = Telephony.decodeStream(borrowedChunks(upload), upload.byteLength)
    const converted = yield* Effect.mapError(decoding, toUploadFailed)
    const empty = failed("it has no samples")
    if (converted.byteLength === 0) return yield* Effect.fail(empty)
    const samples = Stream.orElseIfEmptyStream(converted.stream, () => Stream.fail(empty))
    // It fails instead of being empty, so its length stays.
    const audio = PcmStream.make(converted.format, samples, converted)
    const encoded = Stream.mapError(Wav.encodeStream(audio), toUploadFailed)
    // The samples may end before the file, so the upload may not be read to its end.
    return fromStream(Stream.concat(encoded, Stream.execute(unchanged)), Wav.contentLength(audio))
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
  error._tag === "WavError" ? failed(`it can't be converted: ${Printable.asPhrase(withoutLink(error.message))}`) : error
