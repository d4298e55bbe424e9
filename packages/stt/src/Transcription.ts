/**
 * The result of a transcription.
 */
import { structural } from "@effect-speech/common/Structural"
import { CallReport } from "@effect-speech/transport/CallReport"
import * as Schema from "effect/Schema"
import { AuxInfo } from "./SttContract.js"
import { SttWarning } from "./SttWarning.js"

/**
 * The result of a transcription. It is a Schema too: you can encode it to JSON and decode it. Transcriptions are equal if their contents are.
 * Its constructor throws a `ParseError` if a field is missing or not valid.
 *
 * @example
 * ```ts
 * import { Transcription } from "@effect-speech/stt"
 * import { Schema } from "effect"
 *
 * // To store a transcription, or to send it to another process.
 * export const toJson = Schema.encodeSync(Schema.parseJson(Transcription))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Transcription extends structural(
  Schema.Class<Transcription>("SttTranscription")({
    /** The transcript of the whole recording. Empty if the service recognised nothing. */
    text: Schema.String,
    /** The service's id of this transcription. */
    callId: Schema.String,
    /** The id that was sent. */
    transactionId: Schema.String,
    /**
     * `aux_info` of the response, with the field names of the service. Absent without `aux`, and if the model omits it.
     */
    auxInfo: Schema.optional(AuxInfo),
    /** What the client found before the upload that may reduce the quality, and what the local service says of the call. */
    warnings: Schema.Array(SttWarning),
    /** The report of the call: ids, attempts, billing. */
    call: CallReport
  })
) {}
