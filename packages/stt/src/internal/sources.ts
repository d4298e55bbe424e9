import type { AudioSource } from "../AudioSource.js"

/** Whether a request can be sent again with all of the recording. */
export const isRepeatable = (source: AudioSource): boolean => source._tag !== "Stream" || source.repeatable

/** What a person knows a recording by: its path, or the name that it is sent under. */
export const nameOf = (source: AudioSource): string => (source._tag === "Path" ? source.path : source.filename)
