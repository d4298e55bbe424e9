/**
 * The request of a transcription. The client checks it before it sends anything.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type AudioSource, isAudioSource } from "./AudioSource.js"
import { SttInvalidRequest } from "./SttError.js"
import { TranscriptionOptions } from "./TranscriptionOptions.js"

/** A request whose recording requires `R`. Default of `R`: a `FileSystem`, as of {@link AudioSource}. */
export interface TranscriptionRequest<R = FileSystem> extends TranscriptionOptions {
  /** The recording: mono, preferably at 8 kHz, in WAV, MP3, M4A, FLAC, OGG or WebM. */
  readonly audio: AudioSource<R>
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
export const validate = <R>(
  request: TranscriptionRequest<R>
): Either.Either<TranscriptionRequest<R>, SttInvalidRequest> =>
  Either.mapBoth(decode(request), {
    onLeft: ({ issue }) => new SttInvalidRequest(Issue.first(issue)),
    onRight: (valid) => ({ ...valid, audio: request.audio })
  })
