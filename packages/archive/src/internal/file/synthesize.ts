import { statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isPlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { makeFolder } from "@effect-speech/common/Files"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as LongSpeech from "@effect-speech/long-form/LongSpeech"
import type { Billing } from "@effect-speech/transport/CallReport"
import type { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import { codePoints, maximumCodePoints } from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ArchiveOutputFailed } from "../../ArchiveError.js"
import type { Synthesize } from "../../Operation.js"
import { pathOf, type SynthesisResult } from "../../Output.js"
import * as Money from "../model/money.js"
import { fileMode, folderMode, outputFailed, outputOfFile } from "../output/write.js"
import type { Done } from "../store/Store.js"
import { type FileProblem, isOfOnePath, settle } from "./failure.js"
import type { Job, Worker } from "./job.js"
import * as Pieces from "./pieces.js"
import { problem } from "./verify.js"

/**
 * Synthesizes texts into the `.wav` files of the output. A text above the limit of a call is sent in pieces, which are kept until
 * the file is done.
 *
 * @example
 * ```ts
 * import { Archive, Worker } from "@effect-speech/archive"
 *
 * export const layer = Archive.layerEmbedded({ path: "prompts/archive.db", workers: [Worker.synthesis] })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const synthesis: Worker<TextToSpeech | FileSystem.FileSystem> = {
  operation: "Synthesize",
  cost: (job) => Effect.sync(() => ({ most: codePoints(textOf(job)), isStated: true })),
  call: (job) => {
    const { operation } = job.settings
    return settle(job, (tally) =>
      operation._tag === "Synthesize"
        ? synthesize(job, operation, tally)
        : Effect.dieMessage("A synthesis was given the file of another operation.")
    )
  }
}

const textOf = ({ file }: Job): string => (typeof file.line?.text === "string" ? file.line.text : "")

/** In bytes, of audio: a generous estimate for 24,000 Hz in 32 bits. */
const bytesPerCodePoint = 10_000

const synthesize = (job: Job, { _tag, ...fields }: Synthesize, tally: Money.Tally) =>
  Effect.gen(function* () {
    const { file, settings } = job
    const text = textOf(job)
    const length = codePoints(text)
    // The source has checked the fields of the line, and the client checks them again.
    const request = { ...fields, ...file.line, text, requestId: file.callId } as SynthesisRequest
    const path = pathOf(settings.output, file.path)
    yield* prepareFolder(settings.output.directory, path, length * bytesPerCodePoint)
    const place: Place = { path, own: join(dirname(path), `.${file.callId}.wav`), before: yield* lookAt(path) }
    return yield* length > maximumCodePoints
      ? inPieces(request, place, job, tally)
      : whole(request, place, length, tally)
  })

/**
 * Audio is written under a name of its own, and takes its path at the end, if that is still as it was before the call. Otherwise a
 * later call has answered first, such as that of the text as it is now.
 */
interface Place {
  readonly path: string
  readonly own: string
  readonly before: Existing | undefined
}

interface Existing {
  readonly mode: number
  readonly version: string
}

const lookAt = (path: string): Effect.Effect<Existing | undefined, never, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(path)).pipe(
    Effect.map(({ ino, mode, mtime, size }) => ({
      mode: mode & 0o777,
      version: JSON.stringify([Option.getOrNull(ino), Option.getOrNull(mtime), String(size)])
    })),
    Effect.orElseSucceed(() => undefined)
  )

/** Gives audio its path. The result is what the store keeps of it. */
const take = ({ before, own, path }: Place) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const output = yield* Effect.option(outputOfFile(own))
    const now = yield* lookAt(path)
    if (now !== undefined && now.version !== before?.version) {
      yield* Effect.ignore(fs.remove(own))
    } else {
      yield* Effect.ignore(fs.chmod(own, now?.mode ?? fileMode))
      yield* fs.rename(own, path)
    }
    return Option.getOrUndefined(output)
  }).pipe(
    Effect.onError(() => Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.ignore(fs.remove(own, { force: true }))))
  )

