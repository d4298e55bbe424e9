// Plain JavaScript, over the built packages, as a user has them.
/** Both clients as a process of its own. It sends requests, and returns what became of each. */
import { createHash } from "node:crypto"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Effect from "effect/Effect"
import { clientsOf } from "../support/clients.js"
import { readJob, serve } from "../support/serve.js"

/**
 * @typedef {import("@effect-speech/stt/SttError").SttError} SttError
 * @typedef {import("@effect-speech/tts/TtsError").TtsError} TtsError
 *
 * @typedef {{ readonly operation: "synthesize" } & Omit<Parameters<TextToSpeech["Type"]["synthesize"]>[0], "requestId">} Synthesis
 * @typedef {{ readonly operation: "transcribe", readonly path: string } &
 *   Omit<Parameters<SpeechToText["Type"]["transcribe"]>[0], "audio" | "transactionId">} Transcription
 * @typedef {Synthesis | Transcription} Request
 *
 * @typedef {object} Job
 * @property {import("effect-speech-test-support/serviceProcess").Ready} service
 * @property {ReadonlyArray<Request>} requests
 * @property {number} concurrency
 */

/** @type {Job} */
const { concurrency, requests, service } = readJob()

/** @param {Uint8Array} bytes */
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex")

/** @param {Request} request @returns {Effect.Effect<string, SttError | TtsError, SpeechToText | TextToSpeech>} */
const call = (request) => {
  if (request.operation === "transcribe") {
    const { operation, path, ...options } = request
    return Effect.flatMap(SpeechToText, (stt) =>
      stt.transcribe({ ...options, audio: AudioSource.fromPath(path) })
    ).pipe(Effect.map(({ callId, text }) => `${callId}: ${text}`))
  }
  const { operation, ...options } = request
  return Effect.flatMap(TextToSpeech, (tts) => tts.synthesize(options)).pipe(
    Effect.map(({ bytes, format }) => `${format.sampleRate}:${format.encoding}, ${digest(bytes)}`)
  )
}

/** The result of a request for its caller, without the ids and times of the call. @param {Request} request */
const outcomeOf = (request) =>
  call(request).pipe(
    Effect.catchAll((error) =>
      Effect.succeed(`${error._tag}: ${("serverMessage" in error && error.serverMessage) || ""}`)
    )
  )

/** @returns {Promise<ReadonlyArray<string>>} */
const work = () =>
  Effect.runPromise(
    Effect.provide(Effect.forEach(requests, outcomeOf, { concurrency }), clientsOf(service, { retries: 1 }))
  )

serve(work)
