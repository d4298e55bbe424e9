/**
 * `speech transcribe`: prints what is said in recordings.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { AudioSource, SpeechToText, type SttError, type Transcription } from "@effect-speech/stt"
import type { Hotword } from "@effect-speech/stt/SttContract"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Printable from "@effect-speech/transport/Printable"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { speechToText } from "../clients.js"
import type { Given } from "../declaration.js"
import * as ExitCode from "../exitCode.js"
import { AlreadyReported, describeServiceError, describeWarning, UsageError } from "../failure.js"
import * as Progress from "../progress.js"

/** Reads `PHRASE[:SCORE]`. The last colon counts, and only before a number: phrases contain colons too. */
export const toHotword = (text: string): Hotword => {
  const scored = /^(.+):(-?\d+(?:\.\d+)?)$/s.exec(text)
  return scored === null ? { phrase: text } : { phrase: scored[1] ?? "", score: Number(scored[2]) }
}

const standardInput = AudioSource.fromOneShotStream(
  NodeStream.fromReadable(
    () => process.stdin,
    () => "StandardInput"
  ),
  { filename: "stdin" }
)

const check = ({ operands: files, transactionId }: Given<"transcribe">): Effect.Effect<void, UsageError> => {
  const refuse = (message: string) => new UsageError({ message })
  if (files.length > 1 && transactionId !== undefined) {
    return refuse("--transaction-id is the id of one request, but there are several recordings.")
  }
  return files.filter((file) => file === "-").length > 1 ? refuse("Standard input can be sent only once.") : Effect.void
}

type TranscribeFile = (file: string) => Effect.Effect<Transcription, SttError>

export const transcribe = (given: Given<"transcribe">) =>
  Effect.gen(function* () {
    yield* check(given)
    const { hotwords, model, operands: files, transactionId } = given
    const progress = yield* Progress.make(process.stderr)
    const stt = yield* SpeechToText
    const transcribeFile: TranscribeFile = (file) =>
      Effect.gen(function* () {
        const { onEvent } = yield* progress.line(displayName(file))
        return yield* stt.transcribe(
          {
            audio: file === "-" ? standardInput : AudioSource.fromPath(file),
            model,
            transactionId,
            aux: given.aux ? true : undefined,
            parseNumber: given.parseNumber ? true : undefined,
            hotwords: hotwords.length === 0 ? undefined : hotwords.map(toHotword),
            telephony: given.telephony ? true : undefined
          },
          { onEvent }
        )
      }).pipe(Effect.scoped)

    const [only, ...others] = files
    if (only === undefined || others.length > 0) return yield* transcribeAll(given, transcribeFile, progress)
    const transcription = yield* transcribeFile(only)
    const printNotes = Effect.forEach(notesOn(transcription), (note) => Console.error(`speech: ${note}`))
    yield* progress.withoutLines(
      given.json
        ? Console.log(JSON.stringify(transcription))
        : Effect.zipRight(printNotes, Console.log(transcription.text))
    )
  }).pipe(Effect.scoped, Effect.provide(speechToText(given)), Effect.provide(NodeTransport.layer))

const displayName = (file: string): string => (file === "-" ? "standard input" : file)

/** Programs differ in what ends a line for them. */
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/

/** One pattern for the spaces around a line break would take seconds for a text of many spaces. */
const onOneLine = (text: string): string =>
  text.replace(/[\s\u0085]+/g, (spaces) => (lineBreak.test(spaces) ? " " : spaces))

/** What to print on standard error beside the text. */
const notesOn = ({ text, warnings }: Transcription): ReadonlyArray<string> => [
  ...warnings.map(describeWarning),
  ...(text === "" && !warnings.some(({ _tag }) => _tag === "NothingRecognised")
    ? ["Nothing was recognised in the recording."]
    : [])
]

type Outcome = "skipped" | Either.Either<Transcription, SttError>

/** Several recordings: each has its line, in the order given, and a failure of one does not stop the others. */
const transcribeAll = (
  { concurrency = 4, json, operands: files }: Given<"transcribe">,
  transcribeFile: TranscribeFile,
  progress: Progress.Progress
): Effect.Effect<void, AlreadyReported> =>
  Effect.gen(function* () {
    let isAccountRefused = false
    let failed = 0
    let skipped = 0
    let code: number = ExitCode.done
    // Recordings of one archive are alike, and so are their notes: each is printed once.
    const notes = new Map<string, { readonly firstFile: string; readonly count: number }>()

    const attempt = (file: string): Effect.Effect<Outcome> =>
      Effect.suspend((): Effect.Effect<Outcome> => {
        if (isAccountRefused) return Effect.succeed("skipped")
        const noticeRefusal = (error: SttError) =>
          Effect.sync(() => {
            // Each further recording would be sent whole, and fail the same way.
            isAccountRefused ||= error.category === "account"
          })
        return Effect.either(Effect.tapError(transcribeFile(file), noticeRefusal))
      })

    const printOutcome = (file: string, outcome: Outcome) => {
      const name = displayName(file)
      const printJson = (facts: object) => Console.log(JSON.stringify({ file: name, ...facts }))
      if (outcome === "skipped") {
        skipped += 1
        const message = "It was not sent: the service refused the account for an earlier recording."
        return json ? printJson({ error: { _tag: "NotTried", message } }) : Effect.void
      }
      return Either.match(outcome, {
        onRight: (transcription) => {
          if (json) return printJson(transcription)
          for (const note of notesOn(transcription)) {
            const { count, firstFile } = notes.get(note) ?? { firstFile: name, count: 0 }
            notes.set(note, { firstFile, count: count + 1 })
          }
          return Console.log(`${Printable.line(name)}: ${onOneLine(transcription.text)}`)
        },
        onLeft: (error) => {
          failed += 1
          if (code === ExitCode.done) code = ExitCode.ofServiceError(error)
          return json ? printJson({ error }) : Console.error(`speech: ${name}: ${describeServiceError(error)}`)
        }
      })
    }

    yield* Stream.fromIterable(files).pipe(
      Stream.mapEffect((file) => Effect.map(attempt(file), (outcome) => ({ file, outcome })), { concurrency }),
      Stream.runForEach(({ file, outcome }) => progress.withoutLines(Effect.suspend(() => printOutcome(file, outcome))))
    )
    for (const [note, { count, firstFile }] of notes) {
      const others = count === 1 ? "" : ` and ${count - 1} more`
      yield* Console.error(`speech: ${firstFile}${others}: ${note}`)
    }
    if (failed === 0) return
    const rest = skipped === 0 ? "" : `, and ${skipped} were not sent, since they would fail alike`
    yield* Console.error(`speech: ${failed} of ${files.length} recordings failed${rest}.`)
    return yield* new AlreadyReported({ code })
  })
