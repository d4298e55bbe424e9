/**
 * The request of a transcription. The client checks it before it sends anything.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isAudioSource } from "./AudioSource.js"
import { field, Hotword } from "./SttContract.js"
import { SttInvalidRequest } from "./SttError.js"

export const TranscriptionRequest = Schema.Struct({
  /** The recording: mono, preferably at 8 kHz, in WAV, MP3, M4A, FLAC, OGG or WebM. */
  audio: Schema.declare(isAudioSource, {
    identifier: "AudioSource",
    message: () => "must be an AudioSource: AudioSource.fromPath, fromBytes, fromBlob, fromStream or fromOneShotStream"
  }),
  /** The name of a model. It decides the language; the service does not detect it. */
  model: Schema.String.pipe(
    Schema.filter((model) =>
      model.trim() === "" ? "must not be empty: the model decides the language" : Issue.inText(model)
    )
  ),
  /** A UUID for correlation. Default: a random one. */
  transactionId: Schema.optional(
    Schema.String.pipe(
      Schema.filter((id) => Schema.is(Schema.UUID)(id) || "must be a UUID, like 7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f")
    )
  ),
  /** Request `auxInfo`: timings, tokens, confidences. Default: false, of the service. */
  aux: Schema.optional(Schema.Boolean),
  /** Write spoken numbers as digits. The service does it only for models of hi, ml, kn, gu and mr. */
  parseNumber: Schema.optional(Schema.Boolean),
  /** Phrases that the recognition prefers. Default: none. */
  hotwords: Schema.optional(Schema.Array(Hotword)),
  /**
   * Convert a WAV file of any format to mono, 8 kHz and 16 bits during the upload. The models are trained on this
   * format, and it has a twelfth of the size of 48 kHz stereo. Any other container fails with `SttAudioUnreadable`.
   * Default: false, the file is sent unchanged.
   */
  telephony: Schema.optional(Schema.Boolean),
  /** Further form fields of the service, sent unchanged. Default: none. */
  additionalFields: Schema.optional(
    Issue.plainObject(
      Schema.Record({ key: Schema.String, value: Schema.String.pipe(Schema.filter(Issue.inText)) })
    ).pipe(
      Schema.filter((fields) => {
        const known = Object.keys(fields).find((name) => Object.values<string>(field).includes(name))
        if (known !== undefined) return `must not hold ${known}, which is a field of the request itself`
        return (
          Object.keys(fields).every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) ||
          "must have names of visible ASCII without quotes and backslashes, which services read in different ways"
        )
      })
    )
  )
})
export type TranscriptionRequest = typeof TranscriptionRequest.Type

const decode = Schema.decodeUnknownEither(Schema.typeSchema(TranscriptionRequest), { onExcessProperty: "error" })

/** Checks a request as the client does before it sends anything. */
export const validate = (request: TranscriptionRequest): Either.Either<TranscriptionRequest, SttInvalidRequest> =>
  Either.mapLeft(decode(request), (error) => new SttInvalidRequest(Issue.first(error.issue)))
