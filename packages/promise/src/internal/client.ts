/**
 * The client over its services: those of `connect`, or the doubles of a test.
 */
import * as Effect from "effect/Effect"
import type { LongSpeech, Passage, SpeakLongOptions, SpeakOptions, Speech } from "../Speech.js"
import type { SpeechClient } from "../SpeechClient.js"
import type {
  Recording,
  TranscribeLongOptions,
  TranscribeOptions,
  Transcript,
  Transcription
} from "../Transcription.js"
import type { Calls } from "./calls.js"
import { callSite } from "./errors.js"
import { LazySpeech } from "./lazySpeech.js"
import { longSpeechSource } from "./longSpeech.js"
import type { Services } from "./services.js"
import { speechSource } from "./speech.js"
import * as transcription from "./transcription.js"

export const makeClient = (calls: Calls, services: Services): SpeechClient => {
  const { files } = services
  let closing: Promise<void> | undefined

  const speak = (text: string, options: SpeakOptions = {}): Speech =>
    new LazySpeech(speechSource(services, text, options), {
      calls,
      caller: { site: callSite(speak), operation: "speak", signal: options.signal },
      files
    })
  const transcribe = (recording: Recording, options: TranscribeOptions): Promise<Transcription> => {
    const { signal, ...given } = options ?? {}
    const caller = { site: callSite(transcribe), operation: "transcribe" as const, signal }
    return transcription.transcribe({ ...services, calls, caller }, recording, given)
  }
  const speakLong = (text: string | ReadonlyArray<Passage>, options: SpeakLongOptions = {}): LongSpeech => {
    const site = callSite(speakLong)
    const caller = { site, operation: "speak" as const, signal: options.signal }
    return new LazySpeech(longSpeechSource(services, text, options, site), { calls, caller, files })
  }
  const transcribeLong = (recording: Recording, options: TranscribeLongOptions): Promise<Transcript> => {
    const { signal, ...given } = options ?? {}
    const caller = { site: callSite(transcribeLong), operation: "transcribe" as const, signal }
    return transcription.transcribeLong({ ...services, calls, caller }, recording, given)
  }
  const close = (): Promise<void> => {
    closing ??= calls.close().then(() => Effect.runPromise(services.close))
    return closing
  }
  return { speak, speakLong, transcribe, transcribeLong, close, [Symbol.asyncDispose]: close }
}
