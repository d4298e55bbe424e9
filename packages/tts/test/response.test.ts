import { describe, expect, it } from "@effect/vitest"
import { PcmStream } from "@effect-speech/audio-codec"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { respondJson } from "effect-speech-test-support/scriptedServer"
import {
  audio,
  connect,
  failure,
  type HeaderChanges,
  headers,
  type Respond,
  request,
  sendAudio,
  sendChunk,
  synthesize
} from "./scriptedTts.js"

describe("audio", () => {
  it.scoped("has the format of the response headers, not of the request", () =>
    Effect.gen(function* () {
      const { outcome } = yield* synthesize(sendAudio(), { ...request, outputFormat: "24000:float32" })
      expect(outcome).toMatchObject({
        right: {
          format: { sampleRate: 8000, channels: 1, encoding: "pcm16" },
          durationMillis: 250,
          requestId: "id-1",
          call: { sentId: "id-1", receivedId: "id-1", billing: "billed", attempts: [{ status: 200 }] }
        }
      })
      expect(outcome._tag === "Right" && Buffer.compare(outcome.right.bytes, audio.pcm16)).toBe(0)
    })
  )

  it.scoped("of a stream has its length if the response has a Content-Length", () =>
    Effect.gen(function* () {
      const { tts } = yield* connect(sendAudio(audio.pcm16, { "content-type": "audio/L16; note=text/plain" }))
      expect((yield* tts.stream(request)).byteLength).toBe(4000)
    })
  )

  it.scoped.each([
    ["of identity encoding", { "content-encoding": "Identity", "x-audio-duration-ms": undefined }, 250],
    ["of a fraction of a millisecond", { "x-audio-duration-ms": "250.25" }, 250.25]
  ] as const)("that is %s has its duration", ([_, changes, expected]) =>
    Effect.gen(function* () {
      const { outcome } = yield* synthesize(sendAudio(audio.pcm16, changes))
      expect(Either.getOrThrow(outcome).durationMillis).toBe(expected)
    })
  )

  it.scoped("of a stream has its format before its bytes", () =>
    Effect.gen(function* () {
      const { tts } = yield* connect((response) => {
        response.writeHead(200, headers).write(audio.pcm16.subarray(0, 1001))
        setTimeout(() => response.end(audio.pcm16.subarray(1001)), 20)
      })
      const speech = yield* tts.stream(request)
      expect(speech).toMatchObject({ format: { sampleRate: 8000 }, byteLength: undefined, requestId: "id-1" })
      const bytes = yield* PcmStream.collect(speech)
      expect(Buffer.compare(bytes, audio.pcm16)).toBe(0)
    })
  )
})

