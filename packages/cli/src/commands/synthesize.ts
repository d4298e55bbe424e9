/**
 * `speech synthesize`: speaks a text into a WAV file, or as one to standard output.
 */
import { closeSync, constants, createReadStream, fstatSync, openSync } from "node:fs"
import { Socket } from "node:net"
import type { Readable } from "node:stream"
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as NodeTransport from "@effect-speech/transport/node"
import { type SpeechStream, TextToSpeech } from "@effect-speech/tts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { textToSpeech } from "../clients.js"
import type { Given } from "../declaration.js"
import { describeWarning, InputFailed, OutputFailed, systemCode, UsageError } from "../failure.js"
import { checkOutput, isSameFile, writeFailed } from "../output.js"
import * as Progress from "../progress.js"

/** In bytes. Many times what the service takes, so that a text somewhat too long still fails with its exact length. */
const largestText = 1024 * 1024

/**
 * Opens a text. For a pipe it waits as for a connection: in a thread of Node, as for a file, Ctrl-C could not end the wait for
 * a writer.
 */
const openText = (file: string): Readable => {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (fstatSync(descriptor).isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false })
    closeSync(descriptor)
  } catch {
    // The stream reports it.
  }
  return createReadStream(file)
}

/** The whole of a text file or of standard input, without the line break at its end. */
const readText = (file: string) =>
  Effect.gen(function* () {
    const name = file === "-" ? "Standard input" : file
    const fail = (problem: string) => new InputFailed({ message: `${name} ${problem}` })
    const bytes = NodeStream.fromReadable<InputFailed, Uint8Array>(
      () => (file === "-" ? process.stdin : openText(file)),
      (error) => {
        const code = systemCode(error)
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

const resolveText = ({ operands: [text], textFile }: Given<"synthesize">) => {
  const refuse = (message: string) => Effect.fail(new UsageError({ message }))
  if (text !== undefined && textFile !== undefined) return refuse("There are two texts: give TEXT or --text-file.")
  if (textFile !== undefined) return readText(textFile)
  if (text === undefined) return refuse("There is nothing to say: give TEXT or --text-file (- for standard input).")
  // In other commands a dash is standard input, and a dash alone is not worth speaking.
  return text === "-"
    ? refuse("The text is a dash: to speak standard input, give --text-file -.")
    : Effect.succeed(text)
}

const check = ({ json, out, textFile }: Given<"synthesize">): Effect.Effect<void, UsageError> => {
  const refuse = (message: string) => new UsageError({ message })
  if (out === "-" && json) return refuse("--out - writes audio to standard output, where --json can't write too.")
  if (out === "-" && process.stdout.isTTY) {
    return refuse("--out - would write audio to the terminal: give a file, or a | command.")
  }
  if (textFile !== undefined && isSameFile(textFile, out)) {
    return refuse("--out is the file of --text-file: the audio would replace the text.")
  }
  return Effect.void
}

const printWarnings = ({ warnings }: SpeechStream): Effect.Effect<void> =>
  Effect.forEach(warnings, (warning) => Console.error(`speech: ${describeWarning(warning)}`), { discard: true })

export const synthesize = (given: Given<"synthesize">) =>
  Effect.gen(function* () {
    yield* check(given)
    const { g2pOverrides, json, lang, numStep, out, outputFormat, requestId, speed, voice } = given
    const text = yield* resolveText(given)
    if (out !== "-") yield* checkOutput(out)
    const progress = yield* Progress.make(process.stderr)
    const line = yield* progress.line(out === "-" ? "standard output" : out)
    const tts = yield* TextToSpeech
    const speech = yield* tts.stream(
      { text, lang, voice, outputFormat, speed, numStep, g2pOverrides, requestId },
      { onEvent: line.onEvent }
    )
    if (out === "-") {
      const stdout = NodeSink.fromWritable(
        () => process.stdout,
        (error) => new OutputFailed({ message: `Standard output can't be written (${systemCode(error)}).` }),
        { endOnDone: false }
      )
      // The reader of the audio may print to the same terminal.
      return yield* progress.withoutLines(
        Effect.zipRight(Stream.run(Wav.encodeStream(speech), stdout), printWarnings(speech))
      )
    }
    const audio = { ...speech, stream: line.receiving(speech.stream, speech.byteLength) }
    const file = yield* Wav.writeFile(audio, out).pipe(
      Effect.catchTags({
        BadArgument: (error) => writeFailed(out, error),
        SystemError: (error) => writeFailed(out, error)
      })
    )
    yield* progress.withoutLines(
      json
        ? Console.log(
            JSON.stringify({
              ...file,
              requestId: speech.requestId,
              warnings: speech.warnings,
              call: yield* speech.call
            })
          )
        : Effect.zipRight(
            printWarnings(speech),
            Console.error(
              `${file.path}: ${(file.durationMillis / 1000).toFixed(2)} s, ${AudioFormat.describe(file.format)}, request ${speech.requestId}`
            )
          )
    )
  }).pipe(Effect.scoped, Effect.provide(textToSpeech(given)), Effect.provide(NodeTransport.layer))
