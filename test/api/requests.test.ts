/**
 * The options and the errors of both operations on the wire: in an HTTP API with its OpenAPI document and its client, in an RPC and
 * in a workflow.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Multipart from "@effect/platform/Multipart"
import * as OpenApi from "@effect/platform/OpenApi"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Rpc from "@effect/rpc/Rpc"
import * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcTest from "@effect/rpc/RpcTest"
import { describe, expect, it } from "@effect/vitest"
import * as Workflow from "@effect/workflow/Workflow"
import * as Archive from "@effect-speech/archive"
import * as AudioCodec from "@effect-speech/audio-codec"
import * as LocalService from "@effect-speech/local-service"
import * as LongForm from "@effect-speech/long-form"
import * as Stt from "@effect-speech/stt"
import {
  AudioSource,
  SpeechToText,
  SttCreditExhausted,
  SttError,
  SttForbidden,
  Transcription,
  TranscriptionOptions
} from "@effect-speech/stt"
import * as Transport from "@effect-speech/transport"
import * as Tts from "@effect-speech/tts"
import { SynthesisRequest, TextToSpeech, TtsCorruptAudio, TtsError } from "@effect-speech/tts"
import { Arbitrary, Effect, FastCheck, JSONSchema, Layer, Schema } from "effect"

class SpeechApi extends HttpApi.make("speech").add(
  HttpApiGroup.make("speech")
    .add(
      HttpApiEndpoint.post("transcribeFile", "/files/transcribe")
        .setPayload(Schema.Struct({ path: Schema.String, ...TranscriptionOptions.fields }))
        .addSuccess(Transcription)
        .addError(SttError)
    )
    .add(
      HttpApiEndpoint.post("transcribe", "/transcribe")
        .setPayload(
          HttpApiSchema.Multipart(
            Schema.Struct({ recording: Multipart.SingleFileSchema, options: Schema.parseJson(TranscriptionOptions) })
          )
        )
        .addSuccess(Transcription)
        .addError(SttError)
    )
    .add(
      HttpApiEndpoint.post("synthesize", "/synthesize")
        .setPayload(SynthesisRequest)
        .addSuccess(Schema.Struct({ requestId: Schema.String }))
        .addError(TtsError)
    )
    .add(
      HttpApiEndpoint.post("limited", "/limited")
        .setPayload(TranscriptionOptions)
        .addSuccess(Transcription)
        .addError(SttForbidden)
        .addError(SttCreditExhausted)
    )
) {}

const Live = HttpApiBuilder.group(SpeechApi, "speech", (handlers) =>
  Effect.gen(function* () {
    const stt = yield* SpeechToText
    const tts = yield* TextToSpeech
    return handlers
      .handle("transcribeFile", ({ payload: { path, ...options } }) =>
        stt.transcribe({ ...options, audio: AudioSource.fromPath(path) })
      )
      .handle("transcribe", ({ payload: { options, recording } }) =>
        stt.transcribe({ ...options, audio: AudioSource.fromPath(recording.path) })
      )
      .handle("synthesize", ({ payload }) => tts.synthesize(payload))
      .handle("limited", () => Effect.fail(new SttCreditExhausted()))
  })
)

/** The model, or the text, is the tag of the error that the double fails with. */
const sttErrors = Object.fromEntries(SttError.members.map((Member) => [new Member()._tag, new Member()]))
const ttsErrors = Object.fromEntries(TtsError.members.map((Member) => [new Member()._tag, new Member()]))
const Doubles = Layer.merge(
  SpeechToText.layerTest(({ model }) => sttErrors[model] ?? "नमस्ते"),
  TextToSpeech.layerTest(({ text }) => ttsErrors[text] ?? { bytes: new Uint8Array(480) })
)
const Server = HttpApiBuilder.serve().pipe(
  Layer.provide(HttpApiBuilder.api(SpeechApi)),
  Layer.provide(Live),
  Layer.provide(Doubles),
  Layer.provideMerge(NodeHttpServer.layerTest)
)

