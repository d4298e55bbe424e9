import * as NodeStream from "@effect/platform-node/NodeStream"
import { AudioSource, SpeechToText, type SttError, type Transcription } from "@effect-speech/stt"
import type { Hotword } from "@effect-speech/stt/SttContract"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { speechToText } from "./clients.js"
import * as ExitCode from "./exitCode.js"
import { AlreadyTold, inOwnWords, inWords, UsageError } from "./failure.js"
import { standardStream } from "./options.js"
import * as Progress from "./progress.js"

/** The last colon counts, and only before a number: phrases hold colons too. */
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

export interface TranscribeOptions {
  readonly files: ReadonlyArray<string>
  readonly model: string
  readonly aux: boolean
  readonly parseNumber: boolean
  readonly hotwords: ReadonlyArray<string>
  readonly transactionId: Option.Option<string>
  readonly telephony: boolean
  readonly concurrency: number
  readonly timeout: Option.Option<number>
  readonly allowInsecureHttp: boolean
  readonly json: boolean
}

const check = ({ files, transactionId }: TranscribeOptions): Effect.Effect<void, UsageError> => {
  const refuse = (message: string) => new UsageError({ message })
  if (files.length > 1 && Option.isSome(transactionId)) {
    return refuse("--transaction-id is the id of one request, and there are several recordings.")
  }
  if (files.filter((file) => file === standardStream).length > 1) return refuse("Standard input can be sent but once.")
  return Effect.void
}

export const transcribe = (given: TranscribeOptions) =>
  Effect.gen(function* () {
    yield* check(given)
    const progress = yield* Progress.make(process.stderr)
    const stt = yield* SpeechToText
    const transcribeFile = (file: string) =>
      Effect.gen(function* () {
        const { onEvent } = yield* progress.line(nameOf(file))
        return yield* stt.transcribe(
          {
            audio: file === standardStream ? standardInput : AudioSource.fromPath(file),
            model: given.model,
            transactionId: Option.getOrUndefined(given.transactionId),
            aux: given.aux ? true : undefined,
            parseNumber: given.parseNumber ? true : undefined,
            hotwords: given.hotwords.length === 0 ? undefined : given.hotwords.map(toHotword),
            telephony: given.telephony ? true : undefined
          },
          { onEvent }
        )
      }).pipe(Effect.scoped)

    const [only, ...others] = given.files
    if (only !== undefined && others.length === 0) {
      const transcription = yield* transcribeFile(only)
      return yield* progress.aside(
        given.json
          ? Console.log(JSON.stringify(transcription))
          : Effect.zipRight(
              Effect.forEach(remarksOn(transcription), (remark) => Console.error(`speech: ${remark}`), {
                discard: true
              }),
              Console.log(shown(transcription.text))
            )
      )
    }
    yield* each(given, transcribeFile, progress)
  }).pipe(Effect.scoped, Effect.provide(speechToText(given)), Effect.provide(NodeTransport.layer))

const nameOf = (file: string): string => (file === standardStream ? "standard input" : file)

/** A terminal would obey control characters of a transcript; of a file or a pipe the text is what was said. */
const shown = (text: string): string => (process.stdout.isTTY === true ? text.replace(/(?![\n\t])\p{Cc}/gu, "") : text)

/** Of several recordings each has a line, whatever is in a name or a text. */
const onOneLine = (line: string): string => line.replace(/\s*[\r\n]+\s*/g, " ")

/** What a person is told besides the text. */
const remarksOn = ({ text, warnings }: Transcription): ReadonlyArray<string> => [
  ...warnings.map(({ message }) => inOwnWords(message)),
  ...(text === "" ? ["Nothing was recognised in the recording."] : [])
]

/** Failures of the account: the next recording would fail alike, and each would be sent whole to learn it. */
const concernsAll = (error: SttError): boolean =>
  ["SttUnauthorized", "SttCreditExhausted", "SttForbidden", "SttInvalidApiKey"].includes(error._tag)

/** Several recordings: each has its line, in the order given, and a failure of one does not stop the others. */
const each = (
  { concurrency, files, json }: TranscribeOptions,
  transcribeFile: (file: string) => Effect.Effect<Transcription, SttError>,
  progress: Progress.Progress
): Effect.Effect<void, AlreadyTold> =>
  Effect.gen(function* () {
    let hopeless = false
    let failed = 0
    let skipped = 0
    let code: number = ExitCode.done
    // Recordings of one archive are alike, and so is what is to say of them.
    const remarks = new Map<string, { readonly first: string; readonly count: number }>()

    const attempt = (file: string) =>
      Effect.suspend(() => {
        if (hopeless) return Effect.succeed(Option.none())
        return transcribeFile(file).pipe(
          Effect.tapError((error) =>
            Effect.sync(() => {
              hopeless = hopeless || concernsAll(error)
            })
          ),
          Effect.either,
          Effect.asSome
        )
      })

    const tell = (file: string, outcome: Option.Option<Either.Either<Transcription, SttError>>) => {
      const name = nameOf(file)
      if (Option.isNone(outcome)) {
        skipped += 1
        const message = "It was not sent: the account's failure before would be its own."
        return json ? Console.log(JSON.stringify({ file: name, error: { _tag: "NotTried", message } })) : Effect.void
      }
      return Either.match(outcome.value, {
        onRight: (transcription) => {
          if (json) return Console.log(JSON.stringify({ file: name, ...transcription }))
          for (const remark of remarksOn(transcription)) {
            const { count, first } = remarks.get(remark) ?? { first: name, count: 0 }
            remarks.set(remark, { first, count: count + 1 })
          }
          return Console.log(onOneLine(`${name}: ${shown(transcription.text)}`))
        },
        onLeft: (error) => {
          failed += 1
          if (code === ExitCode.done) code = ExitCode.ofServiceError(error)
          return json
            ? Console.log(JSON.stringify({ file: name, error }))
            : Console.error(onOneLine(`speech: ${name}: ${inWords(error)}`))
        }
      })
    }

    yield* Stream.fromIterable(files).pipe(
      Stream.mapEffect((file) => Effect.map(attempt(file), (outcome) => ({ file, outcome })), { concurrency }),
      Stream.runForEach(({ file, outcome }) => progress.aside(Effect.suspend(() => tell(file, outcome))))
    )
    for (const [remark, { count, first }] of remarks) {
      const others = count === 1 ? "" : ` and ${count - 1} more`
      yield* Console.error(`speech: ${first}${others}: ${remark}`)
    }
    if (failed === 0) return
    const rest = skipped === 0 ? "" : `, and ${skipped} were not sent, since they would fail alike`
    yield* Console.error(`speech: ${failed} of ${files.length} recordings failed${rest}.`)
    return yield* new AlreadyTold({ code })
  })
