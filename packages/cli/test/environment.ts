import type { LocalService } from "@effect-speech/local-service"
import * as Redacted from "effect/Redacted"

/** The settings of the command for a local service. */
export const environmentOf = ({ apiKey, sttBaseUrl, ttsBaseUrl }: LocalService["Type"]) => ({
  SPEECH_API_KEY: Redacted.value(apiKey),
  SPEECH_STT_BASE_URL: sttBaseUrl,
  SPEECH_TTS_BASE_URL: ttsBaseUrl
})