/** Audio that is paid and can't be written is lost, so its place is made, and must have space, before the call. */
const prepareFolder = (
  output: string,
  path: string,
  bytes: number
): Effect.Effect<void, ArchiveOutputFailed | FileProblem, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = dirname(path)
    yield* Effect.mapError(makeFolder(output, folderMode), (error) => outputFailed(output, error))
    yield* Effect.catchAll(makeFolder(folder, folderMode), (error) => notWritten(folder, error, "unsent"))
    const isFolder = Effect.map(
      Effect.option(fs.stat(path)),
      Option.exists(({ type }) => type === "Directory")
    )
    if (yield* isFolder) return yield* notWritten(path, { code: "EISDIR" }, "unsent")
    const space = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => statfs(folder)),
      () => undefined
    )
    if (space !== undefined && space.bavail * space.bsize < bytes)
      return yield* outputFailed(folder, { code: "ENOSPC" })
  })

/** Audio that can't be written. If that concerns its path alone, the other files of the run go on. */
const notWritten = (
  path: string,
  error: unknown,
  result: "unsent" | "kept"
): Effect.Effect<never, ArchiveOutputFailed | FileProblem> => {
  const code = systemCode(error)
  if (!isOfOnePath(code)) return outputFailed(path, error, result)
  const reason =
    code === "ENAMETOOLONG"
      ? "its path is too long for this system"
      : "another file has the place of it, or of its folder"
  const then =
    result === "kept"
      ? "Its audio is kept in pieces: remove the other file, and retry the files of this tag."
      : "Nothing was sent. Give the text another id, and run again."
  return problem("ArchiveOutputFailed", `${path} can't be written: ${reason}. ${then}`)
}

const whole = (request: SynthesisRequest, place: Place, length: number, tally: Money.Tally) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    tally.begun(1, length)
    const speech = yield* tts.stream(request)
    const { file, output } = yield* Wav.writeFile(speech, place.own).pipe(
      Effect.flatMap((file) => Effect.map(take(place), (output) => ({ file, output }))),
      Effect.catchIf(isPlatformError, (error) => outputFailed(place.path, error, "lost"))
    )
    const { billing } = yield* speech.call
    tally.paid(1)
    return { ...done(file, speech.warnings, billing, tally), output }
  }).pipe(Effect.scoped)

const inPieces = (request: SynthesisRequest, place: Place, job: Job, tally: Money.Tally) =>
  Effect.gen(function* () {
    // A run repeats its files after an outage, so that a piece need not wait for the end of one.
    const { file, output } = yield* LongSpeech.writeFile(request, place.own, {
      outage: "1 second",
      onEvent: (event) =>
        Effect.sync(() => {
          if (event._tag === "Started") tally.begun(event.number, event.codePoints)
          if (event._tag === "Done") tally.paid(event.number)
        })
    }).pipe(
      Effect.flatMap((file) => Effect.map(take(place), (output) => ({ file, output }))),
      Effect.catchIf(isPlatformError, (error) => notWritten(place.path, error, "kept"))
    )
    const { pieces } = file.report
    const keptCredits = Money.ofKept(
      pieces
        .filter(({ source }) => source !== "silence")
        .map(({ codePoints: credits, requestId, source }) => ({ call: requestId, credits, isSent: source === "sent" }))
    )
    const warnings = pieces.flatMap((piece) => piece.warnings)
    // A piece that was kept has no call: it was billed when it was sent.
    const isBilled = pieces.every(({ call }) => call === undefined || call.billing === "billed")
    return {
      ...done(file, warnings, isBilled ? "billed" : "unknown", tally),
      output,
      inPieces: true,
      keptCredits,
      ...(!tally.isBegun() && { notReached: true })
    }
  }).pipe(Effect.provide(Pieces.layer(job)))

const done = (
  { dataLength, durationMillis, format }: Wav.WavFile,
  warnings: ReadonlyArray<{ readonly _tag: string }>,
  billing: Billing,
  tally: Money.Tally
): Done => {
  const result: SynthesisResult = {
    durationMillis,
    sampleRate: format.sampleRate,
    encoding: format.encoding,
    bytes: dataLength,
    warnings: [...new Set(warnings.map(({ _tag }) => _tag))]
  }
  return { _tag: "Done", result, billing, credits: tally.spent("notBilled") }
}
