import { AudioFormat, bytesPerFrame } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import { unsafeInstance } from "@effect-speech/common/Structural"
import type * as Duration from "effect/Duration"
import * as Stream from "effect/Stream"
import type { Boundary } from "../text/boundary.js"
import type { PlannedPiece } from "./plan.js"
import { Piece, Report, Segment } from "./report.js"
import type { Options } from "./request.js"
import { sentenceTimes } from "./sentenceTimes.js"
import { shapePiece } from "./shapePiece.js"
import type { PieceAudio } from "./speakPieces.js"

const defaultPauses: Record<Boundary, Duration.DurationInput> = {
  paragraph: "600 millis",
  line: "400 millis",
  sentence: "250 millis",
  clause: "120 millis",
  word: 0,
  cluster: 0,
  end: 0
}

const asValue = ({ channels, encoding, sampleRate }: AudioFormat): AudioFormat =>
  unsafeInstance(AudioFormat, { sampleRate, channels, encoding })

/** Joins the audio of the pieces in order, and reports where each piece and each sentence is in the whole. */
export const makeJoiner = (format: AudioFormat, { edgeSilence = "40 millis", fade = "5 millis", pauses }: Options) => {
  const pauseAfter = (boundary: Boundary) =>
    (boundary === "end" ? undefined : pauses?.[boundary]) ?? defaultPauses[boundary]
  const pieces: Array<Piece> = []
  const segments: Array<Segment> = []
  let frames = 0
  const millisOf = (frame: number) => (frame / format.sampleRate) * 1000

  const addSegments = (piece: PlannedPiece, bytes: Uint8Array) => {
    const samples = Pcm.decode(bytes, format.encoding)
    const sentences = sentenceTimes(piece.text, piece.lang, samples, format.sampleRate)
    for (const { endFrame, estimated, offset, startFrame, text } of sentences) {
      const startIndex = piece.startIndex + offset
      segments.push(
        unsafeInstance(Segment, {
          text,
          startIndex,
          endIndex: startIndex + text.length,
          startMillis: millisOf(frames + startFrame),
          endMillis: millisOf(frames + endFrame),
          estimated
        })
      )
    }
  }
  /** The audio of the next piece, and the pause after it. */
  const push = ({ audio, call, piece, warnings }: PieceAudio): Stream.Stream<Uint8Array> => {
    const bytes =
      audio === undefined ? new Uint8Array(0) : shapePiece(audio.bytes, audio.format, format, { edgeSilence, fade })
    const pause = PcmStream.silence(format, pauseAfter(piece.boundary))
    const endFrame = frames + bytes.byteLength / bytesPerFrame(format)
    pieces.push(
      unsafeInstance(Piece, {
        number: piece.index + 1,
        text: piece.text,
        startIndex: piece.startIndex,
        endIndex: piece.endIndex,
        passage: piece.passage,
        boundary: piece.boundary,
        codePoints: piece.cost,
        startFrame: frames,
        endFrame,
        startMillis: millisOf(frames),
        endMillis: millisOf(endFrame),
        source: audio === undefined ? "silence" : call === undefined ? "kept" : "sent",
        requestId: audio?.requestId,
        call,
        warnings
      })
    )
    if (audio !== undefined) addSegments(piece, bytes)
    frames = endFrame + (pause.byteLength ?? 0) / bytesPerFrame(format)
    return bytes.byteLength === 0 ? pause.stream : Stream.concat(Stream.make(bytes), pause.stream)
  }
  return {
    push,
    report: (): Report =>
      unsafeInstance(Report, {
        format: asValue(format),
        pieces: [...pieces],
        segments: [...segments],
        durationMillis: millisOf(frames)
      })
  }
}
