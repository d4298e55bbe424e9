import type { ServerResponse } from "node:http"
import { inspect } from "node:util"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { describe, expect, it } from "@effect/vitest"
import { type AudioFormat, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/node"
import {
  type SynthesisRequest,
  TextToSpeech,
  type TextToSpeechOptions,
  TtsBackendFailed,
  TtsConnectionFailed,
  TtsContract,
  TtsError
} from "@effect-speech/tts"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { refusedAddress } from "../../../test/support/refusedAddress.js"
import { answerJson, scriptedServer } from "../../../test/support/scriptedServer.js"

type Answer = Parameters<typeof scriptedServer>[0]

const against = (url: string, options: Partial<TextToSpeechOptions> = {}) =>
  TextToSpeech.layer({ apiKey: Redacted.make("prefix.topsecret"), baseUrl: url, retries: 0, ...options }).pipe(
    Layer.provideMerge(NodeTransport.layer)
  )

/** A quarter of a second of a ramp. */
const audio = {
  pcm16: Buffer.from(Int16Array.from({ length: 2000 }, (_, index) => index).buffer),
  float32: Buffer.from(Float32Array.from({ length: 2000 }, (_, index) => index / 2000).buffer)
}
const headers = {
  "content-type": "application/octet-stream",
  "x-sample-rate": "8000",
  "x-encoding": "pcm16",
  "x-audio-duration-ms": "250",
  "x-request-id": "id-1"
}

const answering =
  (body: Buffer = audio.pcm16, changes: Record<string, string | undefined> = {}): Answer =>
  (response) => {
    for (const [name, value] of Object.entries({ ...headers, ...changes })) {
      if (value !== undefined) response.setHeader(name, value)
    }
    response.end(body)
  }

const request: SynthesisRequest = { text: "नमस्ते", requestId: "id-1" }

const synthesize = (answer: Answer, asked: SynthesisRequest = request) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer(answer)
    const outcome = yield* TextToSpeech.pipe(
      Effect.flatMap((tts) => tts.synthesize(asked)),
      Effect.either,
      Effect.provide(against(server.url)),
      Effect.orDie
    )
    return { outcome, received: server.received }
  })

const failure = (answer: Answer, asked?: SynthesisRequest) =>
  Effect.flatMap(synthesize(answer, asked), ({ outcome }) => Effect.orDie(Effect.flip(outcome)))

describe("a request", () => {
  it.scoped("holds the text and the id alone, where the caller sets no more", () =>
    Effect.gen(function* () {
      const { received } = yield* synthesize(answering())
      expect(received.length).toBe(1)
      expect(received[0]?.method).toBe("POST")
      expect(received[0]?.url).toBe("/tts/bytes")
      expect(received[0]?.headers).toMatchObject({
        "x-api-key": "prefix.topsecret",
        "x-request-id": "id-1",
        "content-type": "application/json",
        "accept-encoding": "identity"
      })
      expect(received[0]?.headers).not.toHaveProperty("traceparent")
      expect(JSON.parse(String(received[0]?.body))).toEqual({ text: "नमस्ते" })
    })
  )

  it.scoped("holds what the caller set, in the contract's words", () =>
    Effect.gen(function* () {
      const { received } = yield* synthesize(answering(), {
        text: "hello",
        lang: "en",
        voice: "default_male",
        outputFormat: "8000:pcm16",
        speed: 0.25,
        numStep: 100,
        g2pOverrides: { hello: ["h", 1] }
      })
      expect(JSON.parse(String(received[0]?.body))).toEqual({
        text: "hello",
        lang: "en",
        voice: "default_male",
        output_format: "8000:pcm16",
        speed: 0.25,
        num_step: 100,
        g2p_overrides: { hello: ["h", 1] }
      })
      expect(received[0]?.headers["x-request-id"]).toMatch(TtsContract.requestIdPattern)
    })
  )

  it.scoped("passes on fields of any name, also of those that objects have of themselves", () =>
    Effect.gen(function* () {
      const fields = JSON.parse('{"toString":1,"__proto__":{"a":[2]}}')
      const { received } = yield* synthesize(answering(), {
        text: "hello",
        additionalFields: fields,
        g2pOverrides: fields
      })
      expect(String(received[0]?.body)).toBe(
        '{"toString":1,"__proto__":{"a":[2]},"text":"hello","g2p_overrides":{"toString":1,"__proto__":{"a":[2]}}}'
      )
    })
  )

  it.scoped("passes on fields that the service may have one day", () =>
    Effect.gen(function* () {
      const { received } = yield* synthesize(answering(), { ...request, additionalFields: { emotion: { joy: 1 } } })
      expect(JSON.parse(String(received[0]?.body))).toEqual({ text: "नमस्ते", emotion: { joy: 1 } })
    })
  )
})

