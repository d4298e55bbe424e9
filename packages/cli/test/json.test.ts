import { describe, expect, it } from "@effect/vitest"
import { nothingSent, type Piece } from "@effect-speech/transport/CallReport"
import { withPiece } from "@effect-speech/transport/unstable/ErrorDefinition"
import { TtsUnauthorized } from "@effect-speech/tts"
import * as Json from "../src/json.js"

const printed = (value: unknown): unknown => JSON.parse(Json.stringify(value))

describe("the JSON of the command keeps its names", () => {
  it("for a transcript of pieces", () => {
    const place = { startMillis: 0, endMillis: 1500 }
    const transcript = {
      text: "one",
      durationMillis: 1500,
      segments: [{ ...place, text: "one", confidence: 0.5, times: "service" } as const],
      pieces: [{ number: 1, ...place, ending: "end", source: "sent", text: "one", call: nothingSent } as const],
      warnings: [],
      transactionId: "id"
    }
    expect(printed(Json.ofTranscript(transcript))).toEqual({
      ...transcript,
      segments: [{ start: 0, end: 1500, text: "one", confidence: 0.5, times: "service" }],
      pieces: [{ number: 1, start: 0, end: 1500, ending: "end", source: "sent", text: "one", call: nothingSent }]
    })
  })

  it("for a speech", () => {
    const inText = { startIndex: 0, endIndex: 4 }
    const inAudio = { startMillis: 40, endMillis: 140 }
    const facts = { number: 1, passage: 0, boundary: "end", codePoints: 4, startFrame: 0, endFrame: 9 } as const
    const printable = Json.ofSpeech({
      format: { sampleRate: 8000, channels: 1, encoding: "pcm16" },
      durationMillis: 140,
      pieces: [{ ...facts, text: "One.", ...inText, ...inAudio, source: "kept", requestId: "r", warnings: [] }],
      segments: [{ text: "One.", ...inText, ...inAudio, estimated: false }]
    })
    expect(printed(printable)).toEqual({
      pieces: [{ ...facts, textStart: 0, textEnd: 4, ...inAudio, source: "kept", requestId: "r", warnings: [] }],
      segments: [{ text: "One.", textStart: 0, textEnd: 4, start: 40, end: 140, estimated: false }]
    })
  })

  const counts = { number: 2, of: 3, kept: 1 }

  it.each<[Piece, object]>([
    [
      { _tag: "TextPiece", ...counts, startIndex: 9, endIndex: 20, beginning: "two", leftCodePoints: 30 },
      { ...counts, unit: "characters", start: 9, end: 20, beginning: "two", left: 30 }
    ],
    [
      { _tag: "RecordingPiece", ...counts, startMillis: 9, endMillis: 20, wholeMillis: 50, leftMillis: 30 },
      { ...counts, unit: "milliseconds", start: 9, end: 20, whole: 50, left: 30 }
    ]
  ])("for the piece of an error: %j", (piece, names) => {
    const error = withPiece(new TtsUnauthorized(), piece)
    expect(printed({ error })).toMatchObject({ error: { _tag: "TtsUnauthorized", call: { billing: "notBilled" } } })
    expect(printed({ error: error.call.piece })).toEqual({ error: names })
  })
})
