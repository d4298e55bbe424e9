/**
 * A client for tests, which answers without a service.
 */
import { makeCalls } from "./internal/calls.js"
import { makeClient } from "./internal/client.js"
import { callSite } from "./internal/errors.js"
import { makeTestServices } from "./internal/testServices.js"
import type { TestAnswers, TestSpeechClient } from "./TestAnswers.js"

/**
 * Makes a client that needs no service, no key and no network. It checks requests, options and audio as the client of `connect` does. It
 * does not retry, and gives no events of a call. For retries and real HTTP, run your tests against the local service.
 *
 * Throws a {@link SpeechError} with the tag `InvalidOption` for a name that is no operation.
 *
 * @example
 * ```ts
 * import { connectTest, SpeechError } from "@effect-speech/promise"
 *
 * const speech = connectTest({
 *   speak: { bytes: new Uint8Array(48_000), outputFormat: "24000:pcm16" },
 *   transcribe: ({ model }) => (model.startsWith("hi") ? "नमस्ते" : SpeechError.of("SttBadRequest"))
 * })
 * const { text } = await speech.transcribe("call.wav", { model: "hi-general-v2-8khz" })
 * console.log(text, speech.calls.transcribe.length)
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const connectTest = (answers: TestAnswers = {}): TestSpeechClient => {
  const calls = makeCalls()
  const { clear, received, services } = makeTestServices(answers, calls, callSite(connectTest))
  return { ...makeClient(calls, services), calls: received, clear }
}
