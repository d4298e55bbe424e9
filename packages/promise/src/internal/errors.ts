/**
 * What a call rejects with: an error of the Effect clients as a `SpeechError`, with the frames of the program that made the call.
 */
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

const make = ({ message, ...cause }: Described, { stack }: CallSite): SpeechError => {
  const error = new SpeechError(message, cause)
  // A program may have a `prepareStackTrace` of its own, which gives no text.
  const frames = typeof stack === "string" ? stack.search(/\n\s+at /) : -1
  error.stack = `${error.name}: ${message}${frames < 0 ? "" : stack?.slice(frames)}`
  return error
}

/** The error of a call after `close`. */
export const clientClosed = (site: CallSite): SpeechError => make(describeClosed("before"), site)

/** The error of a call that `close` ended. */
export const endedByClose = (site: CallSite): SpeechError => make(describeClosed("during"), site)

/** The error of an option of `connect`, or of its variable. `problem` are the words after its name in a sentence. */
export const invalidOption = (option: string, problem: string, site: CallSite): SpeechError =>
  make(describeOption({ option, problem }), site)

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
