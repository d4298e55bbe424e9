/**
 * What comes back for a recording.
 */
import { CallReport } from "@effect-speech/transport/CallReport"
import * as Schema from "effect/Schema"
import { AuxInfo } from "./SttContract.js"
import { SttWarning } from "./SttWarning.js"

export const Transcription = Schema.Struct({
  /** The transcript of the whole recording; empty where nothing was recognised. */
  text: Schema.String,
  /** The service's id of this transcription. */
  callId: Schema.String,
  /** The id that was sent. */
  transactionId: Schema.String,
  /** As the service sends it, in its own names; absent unless `aux` was asked for, and perhaps even then. */
  auxInfo: Schema.optional(AuxInfo),
  /** What was seen before sending that may cost quality, and the service would not say. */
  warnings: Schema.Array(SttWarning),
  call: CallReport
})
export type Transcription = typeof Transcription.Type
