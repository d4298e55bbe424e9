/**
 * `speech synthesize`: speaks a text into a WAV file, or as one to standard output.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { type SpeechStream, TextToSpeech } from "@effect-speech/tts"
import { codePoints } from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { followTextToSpeech, sayingStopped } from "../callsInFlight.js"
import { checkOutput } from "../checkOutput.js"
import { synthesisOf, textToSpeech } from "../clients.js"
import { autoLang } from "../declaration/speaking.js"
import type { Given } from "../declaration.js"
import { type InputFailed, refuse, type UsageError } from "../failure.js"
import { audioLost } from "../fileFailure.js"
import { isSameFile, isSameOutput } from "../fileIdentity.js"
import { lockOf } from "../fileLock.js"
import { note } from "../message.js"
import { checkStandardOutput, standardOutput } from "../output.js"
import { findPlayer, play } from "../player.js"
import * as Progress from "../progress.js"
import { readText } from "../readText.js"
import { describeWarning } from "../serviceFailure.js"
import type { SpokenText } from "../spokenText.js"
import { printFile, type ToFile } from "../toFile.js"

const readGiven = ({ operands: [text], textFile }: ToFile): Effect.Effect<string, UsageError | InputFailed> => {
  if (text !== undefined && textFile !== undefined) return refuse("There are two texts: give TEXT or --text-file.")
  if (textFile !== undefined) return readText(textFile)
  if (text === undefined)
    return refuse("There is nothing to say: give TEXT or --text-file FILE. To speak standard input: --text-file -")
  // In other commands a dash is standard input, and a dash alone is not worth speaking.
  return text === "-"
    ? refuse("The text is a dash: to speak standard input, give --text-file -.")
    : Effect.succeed(text)
}

/** Whether a text has letters, and all are Latin. */
const isLatin = (text: string): boolean => /\p{L}/u.test(text) && !/[^\P{L}\p{Script=Latin}]/u.test(text)

/** The text, with its language. `--lang auto` says on standard error what it found. */
const resolveText = (given: ToFile) =>
  Effect.gen(function* () {
    const text = yield* readGiven(given)
    const { lang } = given
    if (lang === undefined && !given.json && isLatin(text)) {
      yield* note(
        "The text is in Latin script, and is spoken as Hindi. For English, give --lang en; to decide by the script, --lang auto."
      )
    }
    if (lang !== autoLang) return { text, lang }
    const { byScript, languagesOf } = yield* Effect.promise(() => import("../spokenText.js"))
    const spoken = byScript(text)
    const found = languagesOf(spoken)
    yield* note(
      found.length === 0
        ? "The text has no letter of a known script: it is spoken in the language of the service's default."
        : `${found.length === 1 ? "Language" : "Languages"} by script: ${found.join(", ")}.`
    )
    return spoken
  })

const check = ({ json, out, pieces, subtitles, textFile }: ToFile): Effect.Effect<void, UsageError> => {
  if (out === "-" && json) return refuse("--out - writes audio to standard output, where --json can't write too.")
  if (out === "-" && process.stdout.isTTY) {
    return refuse("--out - would write audio to the terminal: give a file, or a | command.")
  }
  if (textFile !== undefined && isSameFile(textFile, out)) {
    return refuse("--out is the file of --text-file: the audio would replace the text.")
  }
  if (subtitles !== undefined) {
    if (!/\.(srt|vtt)$/i.test(subtitles)) return refuse("--subtitles needs a name that ends in .srt or .vtt.")
    if (isSameOutput(subtitles, out)) return refuse("--subtitles is the file of --out: give another name.")
    if (textFile !== undefined && isSameFile(textFile, subtitles)) {
      return refuse("--subtitles is the file of --text-file: the subtitles would replace the text.")
    }
  }
  for (const [option, file] of [
    ["--out", out],
    ["--subtitles", subtitles]
  ] as const) {
    if (pieces !== undefined && file !== undefined && file !== "-" && isSameOutput(pieces, file)) {
      return refuse(`--pieces is the folder for pieces, and ${option} the file: give another name.`)
    }
  }
  return Effect.void
}

/** Kinds of files that a WAV file is not. A name without an extension, or with an unknown one, says nothing. */
const otherAudio =
  /\.(?:3gp|aac|ac3|aif|aifc|aiff|amr|ape|au|avi|caf|flac|gsm|m4a|m4b|mka|mkv|mov|mp2|mp3|mp4|oga|ogg|opus|pcm|raw|spx|ulaw|vox|webm|wma|wv)$/i
const otherText = /\.(?:csv|html|json|md|srt|txt|vtt)$/i

