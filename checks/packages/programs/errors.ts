/**
 * Handles failures by tag, so that a new tag does not compile, and by category. An error is stored as JSON and read again, and
 * each becomes a sentence for a person.
 */

import assert from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText, SttError } from "@effect-speech/stt"
import type { ServiceError } from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, TtsError } from "@effect-speech/tts"
import { Console, Effect, Equal, Layer, Match, Schema } from "effect"

/** What the support desk does, by tag. */
export const whatToDo = Match.type<SttError>().pipe(
  Match.tag("SttInvalidRequest", ({ field, problem }) => `change ${field}: ${problem}`),
  Match.tag("SttBadRequest", ({ serverMessage }) => `change the request: ${serverMessage ?? "no reason"}`),
  Match.tag("SttInvalidApiKey", "SttUnauthorized", "SttForbidden", () => "ask for a key"),
  Match.tag("SttCreditExhausted", () => "top up"),
  Match.tag("SttAudioUnreadable", ({ source, code }) => `look for ${source} (${code ?? "no code"})`),
  Match.tag("SttTranscriptionFailed", ({ callId }) => `report ${callId ?? "the file"}`),
  Match.tag("SttServerError", "SttUnavailable", ({ status }) => `wait after ${status}`),
  Match.tag("SttUnexpectedStatus", ({ retryable, status }) =>
    retryable ? `wait after ${status}` : "check the address"
  ),
  Match.tag("SttConnectionFailed", ({ reason, sent }) => `check the network: ${reason}, sent ${sent}`),
  Match.tag("SttDeadlineExceeded", ({ limitMillis, phase }) => `allow more than ${limitMillis} ms for the ${phase}`),
  Match.tag("SttInvalidResponse", () => "check the address"),
  Match.exhaustive
)

/** The HTTP status of a product of its own, by category; for both operations. */
export const statusOf = ({ category }: SttError | TtsError): number => {
  switch (category) {
    case "request":
      return 400
    case "recording":
      return 422
    case "account":
      return 500
    case "service":
    case "connection":
      return 503
  }
}

/** Every category has a status: a further category does not compile. */
export const statuses = { request: 400, recording: 422, account: 500, service: 503, connection: 503 } satisfies Record<
  ServiceError.Category,
  number
>

export const StoredError = Schema.parseJson(Schema.Union(SttError, TtsError))

export const transcribe = (audio: AudioSource.AudioSource, model = "en-general-v2-8khz") =>
  Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model }))

/** Only failures of the account are left: all others are handled. */
export const withoutOthers = transcribe(AudioSource.fromPath("/nowhere/call.wav")).pipe(
  Effect.map(({ text }) => text),
  Effect.catchIf(
    (error) => error.category !== "account",
    (error) => Effect.succeed(`(${error.category}) ${whatToDo(error)}`)
  )
)

export const program = Effect.gen(function* () {
  const service = yield* LocalService
  const tts = yield* TextToSpeech
  const bytes = AudioSource.fromBytes(new Uint8Array(1000))
  const failures: Array<SttError | TtsError> = []

  failures.push(yield* Effect.flip(transcribe(AudioSource.fromPath("/nowhere/call.wav"))))
  failures.push(yield* Effect.flip(transcribe(bytes, "")))
  failures.push(yield* Effect.flip(transcribe(bytes, "xx-no-such-model")))
  yield* service.accounts.setAccount({ credits: 0 })
  failures.push(yield* Effect.flip(transcribe(bytes)))
  failures.push(yield* Effect.flip(tts.synthesize({ text: "hello", lang: "en" })))
  yield* service.reset()
  yield* service.faults.set([{ status: 429, headers: { "Retry-After": "3600" } }])
  failures.push(yield* Effect.flip(transcribe(bytes)))
  yield* service.faults.set([{ reset: "answer" }])
  failures.push(yield* Effect.flip(transcribe(bytes)))
  yield* service.faults.set([{ body: '{"status":"error","message":"too noisy","call_id":"call-7"}' }])
  failures.push(yield* Effect.flip(transcribe(bytes)))

  assert.deepEqual(
    failures.map(({ _tag }) => _tag),
    [
      "SttAudioUnreadable",
      "SttInvalidRequest",
      "SttBadRequest",
      "SttCreditExhausted",
      "TtsUnauthorized",
      "SttUnexpectedStatus",
      "SttConnectionFailed",
      "SttTranscriptionFailed"
    ]
  )
  assert.deepEqual(failures.map(statusOf), [422, 400, 400, 500, 500, 503, 503, 422])
  assert.deepEqual(
    failures.map(statusOf),
    failures.map(({ category }) => statuses[category])
  )

  for (const failure of failures) {
    const stored = yield* Schema.encode(StoredError)(failure)
    const read = yield* Schema.decode(StoredError)(stored)
    assert.equal(read._tag, failure._tag)
    assert.equal(read.message, failure.message)
    assert.equal(read.retryable, failure.retryable)
    assert.ok(Equal.equals(read.call, failure.call))
    assert.match(failure.message, /^[A-Z"].*[.]$/u)
    assert.equal(failure.message, failure.sentence)
  }

  yield* service.faults.set([])
  const handled = yield* withoutOthers
  assert.match(handled, /^\(recording\) look for \/nowhere\/call.wav \(ENOENT\)$/u)
  yield* Console.log(`ok errors ${failures.length} failures, ${handled}`)
})

export const live = LocalService.layerClients.pipe(
  Layer.provideMerge(Layer.merge(LocalService.layer(), NodeTransport.layer))
)

program.pipe(Effect.provide(live), NodeRuntime.runMain)
