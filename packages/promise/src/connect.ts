/**
 * Connects to the speech service.
 */
import { makeCalls } from "./internal/calls.js"
import { checkOptions } from "./internal/checkOptions.js"
import { makeClient } from "./internal/client.js"
import { callSite } from "./internal/errors.js"
import { makeServices } from "./internal/services.js"
import type { ConnectOptions, SpeechClient } from "./SpeechClient.js"

/**
 * Makes a client. It opens no connection and reads no variable before the first call. Make one for the whole program, and one more for
 * each further key. In a test, use {@link connectTest}.
 *
 * Throws a {@link SpeechError} with the tag `InvalidOption` if an option breaks a rule. If a variable is not set, the call that needs it
 * rejects.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect()
 * await speech.speak("नमस्ते", { lang: "hi" }).toFile("namaste.wav")
 * const { text } = await speech.transcribe("namaste.wav", { model: "hi-general-v2-8khz" })
 * console.log(text)
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect = (options?: ConnectOptions): SpeechClient => {
  const checked = checkOptions(options, callSite(connect))
  const calls = makeCalls()
  return makeClient(calls, makeServices(checked, calls))
}
