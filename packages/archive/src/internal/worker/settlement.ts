import type { WavError } from "@effect-speech/audio-codec/WavError"
import type { PieceStoreError } from "@effect-speech/long-form/PieceStore"
import type { SttError } from "@effect-speech/stt/SttError"
import { errorName } from "@effect-speech/transport/Failure"
import type { TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { OutputFailed } from "../../ArchiveError.js"
import type { Unanswered } from "../../Run.js"
import type { Settlement } from "../store/Store.js"
import { unnoticed } from "../unnoticed.js"

/** The file itself can't be called. Nothing was sent. */
export interface FileProblem {
  readonly _tag: "FileProblem"
  readonly tag: string
  readonly message: string
}

/** Audio was requested, and can't be written. */
export interface AudioLost {
  readonly _tag: "AudioLost"
  readonly error: OutputFailed
}

export type CallError = SttError | TtsError | PieceStoreError | WavError | OutputFailed | AudioLost | FileProblem

/** A file that may have been billed is not failed but held, unless the run repeats such files. */
export const failedOrHeld = (
  facts: { readonly error: { readonly tag: string; readonly message: string }; readonly billing: string },
  unanswered: Unanswered
): Settlement & { readonly _tag: "Failed" | "Held" } => ({
  _tag: facts.billing === "notBilled" || unanswered === "repeat" ? "Failed" : "Held",
  ...facts
})

/**
 * What becomes of a file whose call failed.
 *
 * | error | settlement |
 * | ----- | ---------- |
 * | of the account | `Refused` |
 * | of the output or the kept pieces, such as a full disk, before a call | `Refused`: each further call would be paid and lost |
 * | the same, after a call | `Lost` |
 * | of the connection or the service, which a later call may not have | `Unavailable` |
 * | any other | `Failed` |
 *
 * After an attempt that may be billed, a file is sent again only if the run repeats such files. By default, `Refused` is `Lost` then,
 * and `Unavailable` and `Failed` are `Held`.
 */
const settlementOf = (error: CallError, begunAt: number, unanswered: Unanswered): Settlement => {
  if (error._tag === "AudioLost") return lost(error.error, unanswered)
  const { message } = error
  switch (error._tag) {
    case "FileProblem":
      return { _tag: "Failed", error: { tag: error.tag, message }, billing: "notBilled" }
    case "OutputFailed":
      return refused(error)
    case "PieceStoreError":
      return error.operation === "put" ? lost(error, unanswered) : refused(error)
    case "WavError":
      return failedOrHeld({ error: { tag: error._tag, message }, billing: "unknown" }, unanswered)
  }
  const facts = { error: { tag: error._tag, message }, billing: error.call.billing }
  const failed = failedOrHeld(facts, unanswered)
  const mayRepeat = facts.billing === "notBilled" || unanswered === "repeat"
  const unavailable: Settlement = { _tag: "Unavailable", ...facts, begunAt }
  const later: Settlement = mayRepeat ? unavailable : { ...failed, begunAt }
  switch (error.category) {
    case "account":
      return mayRepeat ? { _tag: "Refused", error: facts.error } : { _tag: "Lost", ...facts }
    case "service":
      return error.retry === "never" ? failed : later
    case "connection":
      if (error._tag.endsWith("ConnectionFailed") && "reason" in error && error.reason === "closed") {
        if (facts.billing === "notBilled") return { _tag: "NotBegun" }
      }
      return facts.billing === "notBilled" ? { ...unavailable, notReached: true } : later
    case "recording":
      // A process with too many open files can open no recording.
      return error._tag === "SttAudioUnreadable" && /too many open files/.test(error.problem) ? later : failed
    case "request":
      return failed
  }
}

const refused = ({ _tag, message }: OutputFailed | PieceStoreError): Settlement => ({
  _tag: "Refused",
  error: { tag: _tag, message }
})

const lost = (error: OutputFailed | PieceStoreError, unanswered: Unanswered): Settlement =>
  unanswered === "repeat"
    ? refused(error)
    : { _tag: "Lost", error: { tag: error._tag, message: error.message }, billing: "unknown" }

/** The settlement of a call. A defect, such as one in a decoder, concerns its file alone. */
export const settle = <R>(
  call: Effect.Effect<Settlement, CallError, R>,
  unanswered: Unanswered
): Effect.Effect<Settlement, never, R> =>
  Effect.flatMap(Clock.currentTimeMillis, (begunAt) =>
    Effect.catchAll(call, (error) => Effect.succeed(settlementOf(error, begunAt, unanswered)))
  ).pipe(
    Effect.catchAllDefect((defect) =>
      Effect.suspend(() =>
        Effect.as(
          unnoticed(Effect.logError("A worker died", Cause.die(defect))),
          failedOrHeld(
            {
              error: {
                tag: "Defect",
                message: `This file ended its call with a defect (${errorName(defect)}). Report it with the log.`
              },
              billing: "unknown"
            },
            unanswered
          )
        )
      )
    )
  )
