import { inspect } from "node:util"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { CallReport } from "@effect-speech/transport"
import { quoteService, retryOfUnexpectedStatus, unexpectedStatus } from "@effect-speech/transport/unstable/CommonError"
import * as ErrorDefinition from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Report from "@effect-speech/transport/unstable/Report"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"

class TooHot extends ErrorDefinition.define<TooHot>()("TooHot", {
  category: "service",
  httpStatus: 502,
  fields: { degrees: Schema.Number, place: Schema.optional(Schema.String) },
  defaults: { degrees: 100 },
  retry: "transient",
  message: ({ degrees, place }) => `It is ${degrees} degrees in ${place ?? "here"}. Open a window.`
}) {}

describe("an error of the factory", () => {
  it("has its message wherever it is shown", () => {
    const error = new TooHot({ degrees: 40, place: "the attic" })
    expectTypeOf(error.category).toEqualTypeOf<"service">()
    const sentence = "It is 40 degrees in the attic. Open a window."
    expect(error.message).toBe(sentence)
    expect(String(error)).toContain(sentence)
    expect(inspect(error)).toContain(sentence)
    expect(error.stack).toContain(sentence)
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ _tag: "TooHot", degrees: 40, message: sentence })
    expect(Cause.pretty(Cause.fail(error))).toContain(sentence)
  })

  it.effect("crosses to another thread: its sentence as it is, and all of it as JSON", () =>
    Effect.gen(function* () {
      const given = new TooHot({ degrees: 40, place: "the attic" })
      // Within a span, Effect puts a Proxy around other errors, which can't be cloned.
      const error = yield* Effect.flip(Effect.withSpan(given, "a call"))
      expect(error).toBe(given)
      expect(structuredClone(error)).toMatchObject({ message: given.message, stack: `TooHot: ${given.message}` })
      const encoded = yield* Schema.encode(TooHot)(error)
      const decoded = yield* Schema.decode(Schema.parseJson(TooHot))(JSON.stringify(encoded))
      expect(decoded).toBeInstanceOf(TooHot)
      expect({ ...decoded, message: decoded.message }).toEqual({ ...given, message: given.message })
    })
  )

  it.effect.each([Logger.stringLogger, Logger.logfmtLogger, Logger.jsonLogger, Logger.structuredLogger])(
    "keeps its message in each logger of Effect: %#",
    (logger: Logger.Logger<unknown, unknown>) =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const recording = Logger.map(logger, (line) => void lines.push(inspect(line, { depth: 10 })))
        yield* Effect.logError("failed", new TooHot({ degrees: 40 })).pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, recording))
        )
        expect(lines).toEqual([expect.stringContaining("It is 40 degrees in here. Open a window.")])
      })
  )

  it.effect("keeps a given message, such as that of another version of this package", () =>
    Effect.gen(function* () {
      const encoded = { ...(yield* Schema.encode(TooHot)(new TooHot())), message: "It is hot." }
      expect((yield* Schema.decode(TooHot)(encoded)).message).toBe("It is hot.")
      expect(new TooHot({ message: "It is hot." }).message).toBe("It is hot.")
    })
  )
})

describe("an error of a piece", () => {
  const place = { _tag: "TextPiece", number: 7, of: 9, startIndex: 1100, endIndex: 1200, beginning: "a\nb" } as const
  const piece = { ...place, kept: 6, leftCodePoints: 4000 }

  it("is the same error with the piece in its report, and with a sentence from these facts", () => {
    const error = ErrorDefinition.withPiece(new TooHot({ degrees: 40 }), piece)
    expect(error).toBeInstanceOf(TooHot)
    expect(error).toMatchObject({ degrees: 40, retry: "transient", category: "service" })
    expect(error.call).toEqual({ ...CallReport.nothingSent, piece })
    expect(error.message).toBe(
      "It is 40 degrees in here. Open a window. Piece 7 of 9, from character 1,101 (“a\\nb”). " +
        "To go on, run it again: 6 pieces are kept, and the rest costs at most 4,000 code points."
    )
    expect(error.stack).toContain(error.message)
    expect(new TooHot({ degrees: 40, call: error.call }).message).toBe(error.message)
    expect(ErrorDefinition.withPiece(new TooHot({ message: "My own." }), { ...piece, of: 1 }).message).toBe("My own.")
  })

  const spoken = { _tag: "RecordingPiece", number: 3, startMillis: 600_000, endMillis: 3_661_000 } as const

  it.each([
    [{ ...spoken, kept: 0 }, "Piece 3, from 0:10:00 to 1:01:01."],
    [{ ...spoken, kept: 1 }, "Piece 3, from 0:10:00 to 1:01:01. To go on, run it again: 1 piece is kept."],
    [
      { ...spoken, wholeMillis: 7_200_000, kept: 0, leftMillis: 7_200_000 },
      "Piece 3, from 0:10:00 to 1:01:01 of 2:00:00. To go on, run it again: 0 pieces are kept, and the rest is 2:00:00 of audio."
    ],
    [{ ...place, kept: 0 }, "Piece 7 of 9, from character 1,101 (“a\\nb”)."],
    [{ ...place, of: 1, kept: 0 }, ""]
  ] satisfies ReadonlyArray<readonly [CallReport.Piece, string]>)("says of the piece %j: %s", (piece, sentence) => {
    expect(Report.describePiece(piece)).toBe(sentence)
  })
})

it.each([
  [["a summary", "the details"], " The service says: a summary: the details."],
  [["", "the details!"], " The service says: the details!"],
  [["a summary", undefined], " The service says: a summary."],
  [["Why?", ""], " The service says: Why?"],
  [["", undefined], ""]
])("the words of the service %j become a sentence, or nothing", (words, sentence) => {
  expect(quoteService(...words)).toBe(sentence)
})

describe("a status that the contract does not define", () => {
  it.each([
    ...[503, 521, 523, 525, 526, 530].map((status) => ({ status, retry: "overload", billing: "notBilled" })),
    ...[502, 504, 520, 522, 524, 527, 529, 598, 599].map((status) => ({
      status,
      retry: "ambiguous",
      billing: "unknown"
    }))
  ])("of $status is that of a gateway: its retry is $retry, its billing $billing", ({ billing, retry, status }) => {
    expect(retryOfUnexpectedStatus(status)).toBe(retry)
    expect(Report.billingOf([{ ...Report.answeredAtOnce, status }], () => true)).toBe(billing)
    const message = unexpectedStatus(status, "synthesis", "")
    expect(message).toContain(`A gateway in front of the service returned ${status}`)
    expect(message).not.toContain("base URL")
    expect(message.includes("may be billed")).toBe(billing === "unknown")
  })

  it.each([302, 404, 413, 418, 505, 531])("of %d is not that of a gateway, and is not retried", (status) => {
    expect(retryOfUnexpectedStatus(status)).toBe("never")
  })
})

it("the message of an error is printable, its facts are exact, and a program that ends with it prints the sentence alone", () => {
  const source = "a\u001b[2J\n\u202ewav"
  const error = new TooHot({ place: source })
  const sentence = "It is 100 degrees in a\\u001b[2J\\n\\u202ewav. Open a window."
  expect(error.message).toBe(sentence)
  expect(error.place).toBe(source)
  expect(Cause.pretty(Cause.fail(error))).toBe(`TooHot: ${sentence}`)
})
