/**
 * What comes back for a text: audio, in the format that the service says it is in.
 */
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import type { PcmStream } from "@effect-speech/audio-codec/PcmStream"
import type { CallReport } from "@effect-speech/transport/CallReport"
import type { TtsError } from "./TtsError.js"
import type { TtsWarning } from "./TtsWarning.js"

interface About {
  /** As the headers say, which need not be what was asked for. */
  readonly format: AudioFormat
  /** As the service states it, in milliseconds; absent where it does not. */
  readonly durationMillis: number | undefined
  /** The id that the service answered with, else the one that was sent. `call` has both. */
  readonly requestId: string
  /** What the answer leaves out, or says otherwise than was asked. Mostly empty. */
  readonly warnings: ReadonlyArray<TtsWarning>
  readonly call: CallReport
}

/** Audio as it arrives. Its end tells whether it was whole: a stream that is cut short or corrupt fails there. */
export interface SpeechStream extends PcmStream<TtsError>, About {
  readonly format: AudioFormat
  /** As far as the call has come: whether it was billed is `unknown` until the audio has come to its end. */
  readonly call: CallReport
}

/** Audio that has arrived whole and was checked. It is a stream of its bytes too, so `Wav.writeFile` takes it. */
export interface Speech extends PcmStream, About {
  readonly format: AudioFormat
  /** Raw samples, without a container. */
  readonly bytes: Uint8Array
  /** In milliseconds: as the service states it, or else by the length of the bytes. */
  readonly durationMillis: number
}
