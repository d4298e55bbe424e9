import { bytesPerFrame } from "@effect-speech/audio-codec/AudioFormat"
import type { Response } from "@effect-speech/transport/unstable/Operation"
import { answeredAtOnce } from "@effect-speech/transport/unstable/Report"
import * as Effect from "effect/Effect"
import type { SynthesisRequest } from "../SynthesisRequest.js"
import * as Contract from "../TtsContract.js"
import type { SpeechStreamError } from "../TtsError.js"

/**
 * Raw audio of a test double. It is checked as the audio of the service is.
 *
 * Use it as the answer of `TextToSpeech.layerTest`.
 *
 * @example
 * ```ts
 * import { type TestAudio, TextToSpeech, TtsConnectionFailed } from "@effect-speech/tts"
 *
 * const audio: TestAudio = {
 *   bytes: new Uint8Array(96_000),
 *   failure: new TtsConnectionFailed({ reason: "cut", sent: "all" })
 * }
 *
 * // One second of silence, then the audio breaks off.
 * export const double = TextToSpeech.layerTest(audio)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TestAudio {
  /** Raw samples, without a container. */
  readonly bytes: Uint8Array
  /** The format of `bytes`. Default: that of the request, or `24000:float32` if it has none. */
  readonly outputFormat?: Contract.OutputFormat | undefined
  /** The error of the stream after all bytes. Default: none. */
  readonly failure?: SpeechStreamError | undefined
}

/** The response of a test double: a 200 with this audio. */
export const testResponse = (
  { bytes, failure, outputFormat }: TestAudio,
  asked: SynthesisRequest,
  sentId: string
): Response<SpeechStreamError> => {
  const format = Contract.audioFormat(outputFormat ?? asked.outputFormat ?? Contract.defaultOutputFormat)
  const frames = Math.floor(bytes.byteLength / bytesPerFrame(format))
  const headers: Record<string, string> = {
    [Contract.header.requestId]: sentId,
    [Contract.header.sampleRate]: String(format.sampleRate),
    [Contract.header.encoding]: format.encoding,
    [Contract.header.audioDuration]: String((1000 * frames) / format.sampleRate),
    // Of audio that fails, more was announced than there is.
    ...(failure === undefined ? { "content-length": String(bytes.byteLength) } : {})
  }
  // As from the service: the caller may write into what it gets.
  const parts: Array<Uint8Array | undefined> = [new Uint8Array(bytes)]
  return {
    status: 200,
    header: (name) => headers[name],
    pull: Effect.suspend(() => {
      const part = parts.shift()
      return part === undefined && failure !== undefined ? Effect.fail(failure) : Effect.succeed(part)
    }),
    errorText: Effect.succeed(""),
    withoutKey: (text) => text,
    redact: (text) => text,
    progress: () => ({ sentId, attempts: [answeredAtOnce], sent: "all", elapsedMillis: 0 })
  }
}
