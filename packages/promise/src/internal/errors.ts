/**
 * What a call rejects with: an error of the Effect clients as a `SpeechError`, with the frames of the program that made the call.
 */
import { SttInvalidRequest } from "@effect-speech/stt/SttError"
import { TtsInvalidRequest } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import { SpeechError } from "../SpeechError.js"
import { type Described, describeClosed, describeError, describeOption } from "./describeError.js"

/** Where the caller made a call: its `stack` has the frames. */
export interface CallSite {
  readonly stack?: string
}

/** The place that called `below`, a function of the public API. */
export const callSite = (below: (...parameters: never) => unknown): CallSite => {
  const site: CallSite = {}
  // Node formats the frames when they are read first.
  Error.captureStackTrace?.(site, below)
  return site
}

const make = ({ message, ...cause }: Described, site: CallSite): SpeechError =>
  withFrames(new SpeechError(message, cause), site)

/** Gives an error the frames of the program that made the call. */
const withFrames = <E extends Error>(error: E, { stack }: CallSite): E => {
  // A program may have a `prepareStackTrace` of its own, which gives no text.
  const frames = typeof stack === "string" ? stack.search(/\n\s+at /) : -1
  error.stack = `${error.name}: ${error.message}${frames < 0 ? "" : stack?.slice(frames)}`
  return error
}

/** The error of a call after `close`. */
export const clientClosed = (site: CallSite): SpeechError => make(describeClosed("before"), site)

/** The error of a call that `close` ended. */
export const endedByClose = (site: CallSite): SpeechError => make(describeClosed("during"), site)

/** The error of an option of `connect`, or of its variable. `problem` are the words after its name in a sentence. */
export const invalidOption = (option: string, problem: string, site: CallSite): SpeechError =>
  make(describeOption({ option, problem }), site)

const invalidRequests = { speak: TtsInvalidRequest, transcribe: SttInvalidRequest } as const

/** The operation of the service that a call uses. */
export type Operation = keyof typeof invalidRequests

export type InvalidRequest = TtsInvalidRequest | SttInvalidRequest

/** The error of a value that a call can't use. `problem` are the words after its name in a sentence. */
export const invalidRequest = (operation: Operation, field: string, problem: string): InvalidRequest =>
  new invalidRequests[operation]({ field, problem })

/** The error of a speech that its reader cancelled before it began. */
export const cancelled = (site: CallSite): DOMException =>
  withFrames(new DOMException("The speech was cancelled before it began.", "AbortError"), site)

/** An error of the Effect clients as a `SpeechError`. A defect is itself. `path` is the file that the call writes. */
export const toSpeechError = (error: unknown, site: CallSite, path?: string): unknown => {
  const described = describeError(error, path)
  return described === undefined ? error : make(described, site)
}

/** The error of a call that failed. */
export const errorOf = (cause: Cause.Cause<unknown>, site: CallSite, path?: string): unknown =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => Cause.squash(cause),
    onSome: (error) => toSpeechError(error, site, path)
  })
