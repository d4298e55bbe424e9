/**
 * What to do if nothing listens at an address of this machine: most likely its own service is not running.
 */
import type { SttError } from "@effect-speech/stt/SttError"
import type { TtsError } from "@effect-speech/tts/TtsError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Hosts of this machine. */
const ofThisMachine = /^(localhost|127\.[\d.]+|\[::1\])(:|$)/

export const isOfThisMachine = (host: string): boolean => ofThisMachine.test(host)

/** A sentence, with a space before it, if the failure is of a service on this machine that is not running. */
export const describeUnreachable = (error: SttError | TtsError): Effect.Effect<string> => {
  if (error._tag !== "SttConnectionFailed" && error._tag !== "TtsConnectionFailed") return Effect.succeed("")
  if (error.code !== "ECONNREFUSED") return Effect.succeed("")
  const name = error._tag === "SttConnectionFailed" ? "SPEECH_STT_BASE_URL" : "SPEECH_TTS_BASE_URL"
  return Effect.map(Effect.option(Config.string(name)), (address) => {
    const host = Option.isSome(address) && URL.canParse(address.value) ? new URL(address.value).host : ""
    return isOfThisMachine(host)
      ? ` Nothing listens at ${host}, on this machine. If it is the address of speech serve, start that again.`
      : ""
  })
}
