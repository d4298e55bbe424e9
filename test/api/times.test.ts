/** Times and places in the API of `@effect-speech/long-form`, as a user writes them. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { AudioDecoder, Wav } from "@effect-speech/audio-codec"
import {
  LongSpeech,
  LongTranscription,
  Passages,
  PieceStore,
  SegmentReader,
  Sentences,
  Subtitles,
  TextPieces
} from "@effect-speech/long-form"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { CallReport } from "@effect-speech/transport"
import { TextToSpeech, TtsUnauthorized } from "@effect-speech/tts"
import { Data, Duration, Effect, Either, Equal, Hash, HashSet, Layer, Option, pipe, Schema, Stream } from "effect"

const tone = TextToSpeech.layerTest({
  bytes: new Uint8Array(new Int16Array(8000).fill(999).buffer),
  outputFormat: "8000:pcm16"
})

const services = Layer.mergeAll(
  SpeechToText.layerTest({ text: "One." }),
  PieceStore.layerMemory,
  AudioDecoder.AudioDecoder.layerWav,
  NodeFileSystem.layer
)

const audio = AudioSource.fromBytes(
  Wav.encode(new Uint8Array(new Int16Array(4000).map((_, index) => (index % 40) * 99).buffer), {
    sampleRate: 8000,
    channels: 1,
    encoding: "pcm16"
  })
)
const model = "en-general-v2-8khz"
const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"

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

describe("a duration that is given is any `DurationInput`", () => {
  it("for the longest and the shortest time of a cue", () => {
    const cue = { startMillis: 0, endMillis: 20_000, text: "Amen." }
    const cues = Subtitles.layout([cue], { maximum: "3 seconds", minimum: Duration.millis(500) })
    expect(cues).toEqual([{ ...cue, endMillis: 3000 }])
    // @ts-expect-error: a number with a unit in its name is no option.
    expect(Subtitles.layout([cue], { maximumMillis: 3000 })).toEqual([{ ...cue, endMillis: 7000 }])
  })

  it.effect("for the pauses of a speech, and one that is out of range is refused before anything is sent", () =>
    Effect.gen(function* () {
      const spoken = (options: LongSpeech.Options) =>
        LongSpeech.stream(
          { text: "One.\n\nTwo." },
          { maximumCodePoints: 8, firstCodePoints: 8, fade: 0, ...options }
        ).pipe(
          Effect.tap(({ stream }) => Stream.runDrain(stream)),
          Effect.flatMap(({ report }) => report),
          Effect.scoped
        )
      const long = yield* spoken({ pauses: { paragraph: "2 seconds" }, edgeSilence: Duration.millis(10) })
      const short = yield* spoken({ pauses: { paragraph: 500 }, edgeSilence: "10 millis" })
      expect(long.durationMillis - short.durationMillis).toBe(1500)
      const refused = yield* Effect.flip(spoken({ pauses: { paragraph: "2 minutes" } }))
      expect(refused).toMatchObject({ _tag: "TtsInvalidRequest", field: "pauses.paragraph" })
    }).pipe(Effect.provide([tone, PieceStore.layerMemory]))
  )

  it.effect("for the longest piece of a recording", () =>
    Effect.gen(function* () {
      const transcribe = (options: LongTranscription.Options) => LongTranscription.transcribe({ audio, model }, options)
      const { durationMillis, pieces } = yield* transcribe({ maximum: "1 minute" })
      expect([durationMillis, pieces.length]).toEqual([500, 1])
      expect(yield* Effect.flip(transcribe({ maximum: "2 hours" }))).toMatchObject({
        ...{ _tag: "SttInvalidRequest", field: "maximum", problem: 'must be a duration from "1 second" to "1 hour"' }
      })
    }).pipe(Effect.provide(services))
  )
})

describe("a function over values", () => {
  it("takes its subject first, or last in a pipe", () => {
    const text = "यह app अच्छा है। It works."
    const first = [...TextPieces.split(Passages.byScript(text, { minimumWords: 2 }), { maximumCodePoints: 12 })]
    const last = pipe(text, Passages.byScript({ minimumWords: 2 }), TextPieces.split({ maximumCodePoints: 12 }))
    expect([...last]).toEqual(first)
    expect([...pipe(text, Sentences.split({ lang: "hi" }))]).toEqual([...Sentences.split(text, { lang: "hi" })])
    expect([...pipe(text, Sentences.split())]).toEqual([...Sentences.split(text)])
    const cues = [{ startMillis: 0, endMillis: 900, text }]
    expect(pipe(cues, Subtitles.layout(), Subtitles.toVtt)).toBe(Subtitles.toVtt(Subtitles.layout(cues)))
  })

  it("throws for no number: one that is out of range counts as the nearest in it", () => {
    const [cue] = Subtitles.layout([{ startMillis: Number.NaN, endMillis: -5, text: "One." }], { lines: 0 })
    expect(cue).toMatchObject({ startMillis: 0, text: "One." })
    expect([...TextPieces.split("One. Two.", { maximumCodePoints: Number.NaN })]).toHaveLength(9)
  })
})

it("what belongs to a store of pieces is on its class, and a name that is none is `None`", () => {
  const piece = `${"0f".repeat(32)}.wav`
  const temporary = `${piece}.00000000-0000-4000-8000-000000000000.part`
  expect([piece, temporary].filter(PieceStore.isPieceName)).toEqual([piece])
  expect(PieceStore.pieceOfTemporary(temporary)).toEqual(Option.some(piece))
  expect(PieceStore.pieceOfTemporary(piece)).toEqual(Option.none())
})

describe("a result is a value", () => {
  const text = "One. Two."

  it("that is equal to another one with the same contents", () => {
    const cue = { startMillis: 0, endMillis: 900, text }
    const layout = () => Subtitles.layout([cue])
    expect(Equal.equals(layout()[0], layout()[0])).toBe(true)
    expect(Equal.equals(layout()[0], new Subtitles.Cue(cue))).toBe(true)
    expect(HashSet.size(HashSet.make(...layout(), ...layout()))).toBe(1)
    expect(Equal.equals(Data.array([...Sentences.split(text)]), Data.array([...Sentences.split(text)]))).toBe(true)
    expect(Equal.equals(Data.array([...TextPieces.split(text)]), Data.array([...TextPieces.split(text)]))).toBe(true)
  })

  it.effect("which is JSON and back: the plan and the report of a speech, and the transcript of a recording", () =>
    Effect.gen(function* () {
      const planned = yield* LongSpeech.plan({ text })
      expect(Equal.equals(planned, yield* LongSpeech.plan({ text }))).toBe(true)
      const reportOf = LongSpeech.stream({ text }).pipe(
        Effect.tap(({ stream }) => Stream.runDrain(stream)),
        Effect.flatMap(({ report }) => report),
        Effect.scoped
      )
      yield* reportOf
      const [report, again] = [yield* reportOf, yield* reportOf]
      expect(Equal.equals(report, again)).toBe(true)
      expect(Hash.hash(report)).toBe(Hash.hash(again))
      const ofReport = Schema.parseJson(LongSpeech.Report)
      expect(Equal.equals(Schema.decodeSync(ofReport)(Schema.encodeSync(ofReport)(report)), report)).toBe(true)

      const transcribe = LongTranscription.transcribe({ audio, model, transactionId })
      yield* transcribe
      const [transcript, same] = [yield* transcribe, yield* transcribe]
      expect(Equal.equals(transcript, same)).toBe(true)
      const ofTranscript = Schema.parseJson(LongTranscription.Transcript)
      const read = Schema.decodeSync(ofTranscript)(Schema.encodeSync(ofTranscript)(transcript))
      expect(Equal.equals(read, transcript)).toBe(true)
      expect(read.segments[0]).toBeInstanceOf(LongTranscription.Segment)
    }).pipe(Effect.provide(Layer.merge(services, tone)))
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
