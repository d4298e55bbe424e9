import type { UploadFailed } from "@effect-speech/transport/unstable/Failure"
import * as Schema from "effect/Schema"
import type { AudioSource } from "../AudioSource.js"
import { AudioHint } from "../SttError.js"

/** Whether the recording can be opened again for a retry. */
export const isRepeatable = (source: AudioSource): boolean => source._tag !== "Stream" || source.repeatable

/** The name of a recording in an error: its path, or its filename. */
const sourceName = (source: AudioSource): string => (source._tag === "Path" ? source.path : source.filename)

const isAudioHint = Schema.is(AudioHint)

/** The facts of an `SttAudioUnreadable`. */
export const unreadableAudio = (source: AudioSource, { code, hint, problem }: UploadFailed) => ({
  source: sourceName(source),
  problem,
  hint: isAudioHint(hint) ? hint : undefined,
  code
})
