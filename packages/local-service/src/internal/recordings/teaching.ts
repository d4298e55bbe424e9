import { isUtf8 } from "node:buffer"
import { readdir, readFile, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Subtitles from "@effect-speech/long-form/Subtitles"
import * as Effect from "effect/Effect"
import { RecordingUnusable } from "../../LocalServiceError.js"
import type { RecogniserService, TaughtRecording } from "../../Recogniser.js"
import { errorCode } from "../errorCode.js"
import { type DecodeLimits, readRecording } from "./recording.js"

const unusable = (path: string, problem: string) =>
  new RecordingUnusable({ path, message: `The recording ${path} can't be taught: ${problem}.` })

export const teach = (
  recogniser: RecogniserService,
  { path, ...recording }: TaughtRecording,
  limits: DecodeLimits
): Effect.Effect<void, RecordingUnusable> =>
  // Opening a pipe would wait for its writer.
  Effect.promise(() => stat(path)).pipe(
    Effect.filterOrFail(
      (file) => file.isFile(),
      () => "it is not a file"
    ),
    Effect.zipRight(readRecording(path, limits)),
    Effect.flatMap((samples) => recogniser.learn({ ...recording, samples })),
    Effect.mapError((problem) => unusable(path, problem)),
    Effect.catchAllDefect((defect) => Effect.fail(unusable(path, `the file can't be read (${errorCode(defect)})`)))
  )

export interface Lesson extends DecodeLimits {
  readonly directory: string
  /** The languages of all models. */
  readonly languages: ReadonlyArray<string>
}

/** Reads the text of a recording from the file beside it. Subtitles come first, because they have times. */
const readSidecar = (
  path: string,
  isThere: (extension: string) => boolean
): Effect.Effect<Pick<TaughtRecording, "text" | "segments">, RecordingUnusable> =>
  Effect.gen(function* () {
    const extension = [".srt", ".vtt"].find(isThere) ?? ".txt"
    const sidecar = path.replace(/\.wav$/i, extension)
    const text = yield* Effect.tryPromise({
      try: () => readFile(sidecar),
      catch: (error) => unusable(path, `${sidecar} can't be read (${errorCode(error)}); write there what is said in it`)
    }).pipe(
      Effect.filterOrFail(isUtf8, () => unusable(path, `${sidecar} is not text in UTF-8; save it as that`)),
      Effect.map((bytes) => bytes.toString("utf8"))
    )
    if (extension === ".txt") return { text: text.trim() }
    const cues = yield* Effect.mapError(Subtitles.parse(text), ({ message }) =>
      unusable(path, `${sidecar}: ${message.replace(/\.$/, "")}`)
    )
    const segments = cues.map((cue) => ({
      text: cue.text.replace(/\s+/g, " ").trim(),
      start: cue.start / 1000,
      end: cue.end / 1000
    }))
    return { text: segments.map((segment) => segment.text).join(" "), segments }
  })

/**
 * Teaches every `name.wav` of a folder, with its text from `name.srt`, else `name.vtt`, else `name.txt`. A subfolder with the
 * name of a language is for that language only.
 */
export const teachDirectory = (
  recogniser: RecogniserService,
  { directory, languages, ...limits }: Lesson
): Effect.Effect<void, RecordingUnusable> =>
  Effect.gen(function* () {
    const found = yield* Effect.tryPromise({
      try: () => readdir(directory, { recursive: true }),
      catch: (error) => unusable(directory, `the folder can't be read (${errorCode(error)})`)
    })
    for (const name of found.filter((each) => /\.wav$/i.test(each)).toSorted()) {
      const path = join(directory, name)
      const sidecar = yield* readSidecar(path, (extension) => found.includes(name.replace(/\.wav$/i, extension)))
      const lang = dirname(name)
      if (lang !== "." && !languages.includes(lang)) {
        return yield* unusable(path, `no model has the language ${lang}, for which its folder is named`)
      }
      yield* teach(recogniser, { ...sidecar, path, lang: lang === "." ? undefined : lang }, limits)
    }
  })
