/**
 * What a caller asks for. It is checked before anything is sent.
 */
import * as Issue from "@effect-speech/transport/Issue"
import * as Schema from "effect/Schema"
import { isAudioSource } from "./AudioSource.js"
import { field, Hotword } from "./SttContract.js"

export const TranscriptionRequest = Schema.Struct({
  /** The recording: mono, ideally at 8 kHz. WAV, MP3, M4A, FLAC, OGG or WebM. */
  audio: Schema.declare(isAudioSource, {
    identifier: "AudioSource",
    message: () => "must be an AudioSource: AudioSource.fromPath, fromBytes, fromBlob, fromStream or fromOneShotStream"
  }),
  /** The name of a model. It decides the language: there is no detection. */
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
  /** Ask for `auxInfo`: timings, tokens, confidences. The service takes false where it is absent. */
  aux: Schema.optional(Schema.Boolean),
  /** Turn spoken numbers into digits; the service does it for hi, ml, kn, gu and mr models alone. */
  parseNumber: Schema.optional(Schema.Boolean),
  /** Phrases that recognition is biased towards. */
  hotwords: Schema.optional(Schema.Array(Hotword)),
  /**
   * Send a WAV file of any format as mono, 8 kHz and 16 bits, which is what the models hear: of 48 kHz stereo that is a
   * twelfth. It is converted as it is sent; anything but WAV is
   * an `SttAudioUnreadable`. Default: false, the file is sent as it is.
   */
  telephony: Schema.optional(Schema.Boolean),
  /** Fields that the service may have beyond these, sent as they are given. Default: none. */
  additionalFields: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.String.pipe(Schema.filter(Issue.inText)) }).pipe(
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
