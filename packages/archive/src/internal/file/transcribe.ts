import { basename, join } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import { type AudioDecoder, canDecode, decodeFile } from "@effect-speech/audio-codec/AudioDecoder"
import * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import type { Header } from "@effect-speech/audio-codec/Container"
import * as Printable from "@effect-speech/common/Printable"
import * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import * as SegmentReader from "@effect-speech/long-form/SegmentReader"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import type { Billing, CallReport } from "@effect-speech/transport/CallReport"
import { billingOf, isRefusal } from "@effect-speech/transport/unstable/Report"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Transcribe } from "../../Operation.js"
import type { Format, TranscriptionResult } from "../../Output.js"
import * as Money from "../model/money.js"
import { runInvalid } from "../runInvalid.js"
import type { Done } from "../store/Store.js"
import { type FileProblem, settle } from "./failure.js"
import type { Job, Worker } from "./job.js"
import * as Pieces from "./pieces.js"
import { type Looked, look, problem, read, readHeader } from "./verify.js"

/**
 * Transcribes recordings. One above `pieceMillis` is sent in pieces, and so is one whose subtitles are written, since their times
 * are needed. The pieces are kept until the file is done.
 *
 * WAV needs no decoder. Provide an `AudioDecoder` to cut recordings in other containers. Without one, a recording that is long, or
 * of unknown length, is sent whole with the warning `SentWhole`, and a run that needs times does not start.
 *
 * @example
 * ```ts
 * import { Archive, Worker } from "@effect-speech/archive"
 * import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
 * import { Layer } from "effect"
 *
 * const archive = Archive.layerEmbedded({ path: "transcripts/archive.db", workers: [Worker.transcription] })
 * export const layer = Layer.provide(archive, AudioDecoder.layerWav)
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const transcription: Worker<SpeechToText | AudioDecoder | FileSystem.FileSystem> = {
  operation: "Transcribe",
  cost: (job) =>
    Effect.map(Effect.either(lookAt(job)), (looked) =>
      looked._tag === "Right"
        ? costOf(job, looked.right)
        : looked.left.concern === "process"
          ? costOf(job, { container: undefined, durationMillis: undefined })
          : Money.nothing
    ),
  measure: (job) =>
    lookAt(job).pipe(
      Effect.flatMap((header) =>
        Effect.map(decodedMillis(pathOf(job)), (durationMillis) => costOf(job, { ...header, durationMillis }).most)
      ),
      Effect.orElseSucceed(() => undefined)
    ),
  check: (item, settings) =>
    Effect.gen(function* () {
      if (!needsTimes(settings.output.format) || (yield* Effect.every(containers, canDecode))) return
      const path = join(settings.root, item.path)
      const { container } = yield* Effect.orElseSucceed(readHeader(path, item.size), () => ({ container: undefined }))
      if (container === undefined || (yield* canDecode(container))) return
      return yield* runInvalid({
        field: "output.format",
        problem: Printable.line(
          `can't be ${settings.output.format}: ${path} is no WAV, and a decoder must cut it for its times. Provide NodeAudioDecoder.layer of @effect-speech/audio-decoder; or convert the recording to WAV; or choose txt or json`
        )
      })
    }),
  call: (job) => {
    const { operation } = job.settings
    return settle(job, (tally) =>
      operation._tag === "Transcribe"
        ? transcribe(job, operation, tally)
        : Effect.dieMessage("A transcription was given the file of another operation.")
    )
  }
}

const pathOf = ({ file, settings }: Job): string => join(settings.root, file.path)

const longestPiece = 300_000

const isLong = (durationMillis: number | undefined, pieceMillis: number): boolean =>
  durationMillis === undefined || durationMillis > pieceMillis

/** The highest cost, with or without a decoder. */
const costOf = (
  { file: { size }, settings: { operation, output } }: Job,
  { container, durationMillis }: Pick<Header, "container" | "durationMillis">
): Money.Cost => {
  const pieceMillis = (operation._tag === "Transcribe" ? operation.pieceMillis : undefined) ?? longestPiece
  const mayBeCut = needsTimes(output.format) || isLong(durationMillis, pieceMillis)
  return Money.ofRecording({ size, container, durationMillis, pieceMillis: mayBeCut ? pieceMillis : undefined })
}

