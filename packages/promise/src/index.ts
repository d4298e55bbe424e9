/**
 * Text to speech and speech to text for programs without Effect.
 */
export type * from "./Call.js"
export type * from "./Errors.js"
export type * from "./Speech.js"
export type * from "./SpeechClient.js"
export { type Category, SpeechError, type SpeechErrorJson } from "./SpeechError.js"
export type * from "./Transcription.js"
