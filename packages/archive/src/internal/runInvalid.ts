import type * as Issue from "@effect-speech/transport/unstable/Issue"
import { ArchiveRunInvalid } from "../ArchiveError.js"

export const runInvalid = ({ field, problem }: Issue.Issue): ArchiveRunInvalid =>
  new ArchiveRunInvalid({ field, problem, message: `The run did not start: ${field} ${problem}.` })
