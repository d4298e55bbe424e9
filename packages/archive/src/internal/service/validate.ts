/**
 * The rules of a run.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ArchiveRunInvalid } from "../../ArchiveError.js"
import { LimitChanges, RunSettings } from "../../Run.js"
import { runInvalid } from "../runInvalid.js"

const Started = Schema.Struct({ ...RunSettings.fields, limits: LimitChanges })

const decodeStarted = Schema.decodeUnknownEither(Schema.typeSchema(Started), { onExcessProperty: "error" })

/** The option that sets a field of the settings, if its name is another one. */
const optionOf = ({ field, problem }: Issue.Issue): Issue.Issue =>
  field === "operation.pieceMillis"
    ? { field: "operation.maximum", problem: "must be from a second to an hour, in whole milliseconds" }
    : { field, problem }

/** Checks the settings and the limits of a run by the rules of the requests, before anything is listed, stored or sent. */
export const validate = (settings: RunSettings, limits: LimitChanges): Either.Either<void, ArchiveRunInvalid> => {
  return Either.flatMap(
    Either.mapLeft(decodeStarted({ ...settings, limits }), (error) => runInvalid(optionOf(Issue.first(error.issue)))),
    ({ operation, output }) =>
      (operation._tag === "Synthesize") === (output.format === "wav")
        ? Either.right(undefined)
        : Either.left(
            runInvalid({
              field: "output.format",
              problem:
                operation._tag === "Synthesize"
                  ? "must be wav for a synthesis"
                  : "must be txt, json, srt or vtt for a transcription"
            })
          )
  )
}
