import { errorName, systemCode } from "@effect-speech/common/SystemCode"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import type { UploadFailed } from "../../Failure.js"

/** The failure of an upload. A defect in its source counts as a failure to read it, not as a failed connection. */
export const toUploadFailed = (cause: Cause.Cause<UploadFailed>): UploadFailed =>
  Option.getOrElse(Cause.failureOption(cause), () => {
    const error = Cause.squash(cause)
    return { _tag: "UploadFailed", problem: `reading it failed (${errorName(error)})`, code: systemCode(error) }
  })