describe("a status", () => {
  it.scoped.each([
    [400, "TtsBadRequest", "never"],
    [401, "TtsUnauthorized", "otherKey"],
    [500, "TtsServerError", "transient"],
    [502, "TtsBackendFailed", "overload"],
    ...[402, 403, 404, 413, 302].map((status) => [status, "TtsUnexpectedStatus", "never"] as const),
    [429, "TtsUnexpectedStatus", "overload"]
  ] as const)("of %d is %s, with the message and the id of the service, and is not billed", ([status, tag, retry]) =>
    Effect.gen(function* () {
      const id = { "x-request-id": "id-2", location: "http://127.0.0.1:1/" }
      expect(yield* failure((response) => respondJson(response, status, { error: "the words" }, id))).toMatchObject({
        _tag: tag,
        status,
        retry,
        serverMessage: "the words",
        message: expect.stringContaining("The service says: the words."),
        call: { sentId: "id-1", receivedId: "id-2", billing: "notBilled" }
      })
    })
  )

  it.scopedLive.each([
    { status: 503, attempts: 3, billing: "notBilled" },
    { status: 504, attempts: 1, billing: "unknown" }
  ])("of $status is that of a gateway: it ends after $attempts attempts, and is $billing", (expected) =>
    Effect.gen(function* () {
      const { attempts, billing, status } = expected
      const error = yield* failure((response) => response.writeHead(status).end("<html></html>"), {
        retries: { firstDelay: "1 millis" }
      })
      expect(error).toMatchObject({
        _tag: "TtsUnexpectedStatus",
        serverMessage: undefined,
        call: { billing, attempts: Array.from({ length: attempts }, () => ({ status })) }
      })
    })
  )

  it.scoped.each([201, 203, 206, 299, 505, 561])(
    "of %d may be that of a proxy that changed a 200, so its billing is unknown",
    (status) =>
      Effect.gen(function* () {
        const error = yield* failure((response) => response.writeHead(status, headers).end(audio.pcm16))
        expect(error).toMatchObject({ _tag: "TtsUnexpectedStatus", retry: "never", call: { billing: "unknown" } })
      })
  )

  it.scoped.each([
    ["unsupported lang 'xx'", "lang"],
    ["num_step must be between 1 and 100", "num_step"],
    ["unsupported sample rate 44100", "output_format"],
    ["output_format: unknown encoding", "output_format"],
    ["44100 Hz is not supported", "output_format"],
    ["44.1kHz is not supported", "output_format"],
    ["44100Hz is not supported", "output_format"],
    ["speed must be 0.25 to 4.0 for this voice", "speed"],
    ["the language is not known", undefined]
  ])("of 400 with '%s' names the field %s", ([message, field]) =>
    Effect.gen(function* () {
      const error = yield* failure((response) => respondJson(response, 400, { error: message }))
      expect(error).toMatchObject({ _tag: "TtsBadRequest", field })
    })
  )
})

/** Sends `body` without a length, and closes the connection. */
const sendUntilClosed =
  (body: Buffer, changes: HeaderChanges): Respond =>
  (response) => {
    const lines = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
    response.socket?.write(`HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\nconnection: close\r\n\r\n`)
    response.socket?.end(body)
  }

describe("a 200", () => {
  const nanSamples = Buffer.from(new Float32Array(2000).fill(Number.NaN).buffer)

  const cut = audio.pcm16.subarray(0, 2000)
  it.scoped.each([
    ["an odd length", sendAudio(audio.pcm16.subarray(1)), "not a multiple"],
    ["no bytes", sendAudio(Buffer.alloc(0)), "empty"],
    ["another length than its duration", sendAudio(audio.pcm16, { "x-audio-duration-ms": "260" }), "260 ms"],
    ["NaN", sendAudio(nanSamples, { "x-encoding": "float32" }), "NaN"],
    ["more than its duration", sendChunk(Buffer.alloc(5000)), "it lasts 312.5 ms or more"],
    ["no bytes, chunked", sendChunk(Buffer.alloc(0), "end"), "empty"],
    ["less than its duration", sendChunk(cut, "end"), "250 ms"],
    ["less than its duration, without a length", sendUntilClosed(cut, headers), "250 ms"]
  ] as const)("of %s is corrupt audio, and may have been billed", ([_, respond, problem]) =>
    Effect.gen(function* () {
      expect(yield* failure(respond)).toMatchObject({
        _tag: "TtsCorruptAudio",
        problem: expect.stringContaining(problem),
        call: { billing: "unknown" }
      })
    })
  )

  const withoutDuration = { ...headers, "x-audio-duration-ms": undefined }

  it.scoped.each([
    { what: "a length", respond: sendAudio(audio.pcm16, withoutDuration), billing: "billed" },
    { what: "a duration", respond: sendUntilClosed(audio.pcm16, headers), billing: "billed" },
    { what: "neither", respond: sendUntilClosed(audio.pcm16, withoutDuration), billing: "unknown" }
  ])("with $what is $billing after its last byte", ({ billing, respond }) =>
    Effect.gen(function* () {
      const { outcome } = yield* synthesize(respond)
      expect(Either.getOrThrow(outcome).call.billing).toBe(billing)
      const { tts } = yield* connect(respond)
      const speech = yield* tts.stream(request)
      yield* Stream.runDrain(speech.stream)
      expect((yield* speech.call).billing).toBe(billing)
    })
  )

  it.scoped("whose length contradicts its duration fails before its first byte", () =>
    Effect.gen(function* () {
      const { tts } = yield* connect(sendAudio(audio.pcm16, { "x-audio-duration-ms": "500" }))
      expect(yield* Effect.flip(tts.stream(request))).toMatchObject({ _tag: "TtsCorruptAudio", receivedBytes: 0 })
    })
  )

  it.scoped.each([
    { what: "no rate", changes: { "x-sample-rate": undefined }, problem: "x-sample-rate" },
    ...["", "0", "8000, 16000", "8000, 8000"].map((rate) => ({
      what: `the rate "${rate}"`,
      changes: { "x-sample-rate": rate },
      problem: "x-sample-rate"
    })),
    {
      what: "compression and no duration",
      changes: { "content-encoding": "gzip", "x-audio-duration-ms": undefined },
      problem: "compressed"
    },
    { what: "no encoding", changes: { "x-encoding": undefined }, problem: "x-encoding" },
    { what: "an unknown encoding", changes: { "x-encoding": "opus" }, problem: "x-encoding" },
    { what: "JSON", changes: { "content-type": "application/json" }, problem: "application/json" },
    { what: "HTML", changes: { "content-type": "text/html; charset=utf-8" }, problem: "text/html" }
  ])("with $what is an invalid response", ({ changes, problem }) =>
    Effect.gen(function* () {
      const error = yield* failure(sendAudio(audio.pcm16, changes))
      expect(error).toMatchObject({ _tag: "TtsInvalidResponse", problem: expect.stringContaining(problem) })
      expect(error.message).toContain("The call may have been billed. Check that the base URL")
    })
  )
})

