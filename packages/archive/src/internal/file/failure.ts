import type { WavError } from "@effect-speech/audio-codec/WavError"
import { unnoticed } from "@effect-speech/common/Contained"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import { errorName } from "@effect-speech/common/SystemCode"
import type { PieceStoreError } from "@effect-speech/long-form/PieceStore"
import type { SttError } from "@effect-speech/stt/SttError"
import type { TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ArchiveOutputFailed } from "../../ArchiveError.js"
import * as Money from "../model/money.js"
import { type Concern, failedOrHeld, settlementOf } from "../model/settlement.js"
import { isOfProcess } from "../source/files.js"
import type { Settlement } from "../store/Store.js"
import type { Job } from "./job.js"
import { isStopped } from "./pieces.js"

/** The file can't be called. Nothing was sent. */
export interface FileProblem {
  readonly _tag: "FileProblem"
  readonly concern: "file" | "process" | "source"
  readonly tag: string
  readonly message: string
}

export type CallError = SttError | TtsError | PieceStoreError | WavError | ArchiveOutputFailed | FileProblem

/** Codes of a path that has the place of another file, or is too long. They concern its file alone. */
const ofOnePath: ReadonlySet<string | undefined> = new Set(["ENOTDIR", "EEXIST", "EISDIR", "ENAMETOOLONG"])

/** Whether a path that can't be written concerns its file alone. */
export const isOfOnePath = (code: string | undefined): boolean => ofOnePath.has(code)

const isTooLarge = (error: object): boolean => "status" in error && error.status === 413

const concernOf = (error: CallError, output: string): Concern => {
  switch (error._tag) {
    case "FileProblem":
      return error.concern
    case "WavError":
      return "file"
    case "ArchiveOutputFailed":
      return error.path !== output && isOfOnePath(error.code) ? "file" : "output"
    case "PieceStoreError":
      return "output"
  }
  switch (error.category) {
    case "account":
      return "account"
    case "request":
      // What this process refuses, and a text that the service refuses, say nothing of other files.
      return "status" in error && !("field" in error && error.field === "text") ? "run" : "file"
    case "service":
      if (error.retry !== "never") return "service"
      return /(UnexpectedStatus|InvalidResponse)$/.test(error._tag) && !isTooLarge(error) ? "run" : "file"
    case "connection":
      if (error.call.billing !== "notBilled") return "service"
      return "reason" in error && error.reason === "closed" ? "closing" : "unreached"
    case "recording":
      return error._tag === "SttAudioUnreadable" && isOfProcess(error.code) ? "process" : "file"
  }
}

/**
 * Settles a call, which counts in its tally what it costs. A failure is settled by {@link settlementOf}; a defect, such as one in a
 * decoder, concerns its file alone.
 */
export const settle = <R>(
  { settings: { output, unanswered } }: Job,
  call: (tally: Money.Tally) => Effect.Effect<Settlement, CallError, R>
): Effect.Effect<Settlement, never, R> =>
  Effect.flatMap(Clock.currentTimeMillis, (begunAt) => {
    const tally = Money.makeTally()
    return Effect.suspend(() => call(tally)).pipe(
      Effect.catchAll((error) => {
        if (isStopped(error)) {
          const stopped: Settlement = { _tag: "Stopped", credits: tally.spent("unknown"), notReached: !tally.isBegun() }
          return Effect.succeed(stopped)
        }
        const billing = "call" in error ? error.call.billing : tally.isOpen() ? "unknown" : "notBilled"
        const tag = error._tag === "FileProblem" ? error.tag : error._tag
        const credits = tally.spent(billing)
        const isSent =
          credits > 0 || ("call" in error ? error.call.attempts.length > 0 || "status" in error : tally.isBegun())
        const failure = { error: { tag, message: withoutLink(error.message) }, billing, credits, isSent, begunAt }
        return Effect.succeed(settlementOf({ ...failure, concern: concernOf(error, output.directory) }, unanswered))
      }),
      Effect.catchAllDefect((defect) =>
        Effect.suspend(() => {
          const message = `This file ended its call with a defect (${errorName(defect)}). Report it with the log.`
          return Effect.as(
            unnoticed(Effect.logError("A worker died", Cause.die(defect))),
            failedOrHeld(
              { error: { tag: "Defect", message }, billing: "unknown", credits: tally.spent("unknown") },
              unanswered
            )
          )
        })
      )
    )
  })
