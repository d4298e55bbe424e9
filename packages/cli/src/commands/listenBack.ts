/**
 * `speech listen-back`: transcribes synthesized speech, and says where it differs from its texts.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { FileSystem } from "@effect/platform/FileSystem"
import type { ArchiveSourceFailed } from "@effect-speech/archive/ArchiveError"
import * as Output from "@effect-speech/archive/Output"
import * as Source from "@effect-speech/archive/Source"
import * as Printable from "@effect-speech/common/Printable"
import { compare } from "@effect-speech/long-form/WordErrors"
import { AudioSource, SpeechToText, type SttError } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Chunk from "effect/Chunk"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { followSpeechToText, sayingStopped } from "../callsInFlight.js"
import { speechToText } from "../clients.js"
import { type Compared, comparedOf, describe, toJson, worstFirst } from "../comparisons.js"
import type { Given } from "../declaration.js"
import * as ExitCode from "../exitCode.js"
import { AlreadyReported, InputFailed, refuse, type UsageError } from "../failure.js"
import * as Json from "../json.js"
import { attemptEach, defaultConcurrency, failedOf, Notes, notTried, type Outcome } from "../manyRecordings.js"
import { applying, count, note, plural, say } from "../message.js"
import { checkStandardOutput } from "../output.js"
import { typeOf } from "../pathType.js"
import * as Progress from "../progress.js"
import { readText } from "../readText.js"
import { describeFailure, detailsOf, exitCodeOf } from "../report.js"
import { notesOn, recognitionOf } from "./transcribe.js"

type Options = Given<"listen-back">

/** A recording, and the text that it should say. */
interface Spoken {
  readonly file: string
  readonly text: Effect.Effect<string, InputFailed>
}

export const listenBack = (given: Options) =>
  Effect.gen(function* () {
    yield* checkStandardOutput
    const recordings = yield* recordingsOf(given)
    const progress = yield* Progress.make(process.stderr, given)
    return yield* compareAll(given, recordings, progress)
  }).pipe(
    Effect.scoped,
    sayingStopped,
    Effect.provide(
      followSpeechToText(speechToText({ ...given, concurrency: given.concurrency ?? defaultConcurrency }))
    ),
    Effect.provide(NodeTransport.layer)
  )

/** Reads the text first: without it, a transcript is paid for nothing. */
const compareOne = (given: Options, { file, text }: Spoken, progress: Progress.Progress, notes: Notes) =>
  Effect.gen(function* () {
    const said = yield* text
    const { onEvent } = yield* progress.line(file)
    const request = { ...recognitionOf(given), audio: AudioSource.fromPath(file) }
    const transcription = yield* (yield* SpeechToText).transcribe(
      { ...request, telephony: given.telephony ? true : undefined },
      { onEvent }
    )
    notes.add(file, notesOn(transcription))
    return comparedOf(file, yield* compare(said, transcription.text), transcription.warnings)
  }).pipe(Effect.scoped)

const compareAll = (given: Options, recordings: ReadonlyArray<Spoken>, progress: Progress.Progress) =>
  Effect.gen(function* () {
    const { atMost = Number.POSITIVE_INFINITY, concurrency, json, operands } = given
    const [folder = ""] = operands
    const notes = new Notes()
    const compared: Array<Compared> = []
    const failed: Array<object> = []
    let skipped = 0
    let code: number = ExitCode.done

    const record = ({ file }: Spoken, outcome: Outcome<Compared, SttError | InputFailed>) => {
      if (outcome === "skipped") {
        skipped += 1
        failed.push({ file, error: notTried })
        return Effect.void
      }
      return Either.match(outcome, {
        onRight: (result) => Effect.sync(() => void compared.push(result)),
        onLeft: (error) => {
          failed.push({ file, error: detailsOf(error) })
          if (code === ExitCode.done) code = exitCodeOf(error)
          return json ? Effect.void : progress.withoutLines(say(`${file}: ${describeFailure(error)}`))
        }
      })
    }

    const job = yield* progress.job(folder)
    const total = recordings.length
    const showDone = Effect.suspend(() => {
      const done = compared.length + failed.length
      return job.show({ done, total, amount: `${count(done)} of ${plural(total, "recording")}` }, 0)
    })
    yield* showDone
    yield* attemptEach(recordings, (spoken) => compareOne(given, spoken, progress, notes), concurrency).pipe(
      Stream.tap(([spoken, outcome]) => record(spoken, outcome)),
      Stream.runForEach(() => showDone)
    )

    const worst = worstFirst(compared)
    const lines = json ? [Json.stringify(toJson(worst, failed))] : describe(worst)
    yield* progress.withoutLines(Effect.forEach(lines, (line) => Console.log(line), { discard: true }))
    const above = worst.filter(({ words }) => words.rate > atMost).length
    if (above > 0 && code === ExitCode.done) code = ExitCode.incomplete
    if (!json) {
      yield* progress.withoutLines(
        Effect.all([
          notes.say,
          say(...failedOf(failed.length - skipped, total, skipped)),
          say(...(above === 0 ? [] : [`${plural(above, "recording")} above ${atMost}.`]))
        ])
      )
    }
    if (code !== ExitCode.done) return yield* new AlreadyReported({ code })
  })