describe("warnings", () => {
  const warningsOf = (changes: HeaderChanges, outputFormat?: "8000:pcm16" | "8000:float32" | "16000:float32") =>
    Effect.map(
      synthesize(sendAudio(audio.pcm16, changes), { ...request, outputFormat }),
      ({ outcome }) => Either.getOrThrow(outcome).warnings
    )

  const named = (_tag: string) => [{ _tag }]
  const rates = { asked: "16000:float32", sampleRate: 8000, encoding: "pcm16" }

  it.scoped.each([
    { what: "no duration", changes: { "x-audio-duration-ms": undefined }, expected: named("DurationMissing") },
    { what: "words", changes: { "x-audio-duration-ms": "about 250 or so" }, expected: named("DurationMissing") },
    { what: "no request id", changes: { "x-request-id": undefined }, expected: named("RequestIdMissing") },
    {
      what: "another request id",
      changes: { "x-request-id": "id-2" },
      expected: [{ _tag: "RequestIdDiffers", sentId: "id-1", receivedId: "id-2" }]
    },
    { what: "another rate", outputFormat: "16000:float32", expected: [{ _tag: "FormatDiffers", ...rates }] },
    { what: "another encoding", outputFormat: "8000:float32", expected: named("FormatDiffers") },
    { what: "the format of the request", outputFormat: "8000:pcm16", expected: [] },
    { what: "a format, if the request has none", expected: [] }
  ] as const)("for a response with $what: $expected", ({ expected, what: _, ...response }) =>
    Effect.gen(function* () {
      const { changes = {}, outputFormat } = { changes: undefined, outputFormat: undefined, ...response }
      expect(yield* warningsOf(changes, outputFormat)).toMatchObject(expected)
    })
  )

  it.scoped("say what to do", () =>
    Effect.gen(function* () {
      const warnings = [
        ...(yield* warningsOf({ "x-audio-duration-ms": undefined, "x-request-id": undefined }, "16000:float32")),
        ...(yield* warningsOf({ "x-request-id": "id-2" }))
      ]
      expect(warnings.map(({ message }) => message)).toMatchInlineSnapshot(`
        [
          "The audio is 8000:pcm16, not 16000:float32 as requested: use the format of the speech.",
          "The response does not state the duration of the audio, so audio that was cut between two samples is not detected: listen to its end.",
          "The response has no request id. To report this call to the service, use the id that was sent: id-1.",
          "The response has the request id id-2, not id-1 as sent. To report this call to the service, use both.",
        ]
      `)
    })
  )
})
