/**
 * A client of a scripted server, and what that server sends and receives.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import { expect } from "@effect/vitest"
import {
  AudioSource,
  SpeechToText,
  type SpeechToTextOptions,
  type SttError,
  type TranscriptionRequest
} from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Received, respondJson, scriptedServer } from "effect-speech-test-support/scriptedServer"

export type Respond = Parameters<typeof scriptedServer>[0]
export type Request = TranscriptionRequest
type Options = Partial<SpeechToTextOptions>
type Platform = Layer.Layer<HttpClient.HttpClient | FileSystem.FileSystem>

export const transactionId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"
export const success = { status: "success", text: "नमस्ते", call_id: "call-1" }
export const model = "hi-general-v2-8khz"
const audio = AudioSource.fromBytes(new TextEncoder().encode("RIFF....WAVE"), { filename: "call.wav" })
export const request = { audio, model, transactionId }

export const sendJson =
  (status: number, body: unknown): Respond =>
  (response) =>
    respondJson(response, status, body)

/** Sends one status after the other, then 200, each with the body of a success. */
export const sendStatuses = (...statuses: Array<number>): Respond => {
  const left = [...statuses]
  return (response) => respondJson(response, left.shift() ?? 200, success)
}

/** A client of `url`. Default options: a valid key, no retries. */
export const clientOf = (url: string, options: Options = {}) =>
  SpeechToText.layer({ apiKey: Redacted.make("prefix.topsecret"), baseUrl: url, retries: 0, ...options })

/** A client of `url` that lives until the scope closes. */
export const sttOf = (url: string, options: Options = {}, platform: Platform = NodeTransport.layer) =>
  Layer.build(Layer.provide(clientOf(url, options), platform)).pipe(
    Effect.map((context) => Context.get(context, SpeechToText)),
    Effect.orDie
  )

/** A new server that sends `respond` to each request, and a client of it. Both live until the scope closes. */
export const connect = (respond: Respond = sendJson(200, success), options?: Options, platform?: Platform) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer(respond)
    return { server, stt: yield* sttOf(server.url, options, platform) }
  })

/** Transcribes against a new server. */
export const transcribe = (respond?: Respond, asked: Partial<Request> = {}, options?: Options) =>
  Effect.gen(function* () {
    const { server, stt } = yield* connect(respond, options)
    const outcome = yield* Effect.either(stt.transcribe({ ...request, ...asked }))
    return { outcome, received: server.received }
  })

/** The error of a transcription against a new server. */
export const failure = (respond?: Respond, asked?: Partial<Request>, options?: Options) =>
  Effect.flatMap(
    transcribe(respond, asked, options),
    ({ outcome }): Effect.Effect<SttError> => Effect.orDie(Effect.flip(outcome))
  )

/** The parts of a form, in order: their headers and their bytes. */
export const partsOf = ({ body, headers }: Received) => {
  const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? ""
  const text = body.toString("latin1")
  expect(text.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true)
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf("\r\n\r\n")
      return {
        headers: Buffer.from(part.slice(2, end), "latin1").toString(),
        bytes: new Uint8Array(Buffer.from(part.slice(end + 4, -2), "latin1"))
      }
    })
}

/** The fields of all requests, in order: name and text. */
export const fieldsOf = (received: ReadonlyArray<Received>) =>
  received
    .flatMap(partsOf)
    .map(({ bytes, headers }) => [/name="([^"]+)"/.exec(headers)?.[1], new TextDecoder().decode(bytes)])

/** The file part of a request. */
export const fileOf = (received: Received | undefined) => {
  const part = received && partsOf(received).at(-1)
  if (part === undefined) throw new Error("The server received no request.")
  return part
}
