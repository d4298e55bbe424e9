export type { CallEvent, CallOptions } from "@effect-speech/transport/CallEvent"
export type { CallReport } from "@effect-speech/transport/CallReport"
export type { Speech, SpeechStream } from "./Speech.js"
export { SynthesisRequest } from "./SynthesisRequest.js"
export {
  type TestAnswer,
  type TestAudio,
  type TestOutcome,
  TextToSpeech,
  TextToSpeechCalls,
  type TextToSpeechOptions,
  type TextToSpeechService
} from "./TextToSpeech.js"
export type { OutputFormat } from "./TtsContract.js"
export * as TtsContract from "./TtsContract.js"
export * from "./TtsError.js"
export * from "./TtsWarning.js"
