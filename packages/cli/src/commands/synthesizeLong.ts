/**
 * A long text of `speech synthesize`: its plan, and its audio from pieces.
 */
import { existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as LongSpeech from "@effect-speech/long-form/LongSpeech"
import * as Subtitles from "@effect-speech/long-form/Subtitles"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { CallsInFlight } from "../callsInFlight.js"
import { synthesisOf } from "../clients.js"
import { endingWith } from "../cues.js"
import { writeFailed } from "../fileFailure.js"
import { isLink, leadsTo } from "../fileIdentity.js"
import * as Json from "../json.js"
import { lockOutput } from "../lockFolder.js"
import { count, note, plural } from "../message.js"
import { relativeTo } from "../movedPath.js"
import { standardOutput, writeText } from "../output.js"
import { keepPieces } from "../pieces.js"
import * as Progress from "../progress.js"
import { describeLeft, describeWarning } from "../serviceFailure.js"
import type { SpokenText } from "../spokenText.js"
import { Tally } from "../tally.js"
import { printFile, type ToFile } from "../toFile.js"

/** All pieces have the id of one request. */
const requestOf = (given: ToFile, text: SpokenText) => {
  const request = synthesisOf(given, text)
  return { ...request, requestId: request.requestId ?? crypto.randomUUID() }
}

/** Prints the plan of a text. A text that is not divided is one request. */
export const printPlan = (given: ToFile, text: SpokenText, isDivided: boolean) =>
  Effect.gen(function* () {
    const whole = { maximumCodePoints: 10_000, firstCodePoints: 10_000 }
    const planned = yield* LongSpeech.plan(requestOf(given, text), isDivided ? {} : whole)
    // A text that is not divided is sent with the spaces around it.
    const plan = isDivided ? planned : { ...planned, cost: planned.codePoints }
    yield* Console.log(
      given.json
        ? JSON.stringify(plan)
        : `${plural(plan.pieces, "piece")}, ${plural(plan.codePoints, "code point")}. It costs at most ${plural(plan.cost, "code point")}.`
    )
  })

/** Shows the code points that are done. */
const showing =
  (job: Progress.JobLine, tally: Tally) =>
  (event: LongSpeech.Event): Effect.Effect<void> => {
    if (event._tag === "Started" || event._tag === "Called") return Effect.void
    if (event._tag === "Planned") tally.total = event.cost
    else tally.add(event.codePoints, event._tag === "Kept")
    return tally.show(
      job,
      (done, total) => `${count(done)}${total === undefined ? "" : ` of ${count(total)}`} code points`
    )
  }

/** A device, such as /dev/null, has no folder for pieces beside it. */
const isDevice = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isCharacterDevice() === true

const printWarnings = ({ pieces }: LongSpeech.Report): Effect.Effect<void> =>
  note(...new Set(pieces.flatMap(({ warnings }) => warnings.map(describeWarning))))

const writeSubtitles = (path: string, { durationMillis, segments }: LongSpeech.Report) => {
  const cues = endingWith(Subtitles.layout(segments), durationMillis)
  return writeText(path, /\.vtt$/i.test(path) ? Subtitles.toVtt(cues) : Subtitles.toSrt(cues))
}

/** Speaks a text of any length. The text is divided also if it is short. */
export const synthesizeLong = (given: ToFile, text: SpokenText) => {
  const { concurrency, json, out, pauses, pieces, subtitles } = given
  const request = requestOf(given, text)
  const folder = pieces ?? (out === "-" || given.isTemporary || isDevice(out) ? undefined : besideOf(out))
  const tally = new Tally()
  const work = Effect.gen(function* () {
    if (out !== "-" && !isDevice(out)) yield* lockOutput(out)
    const progress = yield* Progress.make(process.stderr, { json })
    const job = yield* progress.job(given.isTemporary ? "speech" : out === "-" ? "standard output" : out)
    const { finish } = yield* CallsInFlight
    const gracePeriod = folder === undefined ? undefined : finish(progress)
    const options = { concurrency, pauses, gracePeriod, onEvent: showing(job, tally) }
    if (out === "-") {
      const speech = yield* LongSpeech.stream(request, options)
      // The reader of the audio may print to the same terminal.
      yield* progress.withoutLines(Stream.run(Wav.encodeStream(speech), standardOutput))
      const report = yield* speech.report
      if (subtitles !== undefined) yield* writeSubtitles(subtitles, report)
      return yield* printWarnings(report)
    }
    const { report, ...file } = yield* LongSpeech.writeFile(request, out, options).pipe(
      Effect.catchTags({
        BadArgument: (error) => writeFailed(out, error),
        SystemError: (error) => writeFailed(out, error)
      })
    )
    if (subtitles !== undefined) yield* writeSubtitles(subtitles, report)
    yield* progress.withoutLines(
      printFile(given, file, {
        requestId: request.requestId,
        pieces: plural(report.pieces.length, "piece"),
        printWarnings: printWarnings(report),
        fields: { subtitles, ...Json.ofSpeech(report) }
      })
    )
  })
  const { requestId: _, ...content } = request
  return Effect.flatMap(TextToSpeech, ({ baseUrl }) =>
    keepPieces(
      {
        folder,
        job: ["synthesize", out === "-" || folder === undefined ? out : nameIn(folder, out), baseUrl, content],
        files: filesOf(given),
        rest: () => describeLeft({ leftCodePoints: tally.left })
      },
      Effect.scoped(work)
    )
  )
}

/** An output for its folder of pieces. It is the same after a folder above both was renamed. */
const nameIn = (folder: string, out: string): string => {
  const file = leadsTo(out)
  return relativeTo(dirname(leadsTo(folder)), file) ?? file
}

const filesOf = ({ out, pieces, subtitles, textFile }: ToFile) =>
  Object.entries({ "--text-file": textFile, "--out": out, "--subtitles": subtitles, "--pieces": pieces }).flatMap(
    ([option, path]): ReadonlyArray<readonly [string, string]> =>
      path === undefined || path === "-" ? [] : [[option, leadsTo(path)]]
  )

/** The folder for pieces beside a file, the same for each link to it. An earlier version made it beside the link. */
const besideOf = (out: string): string => {
  const beside = `${out}.pieces`
  return existsSync(beside) || !isLink(out) ? beside : `${leadsTo(out)}.pieces`
}
