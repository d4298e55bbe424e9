import { SystemError } from "@effect/platform/Error"
import { describe, expect, it } from "@effect/vitest"
import * as Stt from "@effect-speech/stt"
import type { CallReport } from "@effect-speech/transport/CallReport"
import { withPiece } from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Tts from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as ExitCode from "../src/exitCode.js"
import { readFailed, writeFailed } from "../src/fileFailure.js"
import { report } from "../src/report.js"
import { describeServiceError, describeWarning } from "../src/serviceFailure.js"
import { recordingConsole } from "./environment.js"

const attempt = { status: 503, sent: "all", delayMillis: 0, elapsedMillis: 1 } as const
const call = (attempts: number, receivedId?: string): CallReport => ({
  sentId: "sent-1",
  receivedId,
  attempts: Array.from({ length: attempts }, () => attempt),
  billing: "unknown",
  elapsedMillis: 1
})

describe("a failure", () => {
  it.each([
    [new Stt.SttUnavailable({ call: call(3) }), "[SttUnavailable] (3 attempts, transaction sent-1)"],
    [new Stt.SttInvalidResponse({ call: call(1) }), "[SttInvalidResponse] (transaction sent-1)"],
    [new Stt.SttInvalidResponse({ call: call(2, "got-1") }), "[SttInvalidResponse] (2 attempts, call got-1)"],
    [new Tts.TtsConnectionFailed({ call: call(3) }), "[TtsConnectionFailed] (3 attempts, request sent-1)"],
    [new Tts.TtsInvalidResponse({ call: call(1, "got-1") }), "[TtsInvalidResponse] (request got-1)"]
  ])("that reached the service ends with its attempts and its id: %s", (error, end) => {
    expect(describeServiceError(error)).toBe(`${error.message} ${end}`)
  })

  it("says an id once", () => {
    const sentence = describeServiceError(new Stt.SttServerError({ call: call(3) }))
    expect(sentence).toMatch(/sent-1.* \[SttServerError\] \(3 attempts\)$/)
    expect(describeServiceError(new Tts.TtsServerError())).toMatch(/\[TtsServerError\]$/)
  })

  it.each([
    [
      new Stt.SttInvalidRequest({ field: "hotwords.0.score", problem: "is wrong" }),
      "--hotword (number 1, score) is wrong."
    ],
    [new Stt.SttInvalidRequest({ field: "parseNumber", problem: "is wrong" }), "--parse-number is wrong."],
    [new Tts.TtsInvalidRequest({ field: "text", problem: "is wrong" }), "TEXT is wrong."],
    [new Tts.TtsInvalidRequest({ field: "request", problem: "is wrong" }), "request is wrong."],
    [
      new Tts.TtsBadRequest({ field: "num_step", serverMessage: "no" }),
      "says: no. Change --num-step and send it again."
    ],
    [new Tts.TtsBadRequest({ field: "other" }), "Change other and send it again."],
    [new Tts.TtsInvalidApiKey(), "because of SPEECH_API_KEY: it is empty. Set it to the whole <prefix>.<secret> value"],
    [new Stt.SttAudioUnreadable({ hint: "sendAsStream" }), "standard input: speech transcribe - < FILE"],
    [new Stt.SttAudioUnreadable({ hint: "omitTelephony" }), "leave out --telephony."],
    [new Stt.SttDeadlineExceeded({ phase: "total", limitMillis: 1500 }), "longer than the 1.5 s of --timeout"],
    [new Stt.SttDeadlineExceeded({ phase: "upload", limitMillis: 60_000 }), "Sending made no progress for 60 s."],
    [new Tts.TtsDeadlineExceeded({ phase: "answer", limitMillis: 600_000 }), "did not respond within 600 s."],
    [new Tts.TtsDeadlineExceeded({ phase: "download", limitMillis: 60_000 }), "Receiving made no progress for 60 s."]
  ])("names the options of the command: %#", (error, sentence) => {
    const described = describeServiceError(error)
    expect(described).toContain(sentence)
    expect(described).not.toMatch(/deadlines\.|AudioSource/)
  })

  it("of a piece names the piece in place of the library's sentence, with the words of the command", () => {
    const facts = { number: 7, of: 127, startIndex: 12_344, endIndex: 13_000, beginning: "एक था …" } as const
    const piece = { _tag: "TextPiece", ...facts, kept: 6, leftCodePoints: 8000 } as const
    const error = withPiece(new Tts.TtsDeadlineExceeded({ phase: "total", limitMillis: 1500, call: call(1) }), piece)
    expect(describeServiceError(error)).toBe(
      "The call took longer than the 1.5 s of --timeout. If the service was still at work, raise --timeout. " +
        "It was piece 7 of 127, from character 12,345: “एक था …” [TtsDeadlineExceeded] (request sent-1)"
    )
    const place = { _tag: "RecordingPiece", number: 3, startMillis: 600_000, endMillis: 3_661_000, kept: 2 } as const
    const heard = withPiece(new Stt.SttCreditExhausted({ call: call(1) }), place)
    expect(describeServiceError(heard)).toContain("It was piece 3, from 0:10:00 to 1:01:01. [SttCreditExhausted]")
  })

  it.each([
    [{ _tag: "SegmentTimesUnread", pieces: 2, message: "" }, /2 pieces.*use --segment-fields\.$/],
    [{ _tag: "SegmentTextsDiffer", pieces: 2, message: "" }, /2 pieces.*use --segment-fields\.$/],
    [{ _tag: "MoreThanOneChannel", channels: 2, message: "" }, /2 channels.*--telephony/],
    [{ _tag: "SampleRateFarFrom8kHz", sampleRate: 44_100, message: "" }, /44100 Hz.*--telephony/],
    [{ _tag: "SampleRateFarFrom8kHz", sampleRate: 4000, message: "as it is" }, /^as it is$/],
    [{ _tag: "ParseNumberWithoutEffect", model: "en-a", language: "en", message: "" }, /^--parse-number.*en-a/],
    [{ _tag: "DurationMissing", message: "as it is" }, /^as it is$/]
  ] as const)("of a warning too: %j", (warning, sentence) => {
    expect(describeWarning(warning)).toMatch(sentence)
  })
})

