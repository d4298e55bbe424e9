export type { CallEvent, CallOptions } from "@effect-speech/transport/CallEvent"
export type { CallReport } from "@effect-speech/transport/CallReport"
export * as AudioSource from "./AudioSource.js"
export * as Recording from "./Recording.js"
export {
  SpeechToText,
  SpeechToTextCalls,
  type SpeechToTextOptions,
  type SpeechToTextService,
  type TestAnswer,
  type TestOutcome
} from "./SpeechToText.js"
export type { Hotword, HotwordEncoding } from "./SttContract.js"
export * as SttContract from "./SttContract.js"
export * from "./SttError.js"
export * from "./SttWarning.js"
export { Transcription } from "./Transcription.js"
export { TranscriptionOptions } from "./TranscriptionOptions.js"
export type { TranscriptionRequest } from "./TranscriptionRequest.js"
