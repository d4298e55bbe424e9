import * as Telephony from "@effect-speech/audio-codec/Telephony"
import { unsafeInstance } from "@effect-speech/common/Structural"
import * as Recording from "@effect-speech/stt/Recording"
import type { Transcription } from "@effect-speech/stt/Transcription"
import * as SegmentReader from "../../SegmentReader.js"
import type { OpenPieces, RecordingPiece } from "./recordingPieces.js"
import { segmentsOf, validConfidence } from "./segments.js"
import { Piece, Transcript } from "./transcript.js"
import { endsEarly, onlySilence, textsDiffer, timesUnread, type Warning } from "./warnings.js"

/** The result of a piece. Its samples were dropped. */
export interface PieceResult {
  readonly piece: Omit<RecordingPiece, "samples">
  readonly source: Piece["source"]
  readonly transcription?: Transcription | undefined
}

/** Joins the transcripts of all pieces, in order. */
export const joinTranscripts = (
  results: ReadonlyArray<PieceResult>,
  recording: OpenPieces,
  transactionId: string,
  reader: SegmentReader.SegmentReader = SegmentReader.localService
): Transcript => {
  const pieces = results.map(({ piece: { isSilent, ...piece }, source, transcription }) => {
    if (transcription === undefined) return unsafeInstance(Piece, { ...piece, source, text: "" })
    const { auxInfo, call, callId, text, transactionId: sentId } = transcription
    return unsafeInstance(Piece, {
      ...piece,
      source,
      text: text.trim(),
      confidence: validConfidence(auxInfo?.confidence),
      callId,
      transactionId: sentId,
      call
    })
  })
  const read = results.map(({ piece, transcription }) =>
    transcription === undefined ? { segments: [] } : segmentsOf(piece, transcription, reader)
  )
  const unread = read.filter(({ problem }) => problem === "times").length
  const different = read.filter(({ problem }) => problem === "texts").length
  return unsafeInstance(Transcript, {
    text: pieces
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join(" "),
    durationMillis: pieces.at(-1)?.endMillis ?? 0,
    confidence: joinedConfidence(pieces),
    segments: read.flatMap(({ segments }) => segments),
    pieces,
    warnings: distinct([
      ...Recording.warnings({ channels: 1, sampleRate: Math.min(recording.sampleRate, Telephony.format.sampleRate) }),
      ...endsEarly(recording.missingMillis()),
      ...(pieces.every(({ source }) => source === "silence") ? [onlySilence] : []),
      ...(unread === 0 ? [] : [timesUnread(unread, pieces.length)]),
      ...(different === 0 ? [] : [textsDiffer(different, pieces.length)]),
      ...results.flatMap(({ transcription }) => transcription?.warnings ?? [])
    ]),
    transactionId
  })
}

const distinct = (warnings: ReadonlyArray<Warning>): ReadonlyArray<Warning> => [
  ...new Map(warnings.map((warning) => [warning.message, warning])).values()
]

/** The mean of the confidences, weighted by the duration of their pieces. `undefined` if no piece has one. */
const joinedConfidence = (
  pieces: ReadonlyArray<Pick<Piece, "startMillis" | "endMillis" | "confidence">>
): number | undefined => {
  let [sum, weight] = [0, 0]
  for (const { confidence, endMillis, startMillis } of pieces) {
    if (confidence === undefined) continue
    sum += confidence * (endMillis - startMillis)
    weight += endMillis - startMillis
  }
  return weight === 0 ? undefined : sum / weight
}
