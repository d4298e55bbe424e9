import { createReadStream } from "node:fs"
import { resolve } from "node:path"
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as NodeTransport from "@effect-speech/transport/node"
import { type SpeechStream, TextToSpeech } from "@effect-speech/tts"
import type { OutputFormat } from "@effect-speech/tts/TtsContract"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { textToSpeech } from "./clients.js"
import { codeOf, InputFailed, OutputFailed, UsageError } from "./failure.js"
import { standardStream } from "./options.js"
import { checkOutput, writeProblem } from "./output.js"
import * as Progress from "./progress.js"

/** In bytes: many times what the service takes of a text, so that one too long is still counted and told by its length. */
const largestText = 1024 * 1024

/** Everything that a text file or standard input holds, less the line break at its end. */
const readText = (file: string) =>
  Effect.gen(function* () {
    const name = file === standardStream ? "Standard input" : file
    const fail = (problem: string) => new InputFailed({ message: `${name} ${problem}` })
    const bytes = NodeStream.fromReadable<InputFailed, Uint8Array>(
      () => (file === standardStream ? process.stdin : createReadStream(file)),
      (error) => {
        const code = codeOf(error)
        return fail(code === "ENOENT" ? "does not exist; check the path." : `can't be read (${code}).`)
      }
    )
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const decode = (chunk?: Uint8Array) =>
      Effect.try({
        try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
        catch: () => fail("is not text in UTF-8.")
      })
    let length = 0
    const content = yield* Stream.runFoldEffect(bytes, "", (text, chunk) => {
      length += chunk.byteLength
      return length > largestText
        ? fail("is far longer than a text may be.")
        : Effect.map(decode(chunk), (more) => text + more)
    })
    return `${content}${yield* decode()}`.replace(/\r?\n$/, "")
  })

const textOf = (given: Option.Option<string>, file: Option.Option<string>) => {
  if (Option.isSome(given) && Option.isNone(file)) {
    // Other commands read standard input there, and nobody has a dash spoken.
    return given.value === "-"
      ? Effect.fail(new UsageError({ message: "The text is a dash: to speak standard input, give --text-file -." }))
      : Effect.succeed(given.value)
  }
  if (Option.isSome(file) && Option.isNone(given)) return readText(file.value)
  return Effect.fail(
    new UsageError({
      message: Option.isNone(file)
        ? "There is nothing to say: give a TEXT, or a --text-file (- for standard input)."
        : "There are two texts: give a TEXT or a --text-file."
    })
  )
}

export interface SynthesizeOptions {
  readonly text: Option.Option<string>
  readonly textFile: Option.Option<string>
  readonly out: string
  readonly lang: Option.Option<string>
  readonly voice: Option.Option<string>
  readonly outputFormat: Option.Option<OutputFormat>
  readonly speed: Option.Option<number>
  readonly numStep: Option.Option<number>
  readonly g2pOverrides: Option.Option<Readonly<Record<string, unknown>>>
  readonly requestId: Option.Option<string>
  readonly timeout: Option.Option<number>
  readonly allowInsecureHttp: boolean
  readonly json: boolean
}

export const synthesize = (given: SynthesizeOptions) =>
  Effect.gen(function* () {
    if (given.out === standardStream && given.json) {
      return yield* new UsageError({ message: "--out - puts audio on standard output, where --json can't be as well." })
    }
    if (given.out === standardStream && process.stdout.isTTY) {
      return yield* new UsageError({
        message: "--out - would write audio to the terminal: give a file, or a | command."
      })
    }
    if (Option.exists(given.textFile, (file) => file !== standardStream && resolve(file) === resolve(given.out))) {
      return yield* new UsageError({
        message: "--out is the file of --text-file: the audio would take the place of the text."
      })
    }
    const request = {
      text: yield* textOf(given.text, given.textFile),
      lang: Option.getOrUndefined(given.lang),
      voice: Option.getOrUndefined(given.voice),
      outputFormat: Option.getOrUndefined(given.outputFormat),
      speed: Option.getOrUndefined(given.speed),
      numStep: Option.getOrUndefined(given.numStep),
      g2pOverrides: Option.getOrUndefined(given.g2pOverrides),
      requestId: Option.getOrUndefined(given.requestId)
    }
    if (given.out !== standardStream) yield* checkOutput(given.out)
    const progress = yield* Progress.make(process.stderr)
    const line = yield* progress.line(given.out === standardStream ? "standard output" : given.out)
    const tts = yield* TextToSpeech
    const speech = yield* tts.stream(request, { onEvent: line.onEvent })
    if (given.out === standardStream) {
      const stdout = NodeSink.fromWritable(
        () => process.stdout,
        (error) => new OutputFailed({ message: `Standard output can't be written (${codeOf(error)}).` }),
        { endOnDone: false }
      )
      // What reads it may print to the same terminal.
      return yield* progress.aside(Effect.zipRight(Stream.run(Wav.encodeStream(speech), stdout), remarks(speech)))
    }
    const audio = { ...speech, stream: line.receiving(speech.stream, speech.byteLength) }
    const file = yield* Wav.writeFile(audio, given.out).pipe(
      Effect.catchTags({
        BadArgument: (error) => writeProblem(given.out, error),
        SystemError: (error) => writeProblem(given.out, error)
      })
    )
    yield* progress.aside(
      given.json
        ? Console.log(
            JSON.stringify({
              ...file,
              requestId: speech.requestId,
              warnings: speech.warnings,
              call: yield* speech.call
            })
          )
        : Effect.zipRight(
            remarks(speech),
            Console.error(
              `${file.path}: ${(file.durationMillis / 1000).toFixed(2)} s, ${AudioFormat.describe(file.format)}, request ${speech.requestId}`
            )
          )
    )
  }).pipe(Effect.scoped, Effect.provide(textToSpeech(given)), Effect.provide(NodeTransport.layer))

const remarks = ({ warnings }: SpeechStream): Effect.Effect<void> =>
  Effect.forEach(warnings, ({ message }) => Console.error(`speech: ${message}`), { discard: true })
