import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { isPlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as LongSpeech from "@effect-speech/long-form/LongSpeech"
import { PieceStore } from "@effect-speech/long-form/PieceStore"
import type { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import { codePoints, maximumCodePoints } from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import type { OutputFailed } from "../../ArchiveError.js"
import type { Synthesize } from "../../Operation.js"
import { outputFailed, pathOf, piecesOf, type SynthesisResult } from "../../Output.js"
import type { Done } from "../store/Store.js"
import type { Job, Worker } from "./job.js"
import { type AudioLost, settle } from "./settlement.js"

/**
 * Synthesizes texts into the `.wav` files of the output. A text above the limit of a call is sent in pieces, which are kept until
 * the file is done.
 */
export const synthesis: Worker<TextToSpeech | FileSystem.FileSystem> = {
  operation: "Synthesize",
  cost: (job) => Effect.sync(() => codePoints(textOf(job))),
  call: (job) => {
    const { operation } = job.settings
    return settle(
      operation._tag === "Synthesize"
        ? synthesize(job, operation)
        : Effect.dieMessage("A synthesis was given the file of another operation."),
      job.settings.unanswered
    )
  }
}

const textOf = ({ file }: Job): string => (typeof file.line?.text === "string" ? file.line.text : "")

/** In bytes, of audio: a generous estimate for 24,000 Hz in 32 bits. */
const bytesPerCodePoint = 10_000

const synthesize = (job: Job, { _tag, ...fields }: Synthesize) =>
  Effect.gen(function* () {
    const { file, settings } = job
    const text = textOf(job)
    const length = codePoints(text)
    // The source has checked the fields of the line, and the client checks them again.
    const request = { ...fields, ...file.line, text, requestId: file.callId } as SynthesisRequest
    const path = pathOf(settings.output, file.path)
    yield* prepareFolder(dirname(path), length * bytesPerCodePoint)
    return yield* length > maximumCodePoints ? inPieces(request, path, job) : whole(request, path, length)
  })

/** Audio that is paid and can't be written is lost, so the folder is made, and must have space, before the call. */
const prepareFolder = (folder: string, bytes: number): Effect.Effect<void, OutputFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true }), (error) => outputFailed(folder, error))
    const space = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => statfs(folder)),
      () => undefined
    )
    if (space !== undefined && space.bavail * space.bsize < bytes)
      return yield* outputFailed(folder, { code: "ENOSPC" })
  })

const whole = (request: SynthesisRequest, path: string, length: number) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const speech = yield* tts.stream(request)
    const file = yield* Wav.writeFile(speech, path).pipe(
      Effect.catchIf(isPlatformError, (error) =>
        Effect.fail<AudioLost>({ _tag: "AudioLost", error: outputFailed(path, error, "lost") })
      )
    )
    const { billing } = yield* speech.call
    return done(file, speech.warnings, billing, length)
  }).pipe(Effect.scoped)

const inPieces = (request: SynthesisRequest, path: string, job: Job) =>
  Effect.gen(function* () {
    // A run repeats its files after an outage, so that a piece need not wait for the end of one.
    const file = yield* LongSpeech.writeFile(request, path, { outage: "1 second" }).pipe(
      Effect.catchIf(isPlatformError, (error) => outputFailed(path, error, "kept"))
    )
    const { pieces } = file.report
    const credits = pieces.reduce((sum, { codePoints: cost }) => sum + cost, 0)
    const warnings = pieces.flatMap((piece) => piece.warnings)
    // A piece that was kept has no call: it was billed when it was sent.
    const isBilled = pieces.every(({ call }) => call === undefined || call.billing === "billed")
    return { ...done(file, warnings, isBilled ? "billed" : "unknown", credits), inPieces: true }
  }).pipe(Effect.provide(PieceStore.layerFolder(piecesOf(job.settings.output.directory, job.file.callId))))

const done = (
  { dataLength, durationMillis, format }: Wav.WavFile,
  warnings: ReadonlyArray<{ readonly _tag: string }>,
  billing: string,
  credits: number
): Done => {
  const result: SynthesisResult = {
    durationMillis,
    sampleRate: format.sampleRate,
    encoding: format.encoding,
    bytes: dataLength,
    warnings: [...new Set(warnings.map(({ _tag }) => _tag))]
  }
  return { _tag: "Done", result, billing, credits }
}
