/**
 * `speech transcribe`: prints what is said in recordings.
 */
import { existsSync } from "node:fs"
import type { FileSystem } from "@effect/platform/FileSystem"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Printable from "@effect-speech/common/Printable"
import type * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import type { PieceStore, PieceStoreError } from "@effect-speech/long-form/PieceStore"
import {
  AudioSource,
  Recording,
  SpeechToText,
  SttAudioUnreadable,
  type SttError,
  type Transcription
} from "@effect-speech/stt"
import type { Hotword } from "@effect-speech/stt/SttContract"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { type CallsInFlight, followSpeechToText, sayingStopped } from "../callsInFlight.js"
import { speechToText } from "../clients.js"
import { endingWith } from "../cues.js"
import type { Given, TranscriptFormat } from "../declaration.js"
import * as ExitCode from "../exitCode.js"
import { AlreadyReported, type OutputFailed, refuse, type UsageError } from "../failure.js"
import * as Json from "../json.js"
import { attemptEach, defaultConcurrency, failedOf, Notes, notTried, type Outcome } from "../manyRecordings.js"
import { note, plural, say, unlessQuiet } from "../message.js"
import { checkStandardOutput, writeText } from "../output.js"
import { keepPieces, recordingOf } from "../pieces.js"
import * as Progress from "../progress.js"
import { describeFailure, exitCodeOf } from "../report.js"
import { describeLeft, describeWarning } from "../serviceFailure.js"
import { Tally } from "../tally.js"
import { transcriptFiles } from "../transcriptFiles.js"

/** Reads `PHRASE[:SCORE]`. The last colon counts, and only before a number: phrases contain colons too. */
export const toHotword = (text: string): Hotword => {
  const scored = /^(.+):(-?\d+(?:\.\d+)?)$/s.exec(text)
  return scored === null ? { phrase: text } : { phrase: scored[1] ?? "", score: Number(scored[2]) }
}

/** What a transcription and a comparison ask of the model. */
export const recognitionOf = ({ hotwords, model, parseNumber }: Given<"transcribe"> | Given<"listen-back">) => ({
  model,
  parseNumber: parseNumber ? true : undefined,
  hotwords: hotwords.length === 0 ? undefined : hotwords.map(toHotword)
})

const standardInput = AudioSource.fromOneShotStream(
  NodeStream.fromReadable(
    () => process.stdin,
    () => "StandardInput"
  ),
  { filename: "stdin" }
)

/** The format to print. With `--out-dir`: the format of the files, and `--json` prints their list. */
const formatOf = ({ format = "text", json, outDir }: Given<"transcribe">): TranscriptFormat =>
  json && outDir === undefined ? "json" : format

const isSubtitles = (format: TranscriptFormat): format is "srt" | "vtt" => format === "srt" || format === "vtt"

const check = (given: Given<"transcribe">): Effect.Effect<void, UsageError> => {
  const { format, json, operands: files, outDir, transactionId } = given
  if (outDir === undefined && json && format !== undefined && format !== "json") {
    return refuse(`--json prints JSON, and --format ${format} does not: leave out one of them.`)
  }
  if (outDir === undefined && files.length > 1 && isSubtitles(formatOf(given))) {
    return refuse(`--format ${format} prints the subtitles of one recording: give one FILE, or --out-dir DIR.`)
  }
  if (files.length > 1 && transactionId !== undefined) {
    return refuse("--transaction-id is the id of one request, but there are several recordings.")
  }
  const url = files.find(isUrl)
  if (url !== undefined) {
    return refuse(
      "A URL is not read. Download the file first, or send it as standard input: curl URL | speech transcribe - --model NAME"
    )
  }
  return files.filter((file) => file === "-").length > 1 ? refuse("Standard input can be sent only once.") : Effect.void
}

/** Of one request, or of the pieces of a long recording. */
type Transcript = Transcription | LongTranscription.Transcript

type Failure = SttError | PieceStoreError | OutputFailed
type TranscribeFile = (file: string) => Effect.Effect<Transcript, Failure, PieceStore | FileSystem>

/** The longest piece by default, in minutes. */
const defaultPieceMinutes = 5

const isUrl = (file: string): boolean => /^https?:\/\//i.test(file) && !existsSync(file)

/** The least bytes of a WAV file: the headers of the file, of its format and of its data. */
const leastWav = 44

