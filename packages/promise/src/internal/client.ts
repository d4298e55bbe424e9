/**
 * The client over its services: those of `connect`, or the doubles of a test.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CallOptions } from "../Call.js"
import type { LongSpeech, Passage, SpeakLongOptions, SpeakOptions, Speech } from "../Speech.js"
import type { SpeechClient } from "../SpeechClient.js"
import type {
  Recording,
  TranscribeLongOptions,
  TranscribeOptions,
  Transcript,
  Transcription
} from "../Transcription.js"
import type { Caller, Calls } from "./calls.js"
import { type CallSite, callSite, type Operation } from "./errors.js"
import { LazySpeech } from "./lazySpeech.js"
import { longSpeechSource } from "./longSpeech.js"
import { readOptions } from "./optionRules.js"
import type { Services } from "./services.js"
import { speechSource } from "./speech.js"
import * as transcription from "./transcription.js"

export const makeClient = (calls: Calls, services: Services): SpeechClient => {
  const { files } = services
  let closing: Promise<void> | undefined

  const speak = (text: string, options?: SpeakOptions): Speech => {
    const given = readOptions(options)
    const caller = callerOf(callSite(speak), "speak", given)
    return new LazySpeech(speechSource(services, text, given), { calls, caller, files })
  }
  const transcribe = (recording: Recording, options: TranscribeOptions): Promise<Transcription> => {
    const given = readOptions(options)
    const caller = callerOf(callSite(transcribe), "transcribe", given)
    return transcription.transcribe({ ...services, calls, caller }, recording, given)
  }
  const speakLong = (text: string | ReadonlyArray<Passage>, options?: SpeakLongOptions): LongSpeech => {
    const given = readOptions(options)
    const site = callSite(speakLong)
    const caller = callerOf(site, "speak", given)
    return new LazySpeech(longSpeechSource(services, text, given, site), { calls, caller, files })
  }
  const transcribeLong = (recording: Recording, options: TranscribeLongOptions): Promise<Transcript> => {
    const given = readOptions(options)
    const caller = callerOf(callSite(transcribeLong), "transcribe", given)
    return transcription.transcribeLong({ ...services, calls, caller }, recording, given)
  }
  const close = (): Promise<void> => {
    closing ??= calls.close().then(() => Effect.runPromise(services.close))
    return closing
  }
  return { speak, speakLong, transcribe, transcribeLong, close, [Symbol.asyncDispose]: close }
}

const callerOf = (site: CallSite, operation: Operation, given: Either.Either<CallOptions<never>, unknown>): Caller => ({
  site,
  operation,
  // Options that can't be read fail the call.
  signal: Either.isRight(given) ? given.right.signal : undefined
})
