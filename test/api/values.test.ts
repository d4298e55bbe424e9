/** Reports, attempts, pieces, warnings, transcriptions and recordings are values: equal if their contents are. */

import { describe, expect, it } from "@effect/vitest"
import {
  AudioSource,
  MoreThanOneChannel,
  Recording,
  SpeechToText,
  SttBadRequest,
  SttError,
  SttWarning,
  Transcription
} from "@effect-speech/stt"
import { Attempt, CallReport, Piece, RecordingPiece, TextPiece } from "@effect-speech/transport/CallReport"
import { DurationMissing, TextToSpeech, TtsBackendFailed, TtsError, TtsWarning } from "@effect-speech/tts"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FastCheck from "effect/FastCheck"
import * as Hash from "effect/Hash"
import * as HashSet from "effect/HashSet"
import * as Schema from "effect/Schema"

const report = (elapsedMillis = 12) =>
  new CallReport({
    sentId: "id-1",
    attempts: [new Attempt({ status: 200, sent: "all", delayMillis: 0, elapsedMillis })],
    billing: "billed",
    elapsedMillis
  })

const request = { audio: AudioSource.fromBytes(new Uint8Array(1)), model: "hi-general-v2-8khz" }

const schemas: ReadonlyArray<readonly [string, Schema.Schema<unknown, unknown>]> = [
  ["CallReport", CallReport as Schema.Schema<unknown, unknown>],
  ["Attempt", Attempt as Schema.Schema<unknown, unknown>],
  ["Piece", Piece as Schema.Schema<unknown, unknown>],
  ["Transcription", Transcription as unknown as Schema.Schema<unknown, unknown>],
  ["Recording", Recording.Recording as Schema.Schema<unknown, unknown>],
  ["SttError", SttError as unknown as Schema.Schema<unknown, unknown>],
  ["TtsError", TtsError as unknown as Schema.Schema<unknown, unknown>],
  ["SttWarning", SttWarning as Schema.Schema<unknown, unknown>],
  ["TtsWarning", TtsWarning as Schema.Schema<unknown, unknown>]
]

describe("a value", () => {
  it("is equal to another one with the same contents, and has the same hash", () => {
    expect(Equal.equals(report(), report())).toBe(true)
    expect(Hash.hash(report())).toBe(Hash.hash(report()))
    expect(Equal.equals(report(), report(13))).toBe(false)
    expect(HashSet.size(HashSet.make(report(), report(), report(13)))).toBe(2)
  })

  it("counts a field that is undefined as absent, as JSON does", () => {
    const fields = { sent: "all", delayMillis: 0, elapsedMillis: 1 } as const
    expect(Equal.equals(new Attempt(fields), new Attempt({ ...fields, status: undefined }))).toBe(true)
    expect(Equal.equals(new Attempt(fields), new Attempt({ ...fields, status: 0 }))).toBe(false)
  })

  it("of another class is another value, with the same fields too", () => {
    const fields = { number: 1, kept: 0 }
    const text = new TextPiece({ ...fields, startIndex: 0, endIndex: 1, beginning: "a" })
    const recording = new RecordingPiece({ ...fields, startMillis: 0, endMillis: 1 })
    expect(Equal.equals<unknown, unknown>(text, recording)).toBe(false)
  })

  it.each(schemas)("of %s is encoded to JSON and decoded to an equal one", (_, schema) => {
    const json = Schema.parseJson(schema)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(schema), (value) => {
        // JSON has no -0, which the first trip makes 0.
        const sent = Schema.decodeSync(json)(Schema.encodeSync(json)(value))
        const again = Schema.decodeSync(json)(Schema.encodeSync(json)(sent))
        expect(Equal.equals(again, sent)).toBe(true)
        expect(Hash.hash(again)).toBe(Hash.hash(sent))
        expect(Schema.encodeSync(json)(again)).toBe(Schema.encodeSync(json)(sent))
      }),
      { numRuns: 20 }
    )
  })

  it("is an error too, which is equal to itself after JSON, with an optional fact that is undefined", () => {
    const error = new SttBadRequest({ serverMessage: undefined, call: report() })
    const json = Schema.parseJson(SttError)
    const again = Schema.decodeSync(json)(Schema.encodeSync(json)(error))
    expect(Equal.equals(again, error)).toBe(true)
    expect(Hash.hash(again)).toBe(Hash.hash(error))
    expect(Equal.equals(again, new SttBadRequest({ call: report(13) }))).toBe(false)
    expect(Equal.equals(again, new SttBadRequest({ call: report(), message: "Another sentence." }))).toBe(false)
    expect(Equal.equals<unknown, unknown>(new SttBadRequest(), new TtsBackendFailed())).toBe(false)
  })
})

