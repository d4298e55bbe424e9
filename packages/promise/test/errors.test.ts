/** The errors themselves, without a call. */
import { inspect } from "node:util"
import { Worker } from "node:worker_threads"
import { SystemError } from "@effect/platform/Error"
import { WavError } from "@effect-speech/audio-codec/WavError"
import { PieceStoreError } from "@effect-speech/long-form/PieceStore"
import { SttError } from "@effect-speech/stt/SttError"
import { Attempt, CallReport, RecordingPiece } from "@effect-speech/transport/CallReport"
import { TtsConnectionFailed, TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import { describe, expect, it } from "vitest"
import { isSpeakError, isTranscribeError, SpeechError } from "../src/index.js"
import { callSite, errorOf, toSpeechError } from "../src/internal/errors.js"

const piece = new RecordingPiece({ number: 2, kept: 1, startMillis: 0, endMillis: 5000 })
const call = new CallReport({
  sentId: "7f3c0f3e",
  attempts: [new Attempt({ status: 503, sent: "all", delayMillis: 0, elapsedMillis: 12 })],
  billing: "unknown",
  elapsedMillis: 12,
  piece
})

/** As an operation of the client makes an error. */
const speak = (error: unknown) => toSpeechError(error, callSite(speak)) as SpeechError

const failed = () => speak(new TtsConnectionFailed({ reason: "reset", sent: "all", code: "ECONNRESET", call }))

const members = [...TtsError.members, ...SttError.members].map((Class) => [Class._tag, Class] as const)

describe("an error of the Effect clients", () => {
  it.each(members)("%s keeps its tag, facts, category and sentence, as plain data", (tag, Class) => {
    const given = new Class({ call })
    const error = speak(given)
    expect(error).toBeInstanceOf(SpeechError)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ tag, category: given.category, retryable: given.retryable, message: given.message })
    const { _tag, call: _call, message: _message, ...facts } = given
    expect(error.facts).toStrictEqual(JSON.parse(JSON.stringify(facts)))
    expect(error.call).toStrictEqual({
      sentId: "7f3c0f3e",
      attempts: [{ status: 503, sent: "all", delayMillis: 0, elapsedMillis: 12 }],
      billing: "unknown",
      elapsedMillis: 12,
      piece: { tag: "RecordingPiece", number: 2, kept: 1, startMillis: 0, endMillis: 5000 }
    })
    expect([isSpeakError(error), isTranscribeError(error)]).toEqual([tag.startsWith("Tts"), tag.startsWith("Stt")])
    expect(SpeechError.of(tag)).toMatchObject({ tag, message: new Class({}).message, category: given.category })
  })

  it("of a setting names the option, and what to set", () => {
    expect(speak(ConfigError.InvalidData(["ttsBaseUrl"], "is not a URL"))).toMatchObject({
      tag: "InvalidOption",
      category: "request",
      facts: { option: "ttsBaseUrl", problem: "is not a URL" },
      message: "Nothing was sent: ttsBaseUrl is not a URL."
    })
    expect(speak(ConfigError.MissingData(["SPEECH_API_KEY"], "set it to your API key")).message).toBe(
      "Nothing was sent: SPEECH_API_KEY is missing: set it to your API key."
    )
  })

  it("of a file names the path, the code of the system, and what to do", () => {
    const cause = Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" })
    const facts = { module: "FileSystem", method: "writeAll", reason: "Unknown", cause } as const
    expect(speak(new SystemError({ ...facts, pathOrDescriptor: "out.wav" }))).toMatchObject({
      tag: "FileFailed",
      category: "file",
      facts: { path: "out.wav", operation: "writeFile", code: "ENOSPC" },
      message: "out.wav can't be written (ENOSPC): the disk is full. Free some space, or write to another disk."
    })
    // An open file is known to the system by a number.
    const open = toSpeechError(new SystemError({ ...facts, pathOrDescriptor: 22 }), callSite(speak), "out.wav")
    expect(open).toMatchObject({ facts: { path: "out.wav" }, message: expect.stringContaining("out.wav can't be") })
    const message = "A piece is paid, but can't be kept and is lost: the folder failed."
    expect(
      speak(new PieceStoreError({ operation: "put", store: "pieces", code: "EIO", piece, message }))
    ).toMatchObject({
      tag: "FileFailed",
      facts: {
        path: "pieces",
        operation: "keepPiece",
        code: "EIO",
        piece: { tag: "RecordingPiece", number: 2, kept: 1, startMillis: 0, endMillis: 5000 }
      },
      call: { billing: "unknown" },
      message
    })
    const long = new WavError({
      reason: "LengthMismatch",
      offset: 4,
      expected: "4",
      found: "8",
      message: "It is too long."
    })
    expect(toSpeechError(long, callSite(speak), "out.wav")).toMatchObject({
      facts: { path: "out.wav", operation: "writeFile" },
      message: "It is too long."
    })
  })

  it("is given back as it is if it is a bug", () => {
    const bug = new TypeError("x is not a function")
    expect(errorOf(Cause.die(bug), callSite(speak))).toBe(bug)
    expect(speak(bug)).toBe(bug)
    const other = Object.assign(new Error("of another library"), { _tag: "TtsBadRequest" })
    expect(speak(other)).toBe(other)
  })
})

describe("the stack of an error", () => {
  it("has its sentence and the frames of the call, and none of this package", () => {
    function userProgram() {
      return failed()
    }
    const { message, stack = "" } = userProgram()
    const [first, ...frames] = stack.split("\n")
    expect(first).toBe(`SpeechError: ${message}`)
    expect(frames[0]).toContain("at failed ")
    expect(frames[1]).toContain("at userProgram ")
    expect(frames.filter((frame) => frame.includes("promise/src"))).toEqual([])
  })

  it("is its sentence alone if the program gives stacks another form", () => {
    const { prepareStackTrace } = Error
    Error.prepareStackTrace = (_, sites) => sites
    try {
      const error = failed()
      expect(error.stack).toBe(`SpeechError: ${error.message}`)
    } finally {
      Error.prepareStackTrace = prepareStackTrace
    }
  })
})

