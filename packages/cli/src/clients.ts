/**
 * The clients as the environment has them, with what the command line says of a call.
 */
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

export interface CallSettings {
  /** For the whole call, all attempts counted, in seconds. */
  readonly timeout: Option.Option<number>
  readonly allowInsecureHttp: boolean
  /** Default: the clients' own. */
  readonly retries?: number | undefined
}

const common = ({ allowInsecureHttp, retries, timeout }: CallSettings) => ({
  apiKey: Config.map(Config.string("SPEECH_API_KEY"), Redacted.make),
  allowInsecureHttp: Config.succeed(allowInsecureHttp),
  retries: Config.succeed(retries),
  deadlines: Config.succeed({ total: Option.getOrUndefined(Option.map(timeout, Duration.seconds)) })
})

export const speechToText = (settings: CallSettings) =>
  SpeechToText.layerConfig({ ...common(settings), baseUrl: Config.string("SPEECH_STT_BASE_URL") })

export const textToSpeech = (settings: CallSettings) =>
  TextToSpeech.layerConfig({ ...common(settings), baseUrl: Config.string("SPEECH_TTS_BASE_URL") })