/** Refuses a name that says another format than what is written. */
const checkName = ({ out }: ToFile): Effect.Effect<void, UsageError> => {
  if (!otherAudio.test(out) && !otherText.test(out)) return Effect.void
  const conversion = otherAudio.test(out) ? `, or convert it: speech synthesize … --out - | ffmpeg -i - ${out}` : "."
  return refuse(
    `--out ${out} has the extension of another format, and it would be a WAV file: end its name in .wav${conversion}`
  )
}

const printWarnings = ({ warnings }: SpeechStream): Effect.Effect<void> => note(...warnings.map(describeWarning))

/** The longest text of one request, in code points. */
const longestRequest = 10_000

/** Whether the text is sent in one request: not if it is too long for that, if it has several languages, or if an option of pieces is given. */
const isWhole = ({ pauses, pieces, subtitles }: ToFile, spoken: SpokenText): spoken is SpokenText<string> =>
  typeof spoken.text === "string" &&
  [pauses, pieces, subtitles].every((option) => option === undefined) &&
  !isTooLong(spoken.text)

const isTooLong = (text: string): boolean => text.length > longestRequest && codePoints(text) > longestRequest

const plan = (given: ToFile) =>
  Effect.gen(function* () {
    yield* checkName(given)
    const text = yield* resolveText(given)
    const { printPlan } = yield* Effect.promise(() => import("./synthesizeLong.js"))
    yield* printPlan(given, text, !isWhole(given, text))
  })

const speak = (given: ToFile) =>
  Effect.gen(function* () {
    const { out, subtitles } = given
    const text = yield* resolveText(given)
    yield* out === "-" ? checkStandardOutput : checkOutput(out)
    yield* checkName(given)
    if (subtitles !== undefined) yield* checkOutput(subtitles, "--subtitles")
    if (isWhole(given, text)) {
      // The lock needs a database, so it is only taken if another command has it.
      if (out !== "-" && existsSync(lockOf(out))) {
        const { lockOutput } = yield* Effect.promise(() => import("../lockFolder.js"))
        yield* lockOutput(out)
      }
      return yield* synthesizeWhole(given, text)
    }
    const { synthesizeLong } = yield* Effect.promise(() => import("./synthesizeLong.js"))
    yield* synthesizeLong(given, text)
  }).pipe(
    Effect.scoped,
    sayingStopped,
    Effect.provide(followTextToSpeech(textToSpeech(given))),
    Effect.provide(NodeTransport.layer)
  )

const spoken = (given: ToFile) => Effect.zipRight(check(given), given.dryRun ? plan(given) : speak(given))

export const synthesize = (given: Given<"synthesize">) => {
  const { dryRun, out, outputFormat } = given
  if (!given.play) return spoken({ ...given, out: out ?? "-", isTemporary: false })
  if (out === "-") return refuse("--play plays a file: with --out - give the audio to your player, by a | command.")
  if (dryRun) return spoken({ ...given, out: out ?? "speech.wav", isTemporary: out === undefined })
  return Effect.gen(function* () {
    const player = yield* findPlayer(outputFormat)
    const fs = yield* FileSystem.FileSystem
    const file =
      out ?? join(yield* Effect.orDie(fs.makeTempDirectoryScoped({ prefix: "effect-speech-" })), "speech.wav")
    yield* spoken({ ...given, out: file, isTemporary: out === undefined })
    yield* play(player, file)
  }).pipe(Effect.scoped)
}

/** Speaks a text in one request. */
const synthesizeWhole = (given: ToFile, text: SpokenText<string>) =>
  Effect.gen(function* () {
    const { json, out } = given
    const progress = yield* Progress.make(process.stderr, { json })
    const line = yield* progress.line(given.isTemporary ? "speech" : out === "-" ? "standard output" : out)
    const tts = yield* TextToSpeech
    const speech = yield* tts.stream(synthesisOf(given, text), { onEvent: line.onEvent })
    if (out === "-") {
      // The reader of the audio may print to the same terminal.
      return yield* progress.withoutLines(
        Effect.zipRight(Stream.run(Wav.encodeStream(speech), standardOutput), printWarnings(speech))
      )
    }
    const { requestId, warnings } = speech
    const file = yield* Wav.writeFile(line.receiving(speech), out).pipe(
      Effect.catchTags({
        BadArgument: (error) => audioLost(out, error),
        SystemError: (error) => audioLost(out, error)
      })
    )
    const fields = { warnings, call: yield* speech.call }
    yield* progress.withoutLines(printFile(given, file, { requestId, printWarnings: printWarnings(speech), fields }))
  }).pipe(Effect.scoped)