describe("what the clients return", () => {
  it.effect("is an instance of the class of its schema", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const transcription = yield* stt.transcribe(request)
      expect(transcription).toBeInstanceOf(Transcription)
      expect(transcription.call).toBeInstanceOf(CallReport)
      expect(transcription.call.attempts[0]).toBeInstanceOf(Attempt)
      const again = Schema.decodeSync(Schema.parseJson(Transcription))(JSON.stringify(transcription))
      expect(Equal.equals(again, transcription)).toBe(true)
      const tts = yield* TextToSpeech
      expect((yield* tts.synthesize({ text: "a" })).call).toBeInstanceOf(CallReport)
      const inspected = yield* Recording.inspect(AudioSource.fromBytes(new Uint8Array(100)))
      expect(Equal.equals(inspected, new Recording.Recording({ bytes: 100 }))).toBe(true)
    }).pipe(
      Effect.provide(SpeechToText.layerTest("hello")),
      Effect.provide(TextToSpeech.layerTest({ bytes: new Uint8Array(4) }))
    )
  )

  it("warns with values", () => {
    const [warning] = Recording.warnings({ channels: 2 })
    expect(warning).toBeInstanceOf(MoreThanOneChannel)
    expect(Equal.equals(warning, Recording.warnings({ channels: 2 })[0])).toBe(true)
    expect(Equal.equals(new DurationMissing({ message: "a" }), new DurationMissing({ message: "a" }))).toBe(true)
  })
})

describe("a plain object", () => {
  const plain = {
    sentId: "id-1",
    attempts: [{ status: 503, sent: "all", delayMillis: 0, elapsedMillis: 1 }],
    billing: "notBilled",
    elapsedMillis: 1,
    piece: { _tag: "TextPiece", number: 1, kept: 0, startIndex: 0, endIndex: 1, beginning: "a" }
  } as const

  it("is a report for the constructor of an error, which makes the values of it", () => {
    const error = new TtsBackendFailed({ call: plain })
    expect(error.call).toBeInstanceOf(CallReport)
    expect(error.call.attempts[0]).toBeInstanceOf(Attempt)
    expect(error.call.piece).toBeInstanceOf(TextPiece)
    const again = Schema.decodeSync(Schema.parseJson(TtsError))(Schema.encodeSync(Schema.parseJson(TtsError))(error))
    expect(Equal.equals(again.call, error.call)).toBe(true)
  })

  it("is refused if it has the wrong form", () => {
    const attempts = [{ status: "503", sent: "all", delayMillis: 0, elapsedMillis: 1 }] as const
    // @ts-expect-error: the status is a number
    expect(() => new SttBadRequest({ call: { ...plain, attempts } })).toThrow()
    // @ts-expect-error: the id is missing
    expect(() => new SttBadRequest({ call: { attempts: [], billing: "billed", elapsedMillis: 0 } })).toThrow()
  })

  it.effect("is a report and a warning for the answer of a double", () =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const { call, warnings } = yield* stt.transcribe(request)
      expect(call).toBeInstanceOf(CallReport)
      expect(Equal.equals(warnings[0], new MoreThanOneChannel({ channels: 2, message: "Mix it down." }))).toBe(true)
    }).pipe(
      Effect.provide(
        SpeechToText.layerTest({
          call: plain,
          warnings: [{ _tag: "MoreThanOneChannel", channels: 2, message: "Mix it down." }]
        })
      )
    )
  )
})