describe("before anything is sent", () => {
  const refused = (asked: object) =>
    TextToSpeech.pipe(
      Effect.flatMap((tts) => tts.synthesize({ ...request, ...asked })),
      Effect.flip,
      Effect.provide(against("http://127.0.0.1:1")),
      Effect.orDie
    )

  it.effect.each([
    { field: "text", asked: { text: "" } },
    { field: "text", asked: { text: "अ".repeat(10_001) } },
    { field: "text", asked: { text: "😀".repeat(10_001) } },
    { field: "outputFormat", asked: { outputFormat: "44100:pcm16" } },
    { field: "speed", asked: { speed: 0.24 } },
    { field: "speed", asked: { speed: 4.01 } },
    { field: "speed", asked: { speed: Number.NaN } },
    { field: "numStep", asked: { numStep: 0 } },
    { field: "numStep", asked: { numStep: 101 } },
    { field: "g2pOverrides", asked: { g2pOverrides: { word: 1n } } },
    { field: "text", asked: { text: "half \ud83d of one" } },
    { field: "requestId", asked: { requestId: "" } },
    { field: "requestId", asked: { requestId: "x".repeat(65) } },
    { field: "requestId", asked: { requestId: "with space" } },
    { field: "additionalFields", asked: { additionalFields: { output_format: "8000:pcm16" } } },
    { field: "outputFromat", asked: { outputFromat: "8000:pcm16" } }
  ])("a wrong $field is named, with its rule", ({ asked, field }) =>
    Effect.gen(function* () {
      const told = yield* refused(asked)
      expect(told).toMatchObject({ _tag: "TtsInvalidRequest", field, call: { attempts: [], billing: "notBilled" } })
      expect(told.message).toMatch(new RegExp(`^Nothing was sent: ${field} `))
    })
  )

  it.effect.each([
    { asked: { text: "" }, problem: "must not be empty" },
    { asked: { text: "a \ud83d" }, problem: "holds half of a surrogate pair, which is no character" },
    {
      asked: { outputFormat: "44100:pcm16" },
      problem: "must be one of 8000:pcm16, 8000:float32, 16000:pcm16, 16000:float32, 24000:pcm16, 24000:float32"
    },
    { asked: { speed: 5 }, problem: "must be a number from 0.25 to 4" },
    { asked: { numStep: 0 }, problem: "must be a number from 1 to 100" },
    { asked: { requestId: "a b" }, problem: "must be 1 to 64 characters from letters, digits and . _ : -" },
    {
      asked: { additionalFields: { emotion: "joy", speed: 2 } },
      problem: "must not hold speed, which is a field of the request itself"
    },
    { asked: { g2pOverrides: { word: 1n } }, problem: "must be a value that JSON can hold" },
    { asked: { additionalFields: { word: 1n } }, problem: "must be a value that JSON can hold" }
  ])("what breaks a rule is told it: $problem", ({ asked, problem }) =>
    Effect.gen(function* () {
      expect(yield* refused(asked)).toMatchObject({ problem })
    })
  )

  it.effect("what JSON can't hold is looked for wherever it may stand", () =>
    Effect.gen(function* () {
      const additionalFields = { word: 1n }
      expect(yield* refused({ additionalFields })).toMatchObject({ field: "g2pOverrides or additionalFields" })
    })
  )

  it.scoped("the bounds of a number are taken", () =>
    Effect.gen(function* () {
      for (const asked of [{ speed: 0.25 }, { speed: 4 }, { numStep: 1 }, { numStep: 100 }]) {
        const { outcome } = yield* synthesize(answering(), { ...request, ...asked })
        expect(outcome._tag).toBe("Right")
      }
    })
  )

  it.effect("a text that is too long is told its length in code points", () =>
    Effect.gen(function* () {
      const told = yield* refused({ text: "😀".repeat(10_001) })
      expect(told.message).toContain("10001 code points, and at most 10000")
    })
  )

  it.scoped("10,000 code points are taken, whatever their bytes", () =>
    Effect.gen(function* () {
      for (const character of ["a", "अ", "😀"]) {
        const { outcome } = yield* synthesize(answering(), { ...request, text: character.repeat(10_000) })
        expect(outcome._tag).toBe("Right")
      }
    })
  )
})

it("code points are counted as a string iterates them", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.string({ unit: "binary" }), (text) => {
      expect(TtsContract.codePoints(text)).toBe([...text].length)
    })
  )
})

