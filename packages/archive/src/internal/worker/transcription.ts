import { join } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import * as LongTranscription from "@effect-speech/long-form/LongTranscription"
import { PieceStore } from "@effect-speech/long-form/PieceStore"
import * as SegmentReader from "@effect-speech/long-form/SegmentReader"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import * as Recording from "@effect-speech/stt/Recording"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as Printable from "@effect-speech/transport/Printable"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Transcribe } from "../../Operation.js"
import { piecesOf, type TranscriptionResult } from "../../Output.js"
import type { Format } from "../../Run.js"
import { runInvalid } from "../runInvalid.js"
import type { Done } from "../store/Store.js"
import type { Job, Worker } from "./job.js"
import { look, problem, readHeader } from "./look.js"
import { settle } from "./settlement.js"

/**
 * Transcribes recordings. One above `pieceMillis` is sent in pieces, and so is one whose subtitles are written, since their times
 * are needed. The pieces are kept until the file is done.
 *
 * WAV needs no decoder. Provide an `AudioDecoder` to cut recordings in other containers. Without one, a recording that is long, or
 * of unknown length, is sent whole with the warning `SentWhole`, and a run that needs times does not start.
 */
export const transcription: Worker<SpeechToText | FileSystem.FileSystem> = {
  operation: "Transcribe",
  cost: (job) =>
    Recording.inspect(AudioSource.fromPath(pathOf(job))).pipe(
      Effect.map(({ durationMillis = 0 }) => secondsOf(durationMillis)),
      Effect.orElseSucceed(() => 0)
    ),
  check: (item, settings) =>
    Effect.gen(function* () {
      if (!needsTimes(settings.output.format) || (yield* hasDecoder)) return
      const path = join(settings.root, item.path)
      const { container } = yield* Effect.orElseSucceed(readHeader(path, item.size), () => ({ container: undefined }))
      if (container === undefined || container === "wav") return
      return yield* runInvalid({
        field: "output.format",
        problem: Printable.line(
          `can't be ${settings.output.format}: ${path} is no WAV, and a decoder must cut it for its times. Install @effect-speech/local-service, and provide the layer of its Decoder; or convert the recording to WAV; or choose txt or json`
        )
      })
    }),
  call: (job) => {
    const { operation } = job.settings
    return settle(
      operation._tag === "Transcribe"
        ? transcribe(job, operation)
        : Effect.dieMessage("A transcription was given the file of another operation."),
      job.settings.unanswered
    )
  }
}

const pathOf = ({ file, settings }: Job): string => join(settings.root, file.path)

/** Started seconds. */
const secondsOf = (millis: number): number => Math.ceil(millis / 1000)

const transcribe = (job: Job, { _tag, pieceMillis = 300_000, segmentFields, ...fields }: Transcribe) =>
  Effect.gen(function* () {
    const path = pathOf(job)
    const audio = AudioSource.fromPath(path)
    const { container, durationMillis } = yield* look(path, job.file)
    if (container === undefined) {
      return yield* problem(
        "NotARecording",
        `${path} is neither WAV, nor MP3, M4A, FLAC, OGG or WebM. Nothing was sent. Convert it, or remove it.`
      )
    }
    const canCut = container === "wav" || (yield* hasDecoder)
    const reader = segmentFields === undefined ? SegmentReader.localService : SegmentReader.fields(segmentFields)
    const request = { ...fields, audio, aux: true, transactionId: job.file.callId }
    const isLong = durationMillis === undefined || durationMillis > pieceMillis
    return yield* needsTimes(job.settings.output.format) || (canCut && isLong)
      ? inPieces(request, job, { pieceMillis, segments: reader })
      : whole(request, durationMillis, reader, isLong ? [sentWhole] : [])
  })

const needsTimes = (format: Format): boolean => format === "srt" || format === "vtt"

/** The default decoder refuses each recording, so only a decoder of the program is in the context. */
const hasDecoder = Effect.contextWith((context: Context.Context<never>) => context.unsafeMap.has(AudioDecoder.key))

type Request = LongTranscription.LongTranscriptionRequest

/** The tag of the warning that a recording is longer than a piece, or of unknown length, and was sent whole without a decoder. */
const sentWhole = "SentWhole"

const whole = (
  request: Request,
  durationMillis: number | undefined,
  reader: SegmentReader.SegmentReader,
  tags: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const stt = yield* SpeechToText
    const { auxInfo, call, text, warnings } = yield* stt.transcribe(request)
    const readings = (auxInfo?.segments_meta ?? []).map(reader)
    const ends = { start: 0, end: durationMillis ?? Number.MAX_SAFE_INTEGER }
    const { problem } = LongTranscription.segmentsOf(ends, { auxInfo, text }, reader)
    // Times without a text say nothing, unless the text is that of the only segment.
    const segments = readings.flatMap((reading) =>
      reading === undefined || !Number.isFinite(reading.start + reading.end)
        ? []
        : [{ ...reading, text: reading.text ?? (readings.length === 1 ? text : "") }]
    )
    return done(
      {
        text,
        durationMillis,
        confidence: auxInfo?.confidence,
        segments: segments.map(({ confidence, end, start, text: words }) => ({
          start: Math.round(start),
          end: Math.round(end),
          text: words.trim(),
          confidence
        })),
        warnings: [...tagsOf(problem === "texts" ? [...warnings, { _tag: "SegmentTextsDiffer" }] : warnings), ...tags]
      },
      call.billing,
      secondsOf(durationMillis ?? 0)
    )
  })

const inPieces = (request: Request, job: Job, options: LongTranscription.LongTranscriptionOptions) =>
  Effect.gen(function* () {
    // A run repeats its files after an outage, so that a piece need not wait for the end of one.
    const { confidence, durationMillis, pieces, segments, text, warnings } = yield* LongTranscription.transcribe(
      request,
      {
        ...options,
        outage: "1 second"
      }
    )
    const paid = pieces.filter(({ source }) => source !== "silence")
    const billings = paid.map(({ call }) => call?.billing)
    const settlement = done(
      {
        text,
        durationMillis,
        confidence,
        segments: segments.map(({ confidence: sure, end, start, text: words }) => ({
          start,
          end,
          text: words,
          confidence: sure
        })),
        warnings: tagsOf(warnings)
      },
      billings.length === 0 ? "notBilled" : billings.every((billing) => billing === "billed") ? "billed" : "unknown",
      paid.reduce((sum, { end, start }) => sum + secondsOf(end - start), 0)
    )
    return { ...settlement, inPieces: true }
  }).pipe(Effect.provide(PieceStore.layerFolder(piecesOf(job.settings.output.directory, job.file.callId))))

const tagsOf = (warnings: ReadonlyArray<{ readonly _tag: string }>) => [...new Set(warnings.map(({ _tag }) => _tag))]

/** A service need not say that it recognised nothing. An empty transcript has a warning all the same. */
const done = (result: TranscriptionResult, billing: string, credits: number): Done => ({
  _tag: "Done",
  result:
    result.text.trim() !== "" ||
    result.warnings.some((tag) => tag === "NothingRecognised" || tag === "NothingButSilence")
      ? result
      : { ...result, warnings: [...result.warnings, "NothingRecognised"] },
  billing,
  credits
})
