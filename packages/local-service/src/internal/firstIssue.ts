import * as Issue from "@effect-speech/transport/Issue"
import type { ParseIssue } from "effect/ParseResult"

/** The first broken rule of a message. The service takes no fields that it does not know. */
export const firstIssue = (issue: ParseIssue): Issue.Issue => Issue.first(issue, "is not a known field")
