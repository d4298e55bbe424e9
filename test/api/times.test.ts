/** Times and places in the API of `@effect-speech/long-form`, as a user writes them. */
import { describe, expect, it } from "@effect/vitest"
import { LongSpeech, PieceStore, SegmentReader, Sentences, Subtitles, TextPieces } from "@effect-speech/long-form"
import { CallReport } from "@effect-speech/transport"
import { TextToSpeech, TtsUnauthorized } from "@effect-speech/tts"
import { Effect, Either, Stream } from "effect"

const tone = TextToSpeech.layerTest({
  bytes: new Uint8Array(new Int16Array(8000).fill(999).buffer),
  outputFormat: "8000:pcm16"
})

describe("a time says its unit", () => {
  it("in a cue, so that one in seconds does not compile", () => {
    const cues: ReadonlyArray<Subtitles.Cue> = [{ startMillis: 1500, endMillis: 2000, text: "One." }]
    expect(Subtitles.toSrt(cues)).toBe("1\n00:00:01,500 --> 00:00:02,000\nOne.\n")
    expect(Subtitles.parse(Subtitles.toVtt(cues))).toEqual(Either.right(cues))
    // @ts-expect-error: `start` and `end` have no unit.
    const inSeconds = () => Subtitles.toSrt([{ start: 1.5, end: 2, text: "One." }])
    expect(inSeconds).toBeTypeOf("function")
  })

  it("in what a reader of segments returns", () => {
    const inSeconds = SegmentReader.fields({ start: "at.from", end: "at.to", unit: "seconds" })
    expect(inSeconds({ at: { from: 1.5, to: 2 }, text: "One." })).toMatchObject({ startMillis: 1500, endMillis: 2000 })
    // @ts-expect-error: a reader of your own returns milliseconds.
    const own: SegmentReader.SegmentReader = ({ from, to }) => ({ start: Number(from), end: Number(to) })
    expect(own).toBeTypeOf("function")
  })

  it.effect("in the report of a speech, beside its place in the text", () =>
    Effect.gen(function* () {
      const text = "One. Two."
      const speech = yield* LongSpeech.stream({ text, outputFormat: "8000:pcm16" })
      yield* Stream.runDrain(speech.stream)
      const { durationMillis, pieces, segments } = yield* speech.report
      expect(pieces.map(({ endIndex, startIndex }) => text.slice(startIndex, endIndex))).toEqual([text])
      expect(pieces[0]).toMatchObject({ startMillis: 0, endMillis: durationMillis, startFrame: 0 })
      expect(segments.map(({ endIndex, startIndex }) => text.slice(startIndex, endIndex))).toEqual(["One.", "Two."])
      expect(segments.every(({ endMillis, startMillis }) => startMillis <= endMillis)).toBe(true)
    }).pipe(Effect.scoped, Effect.provide([tone, PieceStore.layerMemory]))
  )
})

it("a place in a text is an index of the string", () => {
  const text = "नमस्ते। 😀 फिर मिलेंगे।"
  for (const { endIndex, startIndex, text: part } of [...Sentences.split(text), ...TextPieces.split(text)]) {
    expect(text.slice(startIndex, endIndex)).toBe(part)
  }
})

describe("the piece in the report of a failed call", () => {
  it("is that of a text or that of a recording, each with its own units", () => {
    const ofText: CallReport.Piece = {
      ...{ _tag: "TextPiece", number: 2, of: 3, kept: 1 },
      ...{ startIndex: 100, endIndex: 200, beginning: "Two", leftCodePoints: 150 }
    }
    const ofRecording: CallReport.Piece = {
      ...{ _tag: "RecordingPiece", number: 2, kept: 1 },
      ...{ startMillis: 60_000, endMillis: 120_000, wholeMillis: 180_000, leftMillis: 120_000 }
    }
    const sentenceOf = (piece: CallReport.Piece) =>
      new TtsUnauthorized({ call: { ...CallReport.nothingSent, piece } }).message.replace(/^.*credit\. /, "")
    const leftOf = (piece: CallReport.Piece) =>
      piece._tag === "TextPiece" ? `${piece.leftCodePoints} code points` : `${piece.leftMillis} ms`
    expect([ofText, ofRecording].map(leftOf)).toEqual(["150 code points", "120000 ms"])
    expect([ofText, ofRecording].map(sentenceOf)).toEqual([
      "Piece 2 of 3, from character 101 (“Two”). To go on, run it again: 1 piece is kept, and the rest costs at most 150 code points.",
      "Piece 2, from 0:01:00 to 0:02:00 of 0:03:00. To go on, run it again: 1 piece is kept, and the rest is 0:02:00 of audio."
    ])
  })
})
