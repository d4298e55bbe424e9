import * as FileSystem from "@effect/platform/FileSystem"
import type { UploadFailed } from "@effect-speech/transport/unstable/Failure"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { AudioSource, PathSource } from "../AudioSource.js"
import { AudioHint } from "../SttError.js"

/** Whether the recording can be opened again for a retry. */
export const isRepeatable = (source: AudioSource<unknown>): boolean =>
  source._tag !== "Stream" || source.once === undefined

/** The name of a recording in an error: its path, or its filename. */
const sourceName = (source: AudioSource<unknown>): string => (source._tag === "Path" ? source.path : source.filename)

const isAudioHint = Schema.is(AudioHint)

/** The facts of an `SttAudioUnreadable`. */
export const unreadableAudio = (source: AudioSource<unknown>, { code, hint, problem }: UploadFailed) => ({
  source: sourceName(source),
  problem,
  hint: isAudioHint(hint) ? hint : undefined,
  code
})

/** All that the recording of a call requires: the `FileSystem` of the layer, and what the caller has. */
export const withFileSystem = <R>(
  context: Context.Context<Exclude<R, FileSystem.FileSystem>>,
  fs: FileSystem.FileSystem
): Context.Context<R> =>
  // The types can't say that R is FileSystem and the rest of R.
  Context.add(context, FileSystem.FileSystem, fs) as Context.Context<never> as Context.Context<R>

/** The same source, which requires a `FileSystem` at most. */
export const provided = <R>(
  source: AudioSource<R>,
  context: Context.Context<Exclude<R, FileSystem.FileSystem>>
): AudioSource => {
  switch (source._tag) {
    case "Path":
      // `fromPath` makes all of these: they require the FileSystem and nothing else.
      return source as PathSource<unknown> as PathSource<FileSystem.FileSystem>
    case "Stream":
      return {
        ...source,
        stream: Stream.contextWithStream((fileSystem: Context.Context<FileSystem.FileSystem>) =>
          Stream.provideContext(
            source.stream,
            withFileSystem<R>(context, Context.get(fileSystem, FileSystem.FileSystem))
          )
        )
      }
    default:
      return source
  }
}
