import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import { nameOf, type UploadFailed } from "../../Failure.js"

/** Why what was to be sent could not be read: a defect of its source is no failure of the connection. */
export const uploadFailed = (cause: Cause.Cause<UploadFailed>): UploadFailed =>
  Option.getOrElse(Cause.failureOption(cause), () => ({
    _tag: "UploadFailed",
    problem: `reading it failed (${nameOf(Cause.squash(cause))})`
  }))