/** What is wrong with the beginning of a recording, so that it can't be one. */
const problemOf = ({ bytes = leastWav, container }: Recording.Recording): string | undefined => {
  if (container === undefined) return "it is neither WAV, nor MP3, M4A, FLAC, OGG or WebM"
  return container === "wav" && bytes < leastWav ? "it is a WAV file that ends within its header" : undefined
}

/** Whether a recording is cut: if an option asks for it, or its header states that it is longer than a piece. */
const isLong = (given: Given<"transcribe">, file: string): Effect.Effect<boolean, SttAudioUnreadable, FileSystem> => {
  const { long, pieceMinutes = defaultPieceMinutes, pieces, segmentFields } = given
  if (long || pieces !== undefined || segmentFields !== undefined || isSubtitles(formatOf(given))) {
    return Effect.succeed(true)
  }
  if (file === "-") return Effect.succeed(false)
  return Effect.matchEffect(Recording.inspect(AudioSource.fromPath(file)), {
    // The request fails with the same problem, and its own sentence.
    onFailure: () => Effect.succeed(false),
    onSuccess: (recording) => {
      // With --telephony the recording is read here, which says what is wrong with it.
      const problem = given.telephony ? undefined : problemOf(recording)
      return problem === undefined
        ? Effect.succeed((recording.durationMillis ?? 0) > pieceMinutes * 60_000)
        : Effect.fail(new SttAudioUnreadable({ source: file, problem }))
    }
  })
}

export const transcribe = (given: Given<"transcribe">) =>
  Effect.suspend(() => {
    const tally = new Tally()
    // The durations of several recordings are known only when they are opened.
    const rest = () => (given.operands.length === 1 ? describeLeft({ leftMillis: tally.left }) : "")
    return Effect.flatMap(jobOf(given), (job) =>
      keepPieces({ folder: given.pieces, job, rest }, transcribeFiles(given, tally))
    )
  }).pipe(
    sayingStopped,
    Effect.provide(
      followSpeechToText(speechToText({ ...given, concurrency: given.concurrency ?? defaultConcurrency }))
    ),
    Effect.provide(NodeTransport.layer)
  )

const transcribeFiles = (given: Given<"transcribe">, tally: Tally) =>
  Effect.gen(function* () {
    yield* check(given)
    const { json, operands: files, outDir, transactionId } = given
    if (outDir === undefined || json) yield* checkStandardOutput
    const outputs = outDir === undefined ? undefined : yield* transcriptFiles(outDir, files, formatOf(given))
    const progress = yield* Progress.make(process.stderr, { json })
    const context = yield* Effect.context<SpeechToText | CallsInFlight>()
    const transcribeFile: TranscribeFile = (file) =>
      Effect.gen(function* () {
        const audio = file === "-" ? standardInput : AudioSource.fromPath(file)
        const request = { ...recognitionOf(given), audio, transactionId }
        if (yield* isLong(given, file)) {
          const { transcribeLong } = yield* Effect.promise(() => import("./transcribeLong.js"))
          return yield* transcribeLong(request, given, { name: displayName(file), progress, tally })
        }
        const { onEvent } = yield* progress.line(displayName(file))
        return yield* (yield* SpeechToText).transcribe(
          { ...request, aux: given.aux ? true : undefined, telephony: given.telephony ? true : undefined },
          { onEvent }
        )
      }).pipe(Effect.provide(context), Effect.scoped)

    const [only, ...others] = files
    if (outputs !== undefined) {
      // Written at once: an interruption loses no result that is paid.
      const transcribeInto: TranscribeFile = (file) =>
        Effect.tap(transcribeFile(file), (transcript) => write(outputs, file, formatOf(given), transcript))
      return yield* transcribeAll(given, transcribeInto, progress, outputs)
    }
    if (only === undefined || others.length > 0) return yield* transcribeAll(given, transcribeFile, progress)
    const transcript = yield* transcribeFile(only)
    const result = yield* resultOf(transcript, formatOf(given))
    yield* progress.withoutLines(
      formatOf(given) === "json"
        ? Console.log(result)
        : Effect.zipRight(note(...notesOn(transcript)), Console.log(result))
    )
  }).pipe(Effect.scoped)

