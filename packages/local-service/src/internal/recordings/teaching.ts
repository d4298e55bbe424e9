import { isUtf8 } from "node:buffer"
import { constants } from "node:fs"
import { open, readdir, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { buffer } from "node:stream/consumers"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Subtitles from "@effect-speech/long-form/Subtitles"
import * as Effect from "effect/Effect"
import { LocalServiceRecordingUnusable } from "../../LocalServiceError.js"
import type { RecogniserService, TaughtRecording } from "../../Recogniser.js"
import { type DecodeOptions, readRecording } from "./recording.js"

const unusable = (path: string, problem: string) =>
  new LocalServiceRecordingUnusable({ path, message: `The recording ${path} can't be taught: ${problem}.` })

/** Why a recogniser without `knownRecordings` learns nothing. */
export const cannotBeTaught = "this recogniser can't be taught; it recognises by its own models"

export const teach = (
  recogniser: RecogniserService,
  { path, ...recording }: TaughtRecording,
  { maximumSeconds }: Pick<DecodeOptions, "maximumSeconds">
): Effect.Effect<void, LocalServiceRecordingUnusable> => {
  const { knownRecordings, sampleRate } = recogniser
  if (knownRecordings === undefined) return Effect.fail(unusable(path, cannotBeTaught))
  // Opening a pipe would wait for its writer.
  return Effect.promise(() => stat(path)).pipe(
    Effect.filterOrFail(
      (file) => file.isFile(),
      () => "it is not a file"
    ),
    Effect.filterOrFail(
      () => [recording, ...(recording.segments ?? [])].every(({ text }) => text.trim() !== ""),
      () => "its text, or that of a segment, is empty"
    ),
    Effect.zipRight(readRecording(path, { maximumSeconds, sampleRate })),
    Effect.flatMap((samples) => knownRecordings.learn({ ...recording, samples })),
    Effect.mapError((problem) => unusable(path, problem)),
    Effect.catchAllDefect((defect) => Effect.fail(unusable(path, `the file can't be read (${codeOrName(defect)})`)))
  )
}

export interface RecordingsFolder extends Pick<DecodeOptions, "maximumSeconds"> {
  readonly directory: string
  /** The languages of all models. */
  readonly languages: ReadonlyArray<string>
}

/** In bytes: more than the subtitles of two hours. */
const maximumSidecar = 4 * 1024 * 1024

/** Windows has neither the flag nor pipes among its files. */
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** The text of a file in UTF-8. The error is a sentence that begins after the name of the file. */
const readText = (path: string): Effect.Effect<string, string> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: () => open(path, readWithoutWaiting),
      catch: (error) => `can't be read (${codeOrName(error)}); write there what is said in it`
    }),
    (file) =>
      Effect.gen(function* () {
        const stats = yield* Effect.promise(() => file.stat())
        if (!stats.isFile()) return yield* Effect.fail("is not a file")
        const bytes = yield* Effect.tryPromise({
          // One byte more than is allowed: the size of a file that grows is not known.
          try: () => buffer(file.createReadStream({ end: maximumSidecar, autoClose: false })),
          catch: (error) => `can't be read (${codeOrName(error)})`
        })
        if (bytes.length > maximumSidecar)
          return yield* Effect.fail(`is larger than ${maximumSidecar / 1024 / 1024} MiB`)
        if (!isUtf8(bytes)) return yield* Effect.fail("is not text in UTF-8; save it as that")
        return bytes.toString("utf8")
      }),
    (file) => Effect.promise(() => file.close())
  )

/** Reads the text of a recording from the file beside it. Subtitles come first, because they have times. */
const readSidecar = (
  path: string,
  isThere: (extension: string) => boolean
): Effect.Effect<Pick<TaughtRecording, "text" | "segments">, LocalServiceRecordingUnusable> =>
  Effect.gen(function* () {
    const extension = [".srt", ".vtt"].find(isThere) ?? ".txt"
    const sidecar = path.replace(/\.wav$/i, extension)
    const text = yield* Effect.mapError(readText(sidecar), (problem) => unusable(path, `${sidecar} ${problem}`))
    const noText = unusable(path, `${sidecar} has no text; write there what is said in it`)
    if (extension === ".txt") return text.trim() === "" ? yield* noText : { text: text.trim() }
    const cues = yield* Effect.mapError(Subtitles.parse(text), ({ message }) =>
      unusable(path, `${sidecar}: ${withoutLink(message).replace(/\.$/, "")}`)
    )
    const segments = cues
      .map((cue) => ({
        text: cue.text.replace(/\s+/g, " ").trim(),
        startMillis: cue.startMillis,
        endMillis: cue.endMillis
      }))
      .filter((segment) => segment.text !== "")
    if (segments.length === 0) return yield* noText
    return { text: segments.map((segment) => segment.text).join(" "), segments }
  })

/**
 * Teaches every `name.wav` of a folder, with its text from `name.srt`, else `name.vtt`, else `name.txt`. A subfolder with the
 * name of a language is for that language only.
 */
export const teachDirectory = (
  recogniser: RecogniserService,
  { directory, languages, ...limits }: RecordingsFolder
): Effect.Effect<void, LocalServiceRecordingUnusable> =>
  Effect.gen(function* () {
    const found = yield* Effect.tryPromise({
      try: () => readdir(directory, { recursive: true }),
      catch: (error) => unusable(directory, `the folder can't be read (${codeOrName(error)})`)
    })
    const names = found.filter((each) => /\.wav$/i.test(each)).toSorted()
    if (names.length === 0) return yield* unusable(directory, "it has no .wav file")
    for (const name of names) {
      const path = join(directory, name)
      const sidecar = yield* readSidecar(path, (extension) => found.includes(name.replace(/\.wav$/i, extension)))
      const lang = dirname(name)
      if (lang !== "." && !languages.includes(lang)) {
        return yield* unusable(path, `no model has the language ${lang}, for which its folder is named`)
      }
      yield* teach(recogniser, { ...sidecar, path, lang: lang === "." ? undefined : lang }, limits)
    }
  })
