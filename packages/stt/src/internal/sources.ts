import type { UploadFailed } from "@effect-speech/transport/Failure"
import * as Schema from "effect/Schema"
import type { AudioSource } from "../AudioSource.js"
import { AudioHint } from "../SttError.js"

/** Whether a request can be sent again with all of the recording. */
export const isRepeatable = (source: AudioSource): boolean => source._tag !== "Stream" || source.repeatable

/** What a person knows a recording by: its path, or the name that it is sent under. */
export const nameOf = (source: AudioSource): string => (source._tag === "Path" ? source.path : source.filename)

const isAudioHint = Schema.is(AudioHint)

/** The facts of an `SttAudioUnreadable`. */
export const unreadableAudio = (source: AudioSource, { hint, problem }: UploadFailed) => ({
  source: nameOf(source),
  problem,
  hint: isAudioHint(hint) ? hint : undefined
})