describe("an answer", () => {
  it.scoped("gives the audio in the format of its headers, which need not be what was asked for", () =>
    Effect.gen(function* () {
      const { outcome } = yield* synthesize(answering(), { ...request, outputFormat: "24000:float32" })
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

  it.scoped("is known by its length too, where it says one", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering(audio.pcm16, { "content-type": "audio/L16; note=text/plain" }))
      const { byteLength } = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.stream(request)),
        Effect.scoped,
        Effect.provide(against(server.url))
      )
      expect(byteLength).toBe(4000)
    })
  )

  it.scoped("whose length contradicts its duration is refused before its first byte", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering(audio.pcm16, { "x-audio-duration-ms": "500" }))
      const told = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.stream(request)),
        Effect.scoped,
        Effect.flip,
        Effect.provide(against(server.url))
      )
      expect(told).toMatchObject({ _tag: "TtsCorruptAudio", receivedBytes: 0, call: { billing: "unknown" } })
    })
  )

  it.scoped("that goes on beyond its duration is not read on", () =>
    Effect.gen(function* () {
      const told = yield* failure((response) => {
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        response.write(Buffer.alloc(5000))
      })
      expect(told).toMatchObject({ _tag: "TtsCorruptAudio", receivedBytes: 5000 })
      expect(told.message).toContain("it lasts 312.5 ms or more, and 250 ms were announced")
    })
  )

  it.scoped("may be compressed if its duration tells whether it was inflated, and identity is not compressed", () =>
    Effect.gen(function* () {
      const durationOf = (changes: Record<string, string | undefined>) =>
        Effect.map(synthesize(answering(audio.pcm16, changes)), ({ outcome }) =>
          Either.isRight(outcome) ? outcome.right.durationMillis : outcome.left.message
        )
      const untold = { "x-audio-duration-ms": undefined }
      expect(yield* durationOf({ "content-encoding": "gzip" })).toBe(250)
      expect(yield* durationOf({ "content-encoding": "gzip", ...untold })).toContain(
        "it is compressed, and says no duration to check it by"
      )
      expect(yield* durationOf({ "content-encoding": "Identity", ...untold })).toBe(250)
      expect(yield* durationOf({ "x-audio-duration-ms": "250.25" })).toBe(250.25)
    })
  )

  it.scoped("without a duration or an id is still audio", () =>
    Effect.gen(function* () {
      const { outcome } = yield* synthesize(
        answering(audio.float32, {
          "x-encoding": "float32",
          "x-audio-duration-ms": undefined,
          "x-request-id": ""
        })
      )
      expect(outcome).toMatchObject({ right: { durationMillis: 250, requestId: "id-1" } })
    })
  )

  it.scoped("that is streamed is known by its format before its bytes, and goes into a WAV file as it comes", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((response) => {
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        response.write(audio.pcm16.subarray(0, 1001))
        setTimeout(() => response.end(audio.pcm16.subarray(1001)), 20)
      })
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/speech.wav`
      yield* Effect.gen(function* () {
        const speech = yield* Effect.flatMap(TextToSpeech, (tts) => tts.stream(request))
        expect(speech).toMatchObject({ format: { sampleRate: 8000 }, byteLength: undefined, requestId: "id-1" })
        yield* Wav.writeFile(speech, path)
      }).pipe(Effect.scoped, Effect.provide(against(server.url)), Effect.orDie)
      const expected = Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, audio.pcm16)
      expect(Buffer.compare(yield* fs.readFile(path), expected)).toBe(0)
    }).pipe(Effect.provide(NodeTransport.layer))
  )

  it.scoped.each([
    { status: 400, tag: "TtsBadRequest", retryable: false },
    { status: 401, tag: "TtsUnauthorized", retryable: false },
    { status: 500, tag: "TtsServerError", retryable: true },
    { status: 502, tag: "TtsBackendFailed", retryable: true },
    { status: 402, tag: "TtsUnexpectedStatus", retryable: false },
    { status: 403, tag: "TtsUnexpectedStatus", retryable: false },
    { status: 503, tag: "TtsUnexpectedStatus", retryable: false },
    { status: 429, tag: "TtsUnexpectedStatus", retryable: true },
    { status: 302, tag: "TtsUnexpectedStatus", retryable: false }
  ])(
    "of status $status is $tag, with the service's words and id, and nothing is billed",
    ({ retryable, status, tag }) =>
      Effect.gen(function* () {
        const told = yield* failure((response) =>
          answerJson(
            response,
            status,
            { error: "the words" },
            { "x-request-id": "id-2", location: "http://127.0.0.1:1/" }
          )
        )
        expect(told).toMatchObject({
          _tag: tag,
          status,
          retryable,
          serverMessage: "the words",
          call: { sentId: "id-1", receivedId: "id-2", billing: "notBilled" }
        })
        expect(told.message).toContain("The service says: the words.")

        for (const body of ["", "<html>Bad Gateway</html>", "{", "[1]", '{"error":{}}']) {
          const mute = yield* failure((response) => response.writeHead(status).end(body))
          expect(mute).toMatchObject({ _tag: tag, status, serverMessage: undefined })
        }
      })
  )

  it.scoped.each([
    { message: "unsupported lang 'xx'", field: "lang" },
    { message: "num_step must be between 1 and 100", field: "num_step" },
    { message: "unsupported sample rate 44100", field: "output_format" },
    { message: "output_format: unknown encoding", field: "output_format" },
    { message: "44100 Hz is not supported", field: "output_format" },
    { message: "44.1kHz is not supported", field: "output_format" },
    { message: "44100Hz is not supported", field: "output_format" },
    { message: "speed must be 0.25 to 4.0 for this voice", field: "speed" },
    { message: "the language is not known", field: undefined }
  ])("of status 400 that says '$message' names $field", ({ field, message }) =>
    Effect.gen(function* () {
      const told = yield* failure((response) => answerJson(response, 400, { error: message }))
      expect(told).toMatchObject({ _tag: "TtsBadRequest", field })
    })
  )

  const isAudio = (response: ServerResponse) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    return response
  }

  it.scoped.each([
    {
      what: "has an odd number of bytes",
      answer: answering(audio.pcm16.subarray(1)),
      isSeenEarly: true,
      problem: "not a multiple"
    },
    { what: "is empty", answer: answering(Buffer.alloc(0)), isSeenEarly: true, problem: "empty" },
    {
      what: "is shorter than it says",
      answer: answering(audio.pcm16, { "x-audio-duration-ms": "260" }),
      isSeenEarly: true,
      problem: "260 ms were announced"
    },
    {
      what: "holds what is no number",
      answer: answering(Buffer.from(new Float32Array(2000).fill(Number.NaN).buffer), { "x-encoding": "float32" }),
      isSeenEarly: true,
      problem: "not numbers"
    },
    {
      what: "of no known length is empty",
      answer: (response: ServerResponse) => {
        isAudio(response).flushHeaders()
        response.end()
      },
      isSeenEarly: false,
      problem: "empty"
    },
    {
      what: "of no known length ends early",
      answer: (response: ServerResponse) => {
        isAudio(response).write(audio.pcm16.subarray(0, 2000))
        response.end()
      },
      isSeenEarly: false,
      problem: "250 ms were announced"
    }
  ])("whose audio $what is refused as corrupt, and billed if it came to its end", ({ answer, isSeenEarly, problem }) =>
    Effect.gen(function* () {
      const told = yield* failure(answer)
      const billing = isSeenEarly ? "unknown" : "billed"
      expect(told).toMatchObject({ _tag: "TtsCorruptAudio", call: { billing } })
      expect(told.message).toContain(problem)
      expect(told.message.includes("it was billed")).toBe(!isSeenEarly)
    })
  )

  it.scoped.each([
    { what: "no rate", answer: answering(audio.pcm16, { "x-sample-rate": undefined }), problem: "x-sample-rate" },
    { what: "two rates", answer: answering(audio.pcm16, { "x-sample-rate": "8000, 16000" }), problem: "x-sample-rate" },
    { what: "another encoding", answer: answering(audio.pcm16, { "x-encoding": "opus" }), problem: "x-encoding" },
    {
      what: "JSON",
      answer: (response: ServerResponse) => answerJson(response, 200, { error: "oops" }),
      problem: "application/json"
    }
  ])("of 200 with $what is no audio", ({ answer, problem }) =>
    Effect.gen(function* () {
      const told = yield* failure(answer)
      expect(told._tag).toBe("TtsInvalidResponse")
      expect(told.message).toContain(problem)
    })
  )

  it.scoped("that is cut fails, and no file is written", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const server = yield* scriptedServer((response) => {
        isAudio(response).setHeader("content-length", audio.pcm16.byteLength)
        response.write(audio.pcm16.subarray(0, 1000))
        setTimeout(() => response.destroy(), 20)
      })
      const told = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.stream({ ...request, requestId: "mine" })),
        Effect.flatMap((speech) => Wav.writeFile(speech, `${folder}/speech.wav`)),
        Effect.scoped,
        Effect.flip,
        Effect.provide(against(server.url)),
        Effect.orDie
      )
      expect(told).toMatchObject({
        _tag: "TtsConnectionFailed",
        reason: "cut",
        sent: "all",
        call: { sentId: "mine", receivedId: "id-1", billing: "unknown" }
      })
      expect(yield* fs.readDirectory(folder)).toEqual([])
    }).pipe(Effect.provide(NodeTransport.layer))
  )
})

it.scoped.each([
  { over: "recommended", httpClient: NodeTransport.layer },
  { over: "node", httpClient: NodeHttpClient.layer }
])(
  "a stream that is run a second time, or after its scope, is a defect and not corrupt audio, over the layer $over",
  ({ httpClient }) =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering())
      yield* Effect.gen(function* () {
        const tts = yield* TextToSpeech
        const kept = yield* Effect.scoped(
          Effect.gen(function* () {
            const speech = yield* tts.stream(request)
            yield* PcmStream.collect(speech)
            const again = yield* Effect.flip(Effect.sandbox(PcmStream.collect(speech)))
            expect(String(again)).toContain("can be read once")
            return yield* tts.stream(request)
          })
        )
        expect(String(yield* Effect.flip(Effect.sandbox(PcmStream.collect(kept))))).toContain("inside the scope")
      }).pipe(
        Effect.provide(
          TextToSpeech.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url }).pipe(Layer.provide(httpClient))
        ),
        Effect.orDie
      )
    })
)

it.scoped("fetch does not follow a redirect, which is told by its status", () =>
  Effect.gen(function* () {
    const elsewhere = yield* scriptedServer(answering())
    const server = yield* scriptedServer((response) => response.writeHead(302, { location: elsewhere.url }).end())
    const told = yield* TextToSpeech.pipe(
      Effect.flatMap((tts) => tts.synthesize(request)),
      Effect.flip,
      Effect.provide(
        TextToSpeech.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url }).pipe(
          Layer.provide(FetchHttpClient.layer)
        )
      ),
      Effect.orDie
    )
    expect(told).toMatchObject({ _tag: "TtsUnexpectedStatus", status: 302, call: { billing: "notBilled" } })
    expect(elsewhere.received).toEqual([])
  })
)

it.scoped("a stream that is left unread gives its connection back when the scope closes", () =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      response.write(audio.pcm16)
    })
    yield* TextToSpeech.pipe(
      Effect.flatMap((tts) => Effect.replicateEffect(Effect.scoped(tts.stream(request)), 10)),
      Effect.zipRight(Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))),
      Effect.zipRight(server.connections),
      Effect.tap((open) => Effect.sync(() => expect(open).toBe(0))),
      Effect.provide(against(server.url)),
      Effect.orDie
    )
  })
)

describe("the key", () => {
  it.scoped("is not in an error, not even where the service quotes it", () =>
    Effect.gen(function* () {
      const told = yield* failure((response) => answerJson(response, 401, { error: "bad key prefix.topsecret" }))
      expect(told).toMatchObject({ _tag: "TtsUnauthorized", serverMessage: "bad key <redacted>" })
      expect(inspect(told, { depth: 20, showHidden: true }) + JSON.stringify(told)).not.toContain("topsecret")
    })
  )

  it.scoped("that is read anew in a wrong form is told with the call that was refused", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((response) => answerJson(response, 401, {}))
      const keys = ["old.key", "malformed"]
      const apiKey = Effect.sync(() => Redacted.make(keys.shift() ?? ""))
      const told = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.synthesize(request)),
        Effect.flip,
        Effect.provide(against(server.url, { apiKey }))
      )
      expect(told).toMatchObject({
        _tag: "TtsInvalidApiKey",
        problem: "it has no dot between a prefix and a secret",
        call: { sentId: "id-1", attempts: [{ status: 401 }], billing: "notBilled" }
      })
    })
  )

  it.effect("of the wrong form is refused before any call", () =>
    Effect.gen(function* () {
      const told = yield* Effect.flip(Layer.build(against("https://host.example", { apiKey: Redacted.make("no-dot") })))
      expect(told).toMatchObject({ _tag: "TtsInvalidApiKey" })
      expect(inspect(told)).not.toContain("no-dot")
    }).pipe(Effect.scoped)
  )
})

it.effect("the layer names the address that is wrong, and the rule that a key breaks", () =>
  Effect.gen(function* () {
    const wrong = yield* Effect.flip(Layer.build(against("host.example")))
    expect(String(wrong)).toContain("baseUrl (SPEECH_TTS_BASE_URL)")
    const keyless = against("https://host.example", { apiKey: Redacted.make("no-dot") })
    const problem = "it has no dot between a prefix and a secret"
    expect(yield* Effect.flip(Layer.build(keyless))).toMatchObject({ _tag: "TtsInvalidApiKey", problem })
  }).pipe(Effect.scoped)
)

it.effect("the layer from the environment names a setting that is missing", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Layer.build(TextToSpeech.layerFromEnv))
    expect(String(error)).toContain("SPEECH_API_KEY")
  }).pipe(
    Effect.scoped,
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map())),
    Effect.provide(NodeTransport.layer)
  )
)

describe("warnings", () => {
  const warningsOf = (changes: Record<string, string | undefined>, asked: SynthesisRequest = request) =>
    Effect.map(synthesize(answering(audio.pcm16, changes), asked), ({ outcome }) => Either.getOrThrow(outcome).warnings)

  it.scoped.each([
    { what: "no duration", changes: { "x-audio-duration-ms": undefined }, tag: "DurationMissing" },
    { what: "a duration with words", changes: { "x-audio-duration-ms": "250 or so" }, tag: "DurationMissing" },
    { what: "words with a duration", changes: { "x-audio-duration-ms": "about 250" }, tag: "DurationMissing" },
    { what: "no request id", changes: { "x-request-id": undefined }, tag: "RequestIdMissing" },
    { what: "another request id", changes: { "x-request-id": "id-2" }, tag: "RequestIdDiffers" }
  ])("tell of an answer with $what, whose audio is kept", ({ changes, tag }) =>
    Effect.gen(function* () {
      expect(yield* warningsOf(changes)).toMatchObject([{ _tag: tag, message: expect.stringMatching(/\.$/) }])
    })
  )

  it.scoped("say what to do", () =>
    Effect.gen(function* () {
      const asked = { ...request, outputFormat: "16000:float32" } as const
      const warnings = [
        ...(yield* warningsOf({ "x-audio-duration-ms": undefined, "x-request-id": undefined }, asked)),
        ...(yield* warningsOf({ "x-request-id": "id-2" }))
      ]
      expect(warnings.map(({ message }) => message)).toMatchInlineSnapshot(`
        [
          "The audio is 8000:pcm16, where 16000:float32 was asked for: go by the format of the speech, not by the request.",
          "The answer does not say how long the audio is, so a cut at a whole sample would not be noticed: listen to its end.",
          "The answer has no request id; id-1 was sent.",
          "The answer has the request id id-2, where id-1 was sent: quote both to the service.",
        ]
      `)
    })
  )

  it.scoped("tell of another format than was asked for, if one was", () =>
    Effect.gen(function* () {
      expect(yield* warningsOf({}, { ...request, outputFormat: "16000:float32" })).toMatchObject([
        { _tag: "FormatDiffers", asked: "16000:float32", sampleRate: 8000, encoding: "pcm16" }
      ])
      expect(yield* warningsOf({}, { ...request, outputFormat: "8000:float32" })).toMatchObject([
        { _tag: "FormatDiffers", asked: "8000:float32" }
      ])
      expect(yield* warningsOf({}, { ...request, outputFormat: "8000:pcm16" })).toEqual([])
      expect(yield* warningsOf({})).toEqual([])
    })
  )
})

describe("a call that fails", () => {
  it.scopedLive.each([
    { statuses: [502, 500], asked: 3 },
    { statuses: [429], asked: 2 }
  ])("with $statuses is repeated, with the same request id", ({ asked, statuses }) =>
    Effect.gen(function* () {
      const left = [...statuses]
      const server = yield* scriptedServer((response, received) => {
        const status = left.shift()
        if (status === undefined) answering()(response, received)
        else answerJson(response, status, { error: "later" }, { "retry-after": "0" })
      })
      const speech = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.synthesize({ text: "नमस्ते" })),
        Effect.provide(against(server.url, { retries: 2 }))
      )
      expect(speech.call.attempts.map(({ status }) => status)).toEqual([...statuses, 200])
      expect(server.received.length).toBe(asked)
      const ids = server.received.map(({ headers }) => headers["x-request-id"])
      expect(ids).toEqual(ids.map(() => speech.call.sentId))
    })
  )

  it.scopedLive("may have been billed if one of its requests had been sent and was not answered", () =>
    Effect.gen(function* () {
      let asked = 0
      const server = yield* scriptedServer((response) =>
        asked++ === 0 ? response.destroy() : answerJson(response, 400, { error: "no" })
      )
      const told = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.synthesize(request)),
        Effect.flip,
        Effect.provide(against(server.url, { retries: 1, retryAmbiguous: true }))
      )
      expect(told).toMatchObject({
        _tag: "TtsBadRequest",
        call: { attempts: [{ sent: "all" }, { status: 400 }], billing: "unknown" }
      })
    })
  )

  it.scoped("with nothing sent is not billed", () =>
    Effect.gen(function* () {
      const told = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.synthesize(request)),
        Effect.flip,
        Effect.provide(against(yield* refusedAddress))
      )
      expect(told).toMatchObject({ _tag: "TtsConnectionFailed", sent: "nothing", call: { billing: "notBilled" } })
    })
  )

  it.scopedLive("after the head of a 200 is not", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((response) => {
        response.writeHead(200, { ...headers, "content-length": "4000" }).write(audio.pcm16.subarray(0, 10))
        setTimeout(() => response.destroy(), 20)
      })
      const told = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.synthesize(request)),
        Effect.flip,
        Effect.provide(against(server.url, { retries: 2, retryAmbiguous: true }))
      )
      expect(told).toMatchObject({ _tag: "TtsConnectionFailed", reason: "cut", call: { billing: "unknown" } })
      expect(server.received.length).toBe(1)
    })
  )
})

describe("a stream", () => {
  it.scopedLive("is billed once its audio has come to its end, and not before", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((response, received) =>
        received.headers["x-request-id"] === "cut"
          ? response
              .writeHead(200, { ...headers, "content-length": "4000" })
              .write(audio.pcm16.subarray(0, 10), () => response.destroy())
          : answering()(response, received)
      )
      yield* Effect.gen(function* () {
        const tts = yield* TextToSpeech
        const speech = yield* tts.stream(request)
        expect(yield* speech.call).toMatchObject({ sentId: "id-1", billing: "unknown" })
        yield* Stream.runDrain(Stream.take(speech.stream, 1))
        expect((yield* speech.call).billing).toBe("unknown")

        const whole = yield* tts.stream(request)
        const copy = { ...whole }
        yield* Stream.runDrain(whole.stream)
        const report = yield* copy.call
        expect(report).toMatchObject({ sentId: "id-1", billing: "billed", attempts: [{ status: 200 }] })
        expect(yield* whole.call).toBe(report)

        const cut = yield* tts.stream({ ...request, requestId: "cut" })
        const error = yield* Effect.flip(Stream.runDrain(cut.stream))
        expect(yield* cut.call).toBe(error.call)
        expect(error.call.billing).toBe("unknown")
      }).pipe(Effect.provide(against(server.url)))
    })
  )
})

it.live("a stream that was left early reports the time of its call, and not the time since", () =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((response) => {
      response.writeHead(200, headers).write(audio.pcm16.subarray(0, 100))
    })
    const tts = Context.get(yield* Layer.build(against(server.url)), TextToSpeech)
    const left = yield* Effect.scoped(
      Effect.tap(tts.stream(request), ({ stream }) => Stream.runDrain(Stream.take(stream, 1)))
    )
    const report = yield* left.call
    yield* Effect.sleep("20 millis")
    expect(yield* left.call).toEqual(report)
  }).pipe(Effect.scoped)
)

it.scoped("an effect that is run again is another call, with an id of its own", () =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((response) =>
      server.received.length === 1 ? answering()(response, server.received[0] as never) : response.destroy()
    )
    const tts = Context.get(yield* Layer.build(against(server.url)), TextToSpeech)
    const synthesis = tts.synthesize({ text: "नमस्ते" })
    const first = yield* synthesis
    const { call } = yield* Effect.flip(synthesis)
    expect(call.sentId).not.toBe(first.call.sentId)
    expect(call.receivedId).toBe(undefined)
  })
)

describe("a stream in a scope", () => {
  const layers = {
    recommended: NodeTransport.layer,
    node: NodeHttpClient.layer
  }

  it.live.each(Object.entries(layers))("that closes ends whoever still reads it, over the layer %s", ([, httpClient]) =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((response) => {
        response.writeHead(200, headers).write(audio.pcm16.subarray(0, 100))
      })
      const context = yield* Layer.build(
        TextToSpeech.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url }).pipe(Layer.provide(httpClient))
      )
      const tts = Context.get(context, TextToSpeech)
      const inner = yield* Scope.make()
      const { stream } = yield* Scope.extend(tts.stream(request), inner)
      const reader = yield* Effect.fork(Stream.runDrain(stream))
      yield* Effect.sleep("50 millis")
      yield* Scope.close(inner, Exit.void)
      const exit = yield* Fiber.await(reader)
      expect(Exit.isFailure(exit) && String(exit.cause)).toContain("inside the scope of its call")
    }).pipe(Effect.scoped)
  )
})

describe("the deadline for all of a call", () => {
  const within = { deadlines: { total: "300 millis" } } as const

  it.scopedLive("binds a consumer that takes its time, though all has come", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(
        answering(Buffer.concat(Array.from({ length: 100 }, () => audio.pcm16)), {
          "x-audio-duration-ms": "25000"
        })
      )
      const told = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.stream(request)),
        Effect.flatMap(({ stream }) => Stream.runForEach(stream, () => Effect.sleep("200 millis"))),
        Effect.scoped,
        Effect.flip,
        Effect.provide(against(server.url, within))
      )
      expect(told).toMatchObject({ _tag: "TtsDeadlineExceeded", phase: "total" })
    })
  )

  it.scopedLive("binds whoever looks at its events", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering())
      const told = yield* TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.synthesize(request, { onEvent: () => Effect.never })),
        Effect.flip,
        Effect.provide(against(server.url, within))
      )
      expect(told).toMatchObject({ _tag: "TtsDeadlineExceeded", phase: "total" })
    })
  )
})

describe("what is told of a call", () => {
  const tagIn = (cause: Cause.Cause<unknown>): string => {
    const [error] = Cause.failures(cause)
    return Predicate.hasProperty(error, "_tag") ? String(error._tag) : "no error"
  }

  const counts = Effect.map(Metric.snapshot, (metrics) =>
    Object.fromEntries(
      metrics
        .filter(({ metricKey, metricState }) => metricKey.name.startsWith("speech_") && "count" in metricState)
        .map(({ metricKey, metricState }) => [
          [metricKey.name, ...metricKey.tags.map(({ value }) => value)].join(" "),
          Number("count" in metricState ? metricState.count : 0)
        ])
    )
  )
  const grownBy = <E, R>(calls: Effect.Effect<unknown, E, R>) =>
    Effect.gen(function* () {
      const before = yield* counts
      yield* calls
      const after = Object.entries(yield* counts).map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      return Object.fromEntries(after.filter(([, grown]) => grown !== 0))
    })

  it.scoped("counts calls by outcome and attempts by status", () =>
    Effect.gen(function* () {
      const calls = Effect.zip(
        synthesize(answering()),
        failure((response) => answerJson(response, 401, {}))
      )
      expect(yield* grownBy(calls)).toEqual({
        "speech_calls synthesize success": 1,
        "speech_calls synthesize TtsUnauthorized": 1,
        "speech_attempts synthesize 200": 1,
        "speech_attempts synthesize 401": 1,
        "speech_call_duration_millis synthesize success": 1,
        "speech_call_duration_millis synthesize TtsUnauthorized": 1
      })
    })
  )

  it.scoped("counts calls that are not traced too, and opens no span for them", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answering())
      const spans: Array<string> = []
      const tracer = Tracer.make({
        span: (name) => {
          spans.push(name)
          throw new Error("There is to be no span.")
        },
        context: (execution) => execution()
      })
      const calls = Effect.gen(function* () {
        const tts = yield* TextToSpeech
        yield* Effect.scoped(Effect.flatMap(tts.stream(request), PcmStream.collect))
        yield* tts.synthesize(request)
      }).pipe(Effect.provide(against(server.url)), Effect.withTracer(tracer), Effect.withTracerEnabled(false))
      expect(yield* grownBy(calls)).toEqual({
        "speech_calls synthesize success": 2,
        "speech_attempts synthesize 200": 2,
        "speech_call_duration_millis synthesize success": 2
      })
      expect(spans).toEqual([])
    })
  )

  it.scopedLive.each([
    { how: "is read to its end", outcome: "success", answer: answering(), take: Number.POSITIVE_INFINITY },
    {
      how: "breaks off",
      outcome: "TtsConnectionFailed",
      answer: ((response) => {
        response.writeHead(200, { ...headers, "content-length": 4000 }).write(audio.pcm16.subarray(0, 1000))
        setTimeout(() => response.destroy(), 50)
      }) satisfies Answer,
      take: Number.POSITIVE_INFINITY
    },
    {
      how: "contradicts itself at its end",
      outcome: "TtsCorruptAudio",
      answer: ((response) => {
        response.writeHead(200, headers).write(audio.pcm16.subarray(0, 1000))
        response.end()
      }) satisfies Answer,
      take: Number.POSITIVE_INFINITY
    },
    { how: "is left early", outcome: "interrupted", answer: answering(), take: 1 }
  ])("has $outcome for a stream that $how, in its count and in its span", ({ answer, outcome, take }) =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(answer)
      const ended: Array<string> = []
      const tracer = Tracer.make({
        span: (name, parent, context, links, startTime, kind) => ({
          _tag: "Span",
          name,
          spanId: name,
          traceId: "trace",
          parent,
          context,
          links,
          kind,
          sampled: true,
          status: { _tag: "Started", startTime },
          attributes: new Map(),
          attribute: () => {},
          event: () => {},
          addLinks: () => {},
          end: (_, exit) => {
            const how = Exit.match(exit, {
              onSuccess: () => "success",
              onFailure: (cause) => (Cause.isInterruptedOnly(cause) ? "interrupted" : tagIn(cause))
            })
            const above = Option.match(parent, { onNone: () => "", onSome: ({ spanId }) => `${spanId} > ` })
            ended.push(`${above}${name} ${how}`)
          }
        }),
        context: (execution) => execution()
      })
      const context = yield* Layer.build(against(server.url))
      const call = TextToSpeech.pipe(
        Effect.flatMap((tts) => tts.stream(request)),
        Effect.flatMap(({ stream }) => (take === 1 ? Stream.runHead(stream) : Stream.runDrain(stream))),
        Effect.scoped,
        Effect.exit,
        Effect.provide(context),
        Effect.withTracer(tracer)
      )
      expect(yield* grownBy(call)).toEqual({
        [`speech_calls synthesize ${outcome}`]: 1,
        [`speech_call_duration_millis synthesize ${outcome}`]: 1,
        "speech_attempts synthesize 200": 1
      })
      expect(ended).toEqual(["speech.synthesize > speech.attempt success", `speech.synthesize ${outcome}`])
    })
  )
})

describe("the test double", () => {
  const bytes = new Uint8Array(16_000)

  it.effect("answers with audio in the format that was asked for, whole and as a stream, and keeps the requests", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
      const asked = { text: "hello", outputFormat: "8000:pcm16" } as const
      expect(yield* tts.synthesize(asked)).toMatchObject({ format, bytes, durationMillis: 1000 })
      const speech = yield* Effect.scoped(Effect.flatMap(tts.stream(asked), PcmStream.collect))
      expect(speech.byteLength).toBe(16_000)
      expect((yield* TextToSpeech.calls).map(({ text }) => text)).toEqual(["hello", "hello"])
      expect((yield* tts.synthesize({ text: "hello" })).format).toEqual({
        ...format,
        sampleRate: 24_000,
        encoding: "float32"
      })
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes })))
  )

  it.effect("gives the bytes of a stream but once, as the service does", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const speech = yield* Effect.scoped(tts.stream({ text: "hello" }))
      expect((yield* PcmStream.collect(speech)).byteLength).toBe(16_000)
      const again = yield* Effect.flip(Effect.sandbox(PcmStream.collect(speech)))
      expect(String(again)).toContain("The body of an answer can be read once.")
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes })))
  )

  it.effect("reports of a call as of one that was answered at once", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const { call } = yield* tts.synthesize({ text: "hello", requestId: "r-1" })
      expect(call).toMatchObject({ sentId: "r-1", attempts: [{ status: 200, sent: "all" }], billing: "billed" })
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes })))
  )

  it.effect("answers with an effect, and tells of another format as the service's answer would", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const { warnings } = yield* tts.synthesize({ text: "hello", outputFormat: "8000:pcm16" })
      expect(warnings).toMatchObject([{ _tag: "FormatDiffers", sampleRate: 16_000 }])
    }).pipe(Effect.provide(TextToSpeech.layerTest(Effect.succeed({ bytes, outputFormat: "16000:pcm16" }))))
  )

  it.effect("fails with every error there is", () =>
    Effect.forEach(TtsError.members, (Expected) =>
      Effect.gen(function* () {
        const tts = yield* TextToSpeech
        expect(yield* Effect.flip(tts.synthesize({ text: "hello" }))).toBeInstanceOf(Expected)
        expect(yield* Effect.flip(Effect.scoped(tts.stream({ text: "hello" })))).toBeInstanceOf(Expected)
      }).pipe(Effect.provide(TextToSpeech.layerTest(new Expected())))
    )
  )

  it.effect("can fail in the middle of a stream", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const chunks: Array<Uint8Array> = []
      const told = yield* tts.stream({ text: "hello" }).pipe(
        Effect.flatMap(({ stream }) => Stream.runForEach(stream, (chunk) => Effect.sync(() => chunks.push(chunk)))),
        Effect.scoped,
        Effect.flip
      )
      expect(told._tag).toBe("TtsConnectionFailed")
      expect(chunks.map(({ byteLength }) => byteLength)).toEqual([16_000])
      expect((yield* Effect.flip(tts.synthesize({ text: "hello" })))._tag).toBe("TtsConnectionFailed")
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes, failure: new TtsConnectionFailed({ reason: "cut" }) })))
  )

  it.effect("refuses audio that the service's would be refused for", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      expect(yield* Effect.flip(tts.synthesize({ text: "hello" }))).toMatchObject({ _tag: "TtsCorruptAudio" })
    }).pipe(Effect.provide(TextToSpeech.layerTest({ bytes: new Uint8Array(15_999) })))
  )

  it.effect("fails as told, and refuses a request that the service would not be sent", () =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      expect((yield* Effect.flip(tts.synthesize({ text: "hello" })))._tag).toBe("TtsBackendFailed")
      expect((yield* Effect.flip(tts.synthesize({ text: "" })))._tag).toBe("TtsInvalidRequest")
    }).pipe(Effect.provide(TextToSpeech.layerTest(() => new TtsBackendFailed())))
  )
})