describe("an HTTP API", () => {
  it("has an OpenAPI document with the options and their rules", () => {
    const { components, paths } = OpenApi.fromApi(SpeechApi)
    expect(components.schemas).toMatchObject({
      TranscriptionOptions: {
        type: "object",
        required: ["model"],
        properties: {
          model: { type: "string", minLength: 1, pattern: String.raw`\S` },
          transactionId: { type: "string", format: "uuid" },
          hotwords: { type: "array", items: { required: ["phrase"] } },
          additionalFields: { type: "object", additionalProperties: { type: "string" } }
        },
        additionalProperties: false
      },
      SynthesisRequest: {
        required: ["text"],
        properties: {
          text: { type: "string", minLength: 1, maxLength: 10_000, pattern: String.raw`\S` },
          outputFormat: { type: "string", enum: expect.arrayContaining(["8000:pcm16", "24000:float32"]) },
          speed: { type: "number", minimum: 0.25, maximum: 4 },
          numStep: { type: "number", minimum: 1, maximum: 100 },
          requestId: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,64}$" },
          additionalFields: { type: "object", propertyNames: { not: { enum: expect.arrayContaining(["text"]) } } }
        }
      }
    })
    expect(Object.keys(paths["/synthesize"]?.post?.responses ?? {})).toEqual(["200", "400", "500", "502", "504"])
    const transcribing = ["200", "400", "422", "500", "502", "503", "504"]
    expect(Object.keys(paths["/files/transcribe"]?.post?.responses ?? {})).toEqual(transcribing)
    expect(Object.keys(paths["/transcribe"]?.post?.responses ?? {})).toEqual(transcribing)
    expect(Object.keys(paths["/limited"]?.post?.responses ?? {})).toEqual(["200", "400", "500", "503"])
  })

  it.scoped("takes the options, also beside an upload, and gives the result", () =>
    Effect.gen(function* () {
      const { speech } = yield* HttpApiClient.make(SpeechApi)
      const options = { model: "hi-general-v2-8khz", hotwords: [{ phrase: "ऋण" }], additionalFields: { note: "x" } }
      const transcription = yield* speech.transcribeFile({ payload: { path: "call.wav", ...options } })
      expect(transcription.text).toBe("नमस्ते")
      const form = new FormData()
      form.append("recording", new File([new Uint8Array(100)], "call.wav"))
      form.append("options", JSON.stringify(options))
      expect((yield* speech.transcribe({ payload: form })).text).toBe("नमस्ते")
      const spoken = yield* speech.synthesize({ payload: { text: "नमस्ते", requestId: "a", g2pOverrides: { a: ["b"] } } })
      expect(spoken.requestId).toBe("a")
    }).pipe(Effect.provide(Server))
  )

  it.scoped("answers each error with its status, and its client decodes it", () =>
    Effect.gen(function* () {
      const { speech } = yield* HttpApiClient.make(SpeechApi)
      const http = yield* HttpClient.HttpClient
      const statusOf = (path: string, body: unknown) =>
        HttpClientRequest.post(path).pipe(
          HttpClientRequest.bodyUnsafeJson(body),
          http.execute,
          Effect.map(({ status }) => status)
        )
      const statuses: Record<string, number> = {}
      for (const [model, error] of Object.entries(sttErrors)) {
        const payload = { path: "call.wav", model }
        statuses[model] = yield* statusOf("/files/transcribe", payload)
        const failure = yield* Effect.flip(speech.transcribeFile({ payload }))
        expect([failure.constructor, { ...failure }]).toEqual([error.constructor, { ...error }])
      }
      for (const [text, error] of Object.entries(ttsErrors)) {
        statuses[text] = yield* statusOf("/synthesize", { text })
        const failure = yield* Effect.flip(speech.synthesize({ payload: { text } }))
        expect([failure.constructor, { ...failure }]).toEqual([error.constructor, { ...error }])
      }
      expect(statuses).toEqual({
        SttInvalidRequest: 400,
        SttInvalidApiKey: 500,
        SttAudioUnreadable: 422,
        SttBadRequest: 400,
        SttUnauthorized: 500,
        SttCreditExhausted: 503,
        SttForbidden: 500,
        SttServerError: 502,
        SttUnavailable: 503,
        SttUnexpectedStatus: 502,
        SttConnectionFailed: 502,
        SttDeadlineExceeded: 504,
        SttInvalidResponse: 502,
        SttTranscriptionFailed: 422,
        TtsInvalidRequest: 400,
        TtsInvalidApiKey: 500,
        TtsBadRequest: 400,
        TtsUnauthorized: 500,
        TtsServerError: 502,
        TtsBackendFailed: 502,
        TtsUnexpectedStatus: 502,
        TtsConnectionFailed: 502,
        TtsDeadlineExceeded: 504,
        TtsInvalidResponse: 502,
        TtsCorruptAudio: 502
      })
      expect(yield* statusOf("/limited", { model: "m" })).toBe(503)
      expect(yield* statusOf("/synthesize", { text: " " })).toBe(400)
    }).pipe(Effect.provide(Server))
  )
})

