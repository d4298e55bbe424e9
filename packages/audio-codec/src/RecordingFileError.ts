/**
 * The error of opening and reading the file of a recording.
 */
import { documented, linkOf } from "@effect-speech/common/ErrorPage"
import * as Printable from "@effect-speech/common/Printable"
import * as Schema from "effect/Schema"

/**
 * A file that can't be read as a recording.
 *
 * | reason             | meaning |
 * | ------------------ | ------- |
 * | `NotAPath`         | the name is not a path: it holds a NUL character |
 * | `NotFound`         | there is no file of this name |
 * | `PermissionDenied` | this process may not read it |
 * | `NotAFile`         | it is a folder, or its path leads through a file |
 * | `SpecialFile`      | it is a pipe, a socket or a device, whose bytes can be read only once |
 * | `TooManyOpenFiles` | the process or the system has too many open files; nothing is wrong with this one |
 * | `Changed`          | the file was written since it was opened |
 * | `EndedEarly`       | the file has become shorter since it was opened |
 * | `Unreadable`       | another error of the system |
 *
 * @example
 * ```ts
 * import { RecordingFile } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const open = (path: string) =>
 *   RecordingFile.open(path).pipe(
 *     Effect.tapErrorTag("RecordingFileError", ({ code, reason }) => Effect.logWarning(reason, code))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class RecordingFileError extends documented(
  Schema.TaggedError<RecordingFileError>("@effect-speech/audio-codec/RecordingFileError")("RecordingFileError", {
    /** As given. */
    path: Schema.String,
    /** What is wrong. */
    reason: Schema.Literal(
      "NotAPath",
      "NotFound",
      "PermissionDenied",
      "NotAFile",
      "SpecialFile",
      "TooManyOpenFiles",
      "Changed",
      "EndedEarly",
      "Unreadable"
    ),
    /** What is wrong, as the end of a sentence: `it does not exist; check the path`. */
    problem: Schema.String,
    /** The code of the system, such as `ENOENT`, if the system reported the error. */
    code: Schema.UndefinedOr(Schema.String)
  })
) {
  /** What happened, and what to do. */
  override get message(): string {
    return `${Printable.line(this.path)} can't be read: ${this.problem}.${linkOf("RecordingFileError")}`
  }
}