it.effect("a process with too many open files is not told that its file is unusable", () =>
  Effect.gen(function* () {
    const { console, printed } = yield* recordingConsole
    const cause = Object.assign(new Error(), { code: "EMFILE" })
    const error = new SystemError({
      module: "FileSystem",
      method: "open",
      reason: "Unknown",
      pathOrDescriptor: "a",
      cause
    })
    for (const failure of [error, readFailed("a", cause), writeFailed("a", error)]) {
      expect(yield* Effect.withConsole(report(failure, { json: false }), console)).toBe(3)
    }
    const says =
      /^speech: a can't be .*: the process has too many open files \(EMFILE\)\. Raise the limit of open files/
    expect(printed().stderr.split("\n")).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(says)))
  })
)

it("the exit code of every error of both services is the table's", () => {
  const codes = {
    2: ["SttInvalidRequest", "SttInvalidApiKey", "TtsInvalidRequest", "TtsInvalidApiKey"],
    3: ["SttAudioUnreadable"],
    10: ["SttBadRequest", "TtsBadRequest"],
    11: ["SttUnauthorized", "TtsUnauthorized"],
    12: ["SttCreditExhausted"],
    13: ["SttForbidden"],
    20: ["SttServerError", "SttUnavailable", "TtsServerError", "TtsBackendFailed"],
    21: ["SttUnexpectedStatus", "TtsUnexpectedStatus"],
    30: ["SttConnectionFailed", "TtsConnectionFailed"],
    31: ["SttDeadlineExceeded", "TtsDeadlineExceeded"],
    32: ["SttInvalidResponse", "SttTranscriptionFailed", "TtsInvalidResponse", "TtsCorruptAudio"]
  }
  const errors = [...Stt.SttError.members, ...Tts.TtsError.members].map((Member) => new Member())
  const tagsOf = (code: number) =>
    errors.flatMap((error) => (ExitCode.ofServiceError(error) === code ? error._tag : []))
  for (const [code, tags] of Object.entries(codes)) expect(tagsOf(Number(code))).toEqual(tags)
  expect(Object.values(codes).flat().length).toBe(errors.length)
})