/** What a worker gives back of what it gets. */
const throughWorker = async (value: unknown): Promise<unknown> => {
  const worker = new Worker(
    "const { parentPort } = require('node:worker_threads'); parentPort.once('message', (value) => parentPort.postMessage(value))",
    { eval: true }
  )
  worker.postMessage(value)
  const echo = await new Promise<unknown>((resolve) => worker.once("message", resolve))
  await worker.terminate()
  return echo
}

describe("an error that leaves the process", () => {
  const ways: ReadonlyArray<readonly [string, (error: SpeechError) => unknown]> = [
    ["structuredClone", (error) => structuredClone(error)],
    ["a worker", throughWorker],
    ["JSON", (error) => JSON.parse(JSON.stringify(error))],
    ["another copy of this package", (error) => Object.assign(new Error(error.message), { cause: error.cause })]
  ]

  it.each(ways)("is made again after %s", async (_, way) => {
    const error = failed()
    const passed = await way(error)
    expect(isSpeakError(passed)).toBe(false)
    const again = SpeechError.from(passed)
    expect(again).toBeInstanceOf(SpeechError)
    expect(isSpeakError(again) && again.tag === "TtsConnectionFailed" && again.facts.reason).toBe("reset")
    expect(again?.message).toBe(error.message)
    expect(again?.toJSON()).toStrictEqual(error.toJSON())
    expect(again?.stack?.split("\n")[0]).toContain(error.message)
  })

  it("keeps its stack in a clone, and has only its sentence from JSON", () => {
    const error = failed()
    expect(SpeechError.from(structuredClone(error))?.stack).toBe(error.stack)
    expect(SpeechError.from(error.toJSON())?.stack).toBe(`SpeechError: ${error.message}`)
  })

  it("is itself if it is one already; anything else is none", () => {
    const error = failed()
    expect(SpeechError.from(error)).toBe(error)
    const json = error.toJSON()
    const others = [
      undefined,
      null,
      "SpeechError",
      [],
      {},
      new Error("other", { cause: "a text" }),
      { ...json, category: "constructor" },
      { ...json, facts: null },
      { ...json, call: { sentId: "" } },
      { ...json, message: 1 }
    ]
    expect(others.map((other) => SpeechError.from(other))).toEqual(others.map(() => undefined))
  })
})

describe("a printed error", () => {
  it.each([true, false])("has its sentence, each fact and its stack once (custom inspection: %s)", (customInspect) => {
    const error = failed()
    const printed = inspect(error, { customInspect, depth: 9 })
    for (const part of [error.message, "ECONNRESET'", "'TtsConnectionFailed'", "sentId", "at failed "]) {
      expect([part, printed.split(part).length - 1]).toEqual([part, 1])
    }
    expect(printed).not.toMatch(/_tag|Symbol\(|effect/i)
    expect(String(error)).toBe(`SpeechError: ${error.message}`)
  })

  it("gives a logger that copies its properties the tag and the facts", () => {
    const error = failed()
    const copied: Array<string> = []
    for (const name in error) copied.push(name)
    expect(copied).toEqual(["tag", "category", "retryable", "facts", "call"])
    expect(Object.keys(error)).toEqual([])
  })

  it("is what the matchers of vitest and jest expect", async () => {
    await expect(Promise.reject(failed())).rejects.toMatchObject({
      tag: "TtsConnectionFailed",
      facts: { reason: "reset" }
    })
    await expect(Promise.reject(failed())).rejects.toThrow(/Each attempt|so the service may have/)
    await expect(Promise.reject(failed())).rejects.toBeInstanceOf(SpeechError)
    expect(failed()).toHaveProperty("call.billing", "unknown")
    const { isError = (value: unknown) => value instanceof Error } = Error as { isError?: (value: unknown) => boolean }
    expect(isError(failed())).toBe(true)
    expect(Object.prototype.toString.call(failed())).toBe("[object Error]")
  })
})

describe("an error for a test", () => {
  it("has the sentence of the client, and the given facts among the defaults", () => {
    const error = SpeechError.of("SttCreditExhausted", { serverMessage: "balance 0" })
    expect(error).toMatchObject({
      tag: "SttCreditExhausted",
      category: "account",
      retryable: false,
      facts: { status: 402, serverMessage: "balance 0" },
      call: { sentId: "", attempts: [], billing: "notBilled", elapsedMillis: 0 },
      message:
        "The account is out of credit (402). The service says: balance 0. Top it up; until then every call fails."
    })
    expect(isTranscribeError(error)).toBe(true)
  })

  it("has the report that is given, with its piece", () => {
    const { cause } = failed()
    expect(SpeechError.of("TtsServerError", {}, cause.call).call).toStrictEqual(cause.call)
  })

  it.each(["InvalidOption", "ClientClosed", "FileFailed"] as const)("can be %s, of both operations", (tag) => {
    const error = SpeechError.of(tag)
    expect([error.tag, isSpeakError(error), isTranscribeError(error)]).toEqual([tag, true, true])
    expect(error.message).toMatch(/^[A-Zs].*\.$/)
  })

  it.each(["TtsBadReqest", "toString"])("can't have a tag that no error has, such as %s", (tag) => {
    expect(() => SpeechError.of(tag as "TtsBadRequest")).toThrow(`There is no error with the tag ${tag}.`)
  })
})