/** The recordings that have a text. Fails if there are none. */
const recordingsOf = (
  given: Options
): Effect.Effect<ReadonlyArray<Spoken>, ArchiveSourceFailed | InputFailed | UsageError, FileSystem> =>
  Effect.gen(function* () {
    const { operands, texts } = given
    const [folder = ""] = operands
    const type = typeOf(folder)
    if (type !== "folder") {
      const problem =
        type === undefined ? "does not exist; check the path" : "is no folder; give a folder of recordings"
      return yield* new InputFailed({ message: Printable.line(`${folder} ${problem}.`) })
    }
    const { recordings, textsAlone, wavsAlone } = yield* texts === undefined
      ? besideTexts(folder)
      : ofTexts(folder, texts)
    if (recordings.length === 0) {
      const message =
        texts === undefined
          ? `${folder} has no NAME.wav with a NAME.txt beside it. If speech archive run made it, give its texts: --texts FILE.`
          : `${folder} has the audio of no text in ${texts}: the text with the id a/b is a/b.wav.`
      return yield* new InputFailed({ message: Printable.line(message) })
    }
    yield* note(
      ...applying(
        wavsAlone > 0 && `Not sent, since they have no NAME.txt beside them: ${plural(wavsAlone, "recording")}.`,
        textsAlone > 0 && `Without audio in ${folder}: ${plural(textsAlone, "text")}.`
      )
    )
    return recordings
  })

interface Found {
  readonly recordings: ReadonlyArray<Spoken>
  /** Recordings without a text. */
  readonly wavsAlone: number
  /** Texts without a recording. */
  readonly textsAlone: number
}

const listed = <R>(source: Source.Source<R>) => Effect.map(Stream.runCollect(source.items()), Chunk.toReadonlyArray)

const besideTexts = (folder: string): Effect.Effect<Found, ArchiveSourceFailed, FileSystem> =>
  Effect.map(Effect.flatMap(Source.folder(folder, { extensions: ["wav", "txt"] }), listed), (items) => {
    const isText = ({ path }: Source.SourceItem) => path.toLowerCase().endsWith(".txt")
    const wavs = items.filter((item) => !isText(item))
    const recordings = wavs.flatMap(({ path, problem }): ReadonlyArray<Spoken> => {
      const file = join(folder, path)
      const text = `${withoutEnding(file)}.txt`
      if (problem !== undefined) return [{ file, text: new InputFailed({ message: problem.message }) }]
      return existsSync(text) ? [{ file, text: readText(text) }] : []
    })
    const spoken = new Set(wavs.map(({ path }) => withoutEnding(path)))
    return {
      recordings,
      wavsAlone: wavs.length - recordings.length,
      textsAlone: items.filter((item) => isText(item) && !spoken.has(withoutEnding(item.path))).length
    }
  })

/** Both endings have four characters. */
const withoutEnding = (path: string): string => path.slice(0, -".wav".length)

const ofTexts = (folder: string, texts: string): Effect.Effect<Found, ArchiveSourceFailed | UsageError, FileSystem> => {
  const ending = texts.toLowerCase().replace(/^.*\./s, "")
  if (ending !== "jsonl" && ending !== "csv") {
    return refuse("--texts must be a .jsonl or .csv of texts, as speech archive run takes it.")
  }
  return Effect.map(listed(ending === "csv" ? Source.csv(texts) : Source.jsonl(texts)), (items) => {
    const recordings = items.flatMap(({ line, path, problem }): ReadonlyArray<Spoken> => {
      const file = Output.pathOf({ directory: folder, format: "wav" }, path)
      const text = Effect.succeed(typeof line?.text === "string" ? line.text : "")
      return problem === undefined && existsSync(file) ? [{ file, text }] : []
    })
    return { recordings, wavsAlone: 0, textsAlone: items.length - recordings.length }
  })
}