it("each error states its status by the annotation of HttpApiSchema", () => {
  for (const Member of [...SttError.members, ...TtsError.members]) {
    expect(Object.getOwnPropertySymbols(Member.ast.to.annotations)).toContain(HttpApiSchema.AnnotationStatus)
  }
  expect(HttpApiSchema.getStatusError(TtsCorruptAudio)).toBe(502)
})

describe.each([
  ["TranscriptionOptions", TranscriptionOptions],
  ["SynthesisRequest", SynthesisRequest]
] as const)("%s", (_, schema: Schema.Schema<TranscriptionOptions> | Schema.Schema<SynthesisRequest>) => {
  const options = schema as Schema.Schema<unknown>

  it("has a JSON Schema", () => {
    expect(JSONSchema.make(options)).toHaveProperty("$defs")
  })

  it("has an Arbitrary of valid values, which are the same after JSON", () => {
    const isValid = Schema.is(options)
    const decode = Schema.decodeUnknownSync(options)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(options), (value) => {
        expect(isValid(value)).toBe(true)
        const json = JSON.stringify(value)
        expect(JSON.stringify(decode(JSON.parse(json)))).toBe(json)
      }),
      { numRuns: 200 }
    )
  })
})

it.scoped("an RPC takes the options, and fails with the errors", () =>
  Effect.gen(function* () {
    const Rpcs = RpcGroup.make(
      Rpc.make("transcribe", { payload: TranscriptionOptions, success: Transcription, error: SttError }),
      Rpc.make("speak", { payload: SynthesisRequest, success: Schema.String, error: TtsError })
    )
    const stt = yield* SpeechToText
    const tts = yield* TextToSpeech
    const Handlers = Rpcs.toLayer({
      transcribe: (options) => stt.transcribe({ ...options, audio: AudioSource.fromBytes(new Uint8Array(100)) }),
      speak: (request) => Effect.map(tts.synthesize(request), ({ requestId }) => requestId)
    })
    const client = yield* Effect.provide(RpcTest.makeClient(Rpcs), Handlers)
    expect((yield* client.transcribe({ model: "m", hotwords: [{ phrase: "a" }] })).text).toBe("नमस्ते")
    expect(yield* Effect.flip(client.transcribe({ model: "SttForbidden" }))).toStrictEqual(new SttForbidden())
    expect(yield* client.speak({ text: "a", requestId: "r", speed: 2 })).toBe("r")
  }).pipe(Effect.provide(Doubles))
)

it("a workflow takes the options as its payload", () => {
  const Transcribe = Workflow.make({
    name: "Transcribe",
    payload: { path: Schema.String, options: TranscriptionOptions },
    success: Transcription,
    error: SttError,
    idempotencyKey: ({ options, path }) => `${path} ${options.transactionId}`
  })
  const options = { model: "m", transactionId: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f" }
  expect(Schema.decodeUnknownSync(Transcribe.payloadSchema)({ path: "call.wav", options })).toMatchObject({ options })
})

/** The schemas among the exports of a package, also those in a module or a namespace. */
const schemasIn = (
  exported: object,
  depth = 0
): ReadonlyArray<readonly [name: string, schema: Schema.Schema<unknown>]> =>
  Object.entries(exported).flatMap(([name, value]: [string, unknown]) => {
    if (Schema.isSchema(value)) return [[name, value as Schema.Schema<unknown>] as const]
    return typeof value === "object" && value !== null && depth < 2
      ? schemasIn(value, depth + 1).map(([inner, schema]) => [`${name}.${inner}`, schema] as const)
      : []
  })

describe.each(Object.entries({ Archive, AudioCodec, LocalService, LongForm, Stt, Transport, Tts }))(
  "each Schema of %s",
  (_, exported) => {
    it.each(schemasIn(exported))("%s has a JSON Schema and an Arbitrary", (_, schema) => {
      const isValid = Schema.is(schema)
      expect(JSONSchema.make(schema)).toHaveProperty("$schema")
      FastCheck.assert(
        FastCheck.property(Arbitrary.make(schema), (value) => isValid(value)),
        { numRuns: 10 }
      )
    })
  }
)