/** What decides the pieces of a command and their transcripts. */
const jobOf = ({ hotwords, model, operands: files, parseNumber, pieceMinutes }: Given<"transcribe">) =>
  Effect.map(SpeechToText, ({ baseUrl }) => [
    ...["transcribe", baseUrl, files.map(recordingOf)],
    ...[model, hotwords, parseNumber, pieceMinutes ?? defaultPieceMinutes]
  ])

/** The output of one recording. */
const resultOf = (transcript: Transcript, format: TranscriptFormat): Effect.Effect<string> => {
  if (format === "json") return Effect.succeed(JSON.stringify(Json.ofTranscript(transcript)))
  if (!isSubtitles(format) || !("segments" in transcript)) return Effect.succeed(transcript.text)
  return Effect.map(
    Effect.promise(() => import("@effect-speech/long-form/Subtitles")),
    ({ layout, toSrt, toVtt }) => {
      const cues = endingWith(layout(transcript.segments), transcript.durationMillis)
      return (format === "srt" ? toSrt : toVtt)(cues).trimEnd()
    }
  )
}

const write = (outputs: ReadonlyMap<string, string>, file: string, format: TranscriptFormat, transcript: Transcript) =>
  Effect.flatMap(resultOf(transcript, format), (result) => writeText(outputs.get(file) ?? "", `${result}\n`))

const displayName = (file: string): string => (file === "-" ? "standard input" : file)

/** Programs differ in the characters that end a line. */
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/

/** One pattern for the spaces around a line break would take seconds for a text of many spaces. */
const onOneLine = (text: string): string =>
  text.replace(/[\s\u0085]+/g, (spaces) => (lineBreak.test(spaces) ? " " : spaces))

/** What to print on standard error beside the text. */
export const notesOn = ({ text, warnings }: Transcript): ReadonlyArray<string> => [
  ...warnings.map(describeWarning),
  ...(text === "" && !warnings.some(({ _tag }) => _tag === "NothingRecognised" || _tag === "NothingButSilence")
    ? ["Nothing was recognised in the recording."]
    : [])
]

/** Several recordings: each has its line, in the order given, and a failure of one does not stop the others. */
const transcribeAll = (
  given: Given<"transcribe">,
  transcribeFile: TranscribeFile,
  progress: Progress.Progress,
  outputs?: ReadonlyMap<string, string>
): Effect.Effect<void, AlreadyReported, PieceStore | FileSystem> =>
  Effect.gen(function* () {
    const { concurrency, operands: files } = given
    const json = outputs === undefined ? formatOf(given) === "json" : given.json
    let failed = 0
    let skipped = 0
    let code: number = ExitCode.done
    const notes = new Notes()

    const printOutcome = (file: string, outcome: Outcome<Transcript, Failure>) => {
      const name = displayName(file)
      const output = outputs?.get(file)
      const printJson = (facts: object) => Console.log(Json.stringify({ file: name, ...facts }))
      if (outcome === "skipped") {
        skipped += 1
        return json ? printJson({ error: notTried }) : Effect.void
      }
      return Either.match(outcome, {
        onRight: (transcription) => {
          if (json) return printJson({ output, ...Json.ofTranscript(transcription) })
          notes.add(name, notesOn(transcription))
          if (output !== undefined) return unlessQuiet(Console.error(`${output}: the transcript of ${name}`))
          return Console.log(`${Printable.line(name)}: ${onOneLine(transcription.text)}`)
        },
        onLeft: (error) => {
          failed += 1
          if (code === ExitCode.done) code = exitCodeOf(error)
          return json ? printJson({ error }) : say(`${name}: ${describeFailure(error)}`)
        }
      })
    }

    yield* Effect.gen(function* () {
      const job = yield* progress.job("transcribe")
      const total = files.length
      const show = (done: number) => job.show({ done, total, amount: `${done} of ${plural(total, "recording")}` }, 0)
      yield* show(0)
      yield* Stream.runForEach(
        Stream.zipWithIndex(attemptEach(files, transcribeFile, concurrency)),
        ([[file, outcome], index]) =>
          Effect.zipRight(progress.withoutLines(Effect.suspend(() => printOutcome(file, outcome))), show(index + 1))
      )
    }).pipe(Effect.scoped)
    yield* notes.say
    if (failed === 0) return
    yield* say(...failedOf(failed, files.length, skipped))
    return yield* new AlreadyReported({ code })
  })