/** The duration of a recording, by its samples. */
const decodedMillis = (path: string) =>
  Effect.gen(function* () {
    const { format, stream } = yield* decodeFile(path)
    const bytes = yield* Stream.runFold(stream, 0, (sum, block) => sum + block.byteLength)
    return AudioFormat.durationMillis(format, bytes)
  }).pipe(Effect.scoped)

const containers = ["mp3", "m4a", "flac", "ogg", "webm"] as const

/** Whether what was found is a recording. */
const ofRecording =
  (job: Job) =>
  <Found extends Looked>(found: Effect.Effect<Found, FileProblem, FileSystem.FileSystem>) =>
    Effect.filterOrElse(
      found,
      ({ container }) => container !== undefined,
      () =>
        problem(
          "NotARecording",
          `${pathOf(job)} is neither WAV, nor MP3, M4A, FLAC, OGG or WebM. Nothing was sent. Convert it, or remove it, and run again.`
        )
    )

/** The header of the recording, which is the one that was listed. */
const lookAt = (job: Job) => ofRecording(job)(look(job.settings.root, job.file))

const transcribe = (
  job: Job,
  { _tag, pieceMillis = longestPiece, segmentFields, ...fields }: Transcribe,
  tally: Money.Tally
) =>
  Effect.gen(function* () {
    const header = yield* ofRecording(job)(read(job.settings.root, job.file))
    const path = pathOf(job)
    const audio = AudioSource.fromPath(path, { expected: header.version })
    const { container, durationMillis } = header
    const canCut = yield* canDecode(container)
    const reader = segmentFields === undefined ? SegmentReader.localService : SegmentReader.fields(segmentFields)
    const request = { ...fields, audio, aux: true, transactionId: job.file.callId }
    const mustCut = isLong(durationMillis, pieceMillis)
    const retryIfBilled = job.settings.unanswered === "repeat"
    // It could not be measured: see `measure`.
    if (durationMillis === undefined && job.file.reserved === 0) return yield* lengthUnknown(job)
    if (needsTimes(job.settings.output.format) || (canCut && mustCut)) {
      return yield* inPieces(request, job, { maximum: pieceMillis, retryIfBilled, segments: reader }, tally)
    }
    tally.begun(
      1,
      job.file.reserved ?? Money.ofRecording({ size: job.file.size, ...header, pieceMillis: undefined }).most
    )
    const { bytes } = header
    const inMemory = bytes === undefined ? audio : AudioSource.fromBytes(bytes, { filename: basename(path) })
    return yield* whole(
      { ...request, audio: inMemory },
      { durationMillis, reader, retryIfBilled, tags: mustCut ? [sentWhole] : [] },
      tally
    )
  })

const lengthUnknown = (job: Job) =>
  problem(
    "LengthUnknown",
    `${pathOf(job)} states no length, and no decoder could measure it, so the limit of credits can't be kept. Nothing was sent. Convert it to WAV and run again, or run again without maxCredits and retry the files of this tag.`
  )

const needsTimes = (format: Format): boolean => format === "srt" || format === "vtt"

type Request = LongTranscription.Request

/** The tag of the warning that a recording is longer than a piece, or of unknown length, and was sent whole without a decoder. */
const sentWhole = "SentWhole"

/** How many attempts may be billed. */
const unsure = (attempts: CallReport["attempts"]): number =>
  attempts.filter((attempt) => billingOf([attempt], () => true) === "unknown").length

interface Whole {
  readonly durationMillis: number | undefined
  readonly reader: SegmentReader.SegmentReader
  readonly retryIfBilled: boolean
  /** Warnings of the archive. */
  readonly tags: ReadonlyArray<string>
}

