/**
 * The clients, with the settings of the environment and the options of a command.
 */
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as BaseUrl from "@effect-speech/transport/unstable/BaseUrl"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { loggedSpeechToText, loggedTextToSpeech } from "./callLog.js"
import type { Given } from "./declaration.js"
import type { SpokenText } from "./spokenText.js"

export interface CallSettings {
  /** For the whole call with all its attempts, in seconds. */
  readonly timeout: number | undefined
  readonly allowInsecureHttp: boolean
  /** Default: the clients' own. */
  readonly retries?: number | undefined
  /** Number of calls at the same time. Default: the clients' own. */
  readonly concurrency?: number | undefined
}

/** What follows the name of the setting in a sentence. */
const describeProblem = (problem: BaseUrl.Problem): string =>
  problem === "insecureHttp"
    ? "is plain http to another machine, which would show the key; use https or --allow-insecure-http"
    : BaseUrl.problems[problem]

/** A base URL from the environment. */
export const baseUrl = (name: string, options: BaseUrl.BaseUrlOptions): Config.Config<string> =>
  Config.mapOrFail(Config.string(name), (text) =>
    Either.mapBoth(BaseUrl.check(text, options), {
      onLeft: (problem) => ConfigError.InvalidData([], describeProblem(problem)),
      onRight: () => text
    })
  )

const common = ({ allowInsecureHttp, concurrency, retries, timeout }: CallSettings) => ({
  apiKey: Config.map(Config.string("SPEECH_API_KEY"), Redacted.make),
  allowInsecureHttp: Config.succeed(allowInsecureHttp),
  concurrency: Config.succeed(concurrency),
  retries: Config.succeed(retries),
  deadlines: Config.succeed({ total: timeout === undefined ? undefined : Duration.seconds(timeout) })
})

export const speechToText = (settings: CallSettings) =>
  loggedSpeechToText(
    SpeechToText.layerConfig({ ...common(settings), baseUrl: baseUrl("SPEECH_STT_BASE_URL", settings) })
  )

export const textToSpeech = (settings: CallSettings) =>
  loggedTextToSpeech(
    TextToSpeech.layerConfig({ ...common(settings), baseUrl: baseUrl("SPEECH_TTS_BASE_URL", settings) })
  )

/** The request of a synthesis, in one call or in pieces. */
export const synthesisOf = <Text>(given: Given<"synthesize">, { lang, text }: SpokenText<Text>) => {
  const { g2pOverrides, numStep, outputFormat, requestId, speed, voice } = given
  return { text, lang, voice, outputFormat, speed, numStep, g2pOverrides, requestId }
}
