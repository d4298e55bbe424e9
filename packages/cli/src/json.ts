/**
 * What `--json` prints. The names in it are of its own: they stay when a field of the library gets another name.
 */
import type * as LongSpeech from "@effect-speech/long-form/LongSpeech"
import type * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import type { Transcription } from "@effect-speech/stt"
import type { Piece } from "@effect-speech/transport/CallReport"

const renaming =
  (names: Readonly<Record<string, string>>) =>
  (value: object): object =>
    Object.fromEntries(Object.entries(value).map(([name, field]) => [names[name] ?? name, field]))

const inText = { startIndex: "textStart", endIndex: "textEnd" }
const inMillis = { startMillis: "start", endMillis: "end" }

const spokenPiece = renaming(inText)
const spokenSegment = renaming({ ...inText, ...inMillis })
const timed = renaming(inMillis)

/** The pieces and the sentences of a speech. The texts of the pieces are left out. */
export const ofSpeech = ({ pieces, segments }: LongSpeech.Report): object => ({
  pieces: pieces.map(({ text: _, ...facts }) => spokenPiece(facts)),
  segments: segments.map(spokenSegment)
})

/** The transcript of a recording. */
export const ofTranscript = (transcript: Transcription | LongTranscription.Transcript): object =>
  "pieces" in transcript
    ? { ...transcript, segments: transcript.segments.map(timed), pieces: transcript.pieces.map(timed) }
    : transcript

const ofPiece = (piece: Piece): object => {
  const { _tag, kept, number, of } = piece
  if (_tag === "TextPiece") {
    const { beginning, endIndex: end, leftCodePoints: left, startIndex: start } = piece
    return { number, of, unit: "characters", start, end, beginning, kept, left }
  }
  const { endMillis: end, leftMillis: left, startMillis: start, wholeMillis: whole } = piece
  return { number, of, unit: "milliseconds", start, end, whole, kept, left }
}

const isPiece = (value: unknown): value is Piece =>
  typeof value === "object" &&
  value !== null &&
  "_tag" in value &&
  (value._tag === "TextPiece" || value._tag === "RecordingPiece")

/** JSON of a value that may hold an error with its piece. */
export const stringify = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) => (isPiece(field) ? ofPiece(field) : field))
