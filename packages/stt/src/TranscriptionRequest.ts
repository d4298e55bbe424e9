/**
 * The request of a transcription. The client checks it before it sends anything.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type AudioSource, isAudioSource } from "./AudioSource.js"
import { SttInvalidRequest } from "./SttError.js"
import { TranscriptionOptions } from "./TranscriptionOptions.js"

export interface TranscriptionRequest extends TranscriptionOptions {
  /** The recording: mono, preferably at 8 kHz, in WAV, MP3, M4A, FLAC, OGG or WebM. */
  readonly audio: AudioSource
}

/** A recording is no JSON, so this schema stays inside. */
const Request = Schema.Struct({
  audio: Schema.declare(isAudioSource, {
    message: () => "must be an AudioSource: AudioSource.fromPath, fromBytes, fromBlob, fromStream or fromOneShotStream"
  }),
  ...TranscriptionOptions.fields
})

const decode = Schema.decodeUnknownEither(Schema.typeSchema(Request), { onExcessProperty: "error" })

/** Checks a request as the client does before it sends anything. */
export const validate = (request: TranscriptionRequest): Either.Either<TranscriptionRequest, SttInvalidRequest> =>
  Either.mapLeft(decode(request), (error) => new SttInvalidRequest(Issue.first(error.issue)))
