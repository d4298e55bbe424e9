import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import type { Speech } from "@effect-speech/tts/Speech"

/** Speech with other audio, as a double of the service gives it. What was stated of it stays. */
export const changedSpeech = (
  { call, durationMillis, requestId, warnings, ...speech }: Speech,
  { bytes = speech.bytes, format = speech.format }: { readonly bytes?: Uint8Array; readonly format?: AudioFormat }
): Speech => Object.assign(PcmStream.fromBytes(format, bytes), { bytes, call, durationMillis, requestId, warnings })
