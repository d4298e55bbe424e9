/**
 * Text to speech and speech to text for programs without Effect.
 */
export type * from "./Call.js"
export { connect } from "./connect.js"
export { connectTest } from "./connectTest.js"
export type * from "./ErrorFacts.js"
export * from "./Errors.js"
export type * from "./Speech.js"
export type * from "./SpeechClient.js"
export { SpeechError } from "./SpeechError.js"
export * from "./Subtitles.js"
export type * from "./TestAnswers.js"
export type * from "./Transcription.js"
