import type * as Issue from "@effect-speech/transport/unstable/Issue"
import { RunInvalid } from "../ArchiveError.js"

export const runInvalid = ({ field, problem }: Issue.Issue): RunInvalid =>
  new RunInvalid({ field, problem, message: `The run did not start: ${field} ${problem}.` })