const whole = (request: Request, { durationMillis, reader, retryIfBilled, tags }: Whole, tally: Money.Tally) =>
  Effect.gen(function* () {
    const stt = yield* SpeechToText
    const { auxInfo, call, text, warnings } = yield* Effect.tapError(
      stt.transcribe(request, { retryIfBilled }),
      ({ call }) => Effect.sync(() => tally.repeated(1, Math.max(0, unsure(call.attempts) - 1)))
    )
    tally.repeated(1, unsure(call.attempts.slice(0, -1)))
    tally.paid(1)
    const readings = (auxInfo?.segments_meta ?? []).map(reader)
    const place = { startMillis: 0, endMillis: durationMillis ?? Number.MAX_SAFE_INTEGER }
    const { problem } = LongTranscription.segmentsOf(place, { auxInfo, text }, reader)
    // Times without a text say nothing, unless the text is that of the only segment.
    const segments = readings.flatMap((reading) =>
      reading === undefined || !Number.isFinite(reading.startMillis + reading.endMillis)
        ? []
        : [{ ...reading, text: reading.text ?? (readings.length === 1 ? text : "") }]
    )
    return done(
      {
        text,
        durationMillis,
        confidence: auxInfo?.confidence,
        segments: segments.map(({ confidence, endMillis, startMillis, text: words }) => ({
          start: Math.round(startMillis),
          end: Math.round(endMillis),
          text: words.trim(),
          confidence
        })),
        warnings: [...tagsOf(problem === "texts" ? [...warnings, { _tag: "SegmentTextsDiffer" }] : warnings), ...tags]
      },
      call.billing,
      tally.spent(call.billing)
    )
  })

const inPieces = (request: Request, job: Job, options: LongTranscription.Options, tally: Money.Tally) =>
  Effect.gen(function* () {
    /** By piece: its request was sent whole, and no response has refused it. */
    const isUnsure = new Map<number, boolean>()
    const count = (event: LongTranscription.Event) => {
      if (event._tag === "Started") tally.begun(event.number, Money.secondsOf(event.endMillis - event.startMillis))
      if (event._tag === "Done") tally.paid(event.number)
      if (event._tag !== "Called") return
      const { event: called, number } = event
      if (called._tag === "Waiting") isUnsure.set(number, true)
      if (called._tag === "Answered" && isRefusal(called.status)) isUnsure.delete(number)
      if (called._tag === "Retrying" && isUnsure.delete(number)) tally.repeated(number)
    }
    // A run repeats its files after an outage, so that a piece need not wait for the end of one.
    const { confidence, durationMillis, pieces, segments, text, warnings } = yield* LongTranscription.transcribe(
      request,
      {
        ...options,
        outage: "1 second",
        onEvent: (event) => Effect.sync(() => count(event))
      }
    )
    const paid = pieces.filter(({ source }) => source !== "silence")
    const billings = paid.map(({ call }) => call?.billing)
    const settlement = done(
      {
        text,
        durationMillis,
        confidence,
        segments: segments.map(({ confidence: sure, endMillis, startMillis, text: words }) => ({
          start: startMillis,
          end: endMillis,
          text: words,
          confidence: sure
        })),
        warnings: tagsOf(warnings)
      },
      billings.length === 0 ? "notBilled" : billings.every((billing) => billing === "billed") ? "billed" : "unknown",
      tally.spent("notBilled")
    )
    const keptCredits = Money.ofKept(
      paid.map(({ endMillis, source, startMillis, transactionId }) => ({
        call: transactionId,
        credits: Money.secondsOf(endMillis - startMillis),
        isSent: source === "sent"
      }))
    )
    return { ...settlement, inPieces: true, keptCredits, ...(!tally.isBegun() && { notReached: true }) }
  }).pipe(Effect.provide(Pieces.layer(job)))

const tagsOf = (warnings: ReadonlyArray<{ readonly _tag: string }>) => [...new Set(warnings.map(({ _tag }) => _tag))]

/** A service need not say that it recognised nothing. An empty transcript has a warning all the same. */
const done = (result: typeof TranscriptionResult.Encoded, billing: Billing, credits: number): Done => ({
  _tag: "Done",
  result:
    result.text.trim() !== "" ||
    result.warnings.some((tag) => tag === "NothingRecognised" || tag === "NothingButSilence")
      ? result
      : { ...result, warnings: [...result.warnings, "NothingRecognised"] },
  billing,
  credits
})
