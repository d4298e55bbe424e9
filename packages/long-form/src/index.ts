export * as LongSpeech from "./LongSpeech.js"
export type { LongTranscriptionOptions, LongTranscriptionRequest } from "./LongTranscription.js"
export * as LongTranscription from "./LongTranscription.js"
export type { Passage, Script, ScriptOptions } from "./Passages.js"
export * as Passages from "./Passages.js"
export {
  PieceStore,
  PieceStoreError,
  type PieceStoreService
} from "./PieceStore.js"
export type { SegmentFields, SegmentReading } from "./SegmentReader.js"
export * as SegmentReader from "./SegmentReader.js"
export type { Sentence, SentenceOptions } from "./Sentences.js"
export * as Sentences from "./Sentences.js"
export type { Cue } from "./Subtitles.js"
export * as Subtitles from "./Subtitles.js"
export type { Boundary, SplitOptions, TextPiece } from "./TextPieces.js"
export * as TextPieces from "./TextPieces.js"
