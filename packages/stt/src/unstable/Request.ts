/**
 * The check of a request before anything is sent.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isAudioSource } from "../AudioSource.js"
import { SttInvalidRequest } from "../SttError.js"
import { TranscriptionOptions } from "../TranscriptionOptions.js"
import type { TranscriptionRequest } from "../TranscriptionRequest.js"

/** A recording is no JSON, so this schema stays inside. */
const Request = Schema.Struct({
  audio: Schema.declare(isAudioSource, {
    message: () => "must be an AudioSource: AudioSource.fromPath, fromBytes, fromBlob, fromStream or fromOneShotStream"
  }),
  ...TranscriptionOptions.fields
})

const decode = Issue.strictly(Schema.typeSchema(Request))

/**
 * Checks a request as the client does before it sends anything.
 *
 * @since 0.1.0
 * @category validation
 */
export const validate = <R>(
  request: TranscriptionRequest<R>
): Either.Either<TranscriptionRequest<R>, SttInvalidRequest> =>
  Either.mapBoth(decode(request), {
    onLeft: (issue) => new SttInvalidRequest(issue),
    onRight: (valid) => ({ ...valid, audio: request.audio })
  })
