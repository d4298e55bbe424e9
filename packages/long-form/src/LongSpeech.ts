/**
 * Speaks a text of any length as one audio stream.
 *
 * It sends the text in pieces, several at once, and keeps each paid piece in the `PieceStore`. If a run failed or was killed, the
 * next run sends only the missing pieces.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { cooperatively, type Steps } from "@effect-speech/common/Cooperative"
import * as EventDelivery from "@effect-speech/common/EventDelivery"
import type { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import type { TtsError, TtsInvalidRequest } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { inOrder } from "./internal/inOrder.js"
import { replaces } from "./internal/paidPieces.js"
import { failedPiece } from "./internal/speech/failedPiece.js"
import { makeJoiner } from "./internal/speech/joinSpeech.js"
import { type Plan, prepare } from "./internal/speech/plan.js"
import type { Report } from "./internal/speech/report.js"
import type { Options, Request } from "./internal/speech/request.js"
import { makeSpeaker, type PieceAudio, type PieceFailed, requestedFormat } from "./internal/speech/speakPieces.js"
import type { PieceStore, PieceStoreError } from "./PieceStore.js"

export type { Called, Done, Event, Kept, Planned, Started } from "./internal/speech/events.js"
export { Plan } from "./internal/speech/plan.js"
export { Piece, Report, Segment } from "./internal/speech/report.js"
export type { Options, Pauses, Request } from "./internal/speech/request.js"

/**
 * The audio of a whole text while it is synthesized: a `PcmStream` with its plan and report. {@link stream} makes it. Run its `stream`
 * once, inside the scope.
 *
 * The `stream` fails with a `TtsError` if the call of a piece fails, and with `PieceStoreError` if a result can't be read or kept.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 * import { Effect, Stream } from "effect"
 *
 * export const bytesOf = (speech: LongSpeech.LongSpeech) =>
 *   Effect.gen(function* () {
 *     const bytes = yield* Stream.runFold(speech.stream, 0, (sum, chunk) => sum + chunk.byteLength)
 *     const { durationMillis } = yield* speech.report
 *     return { bytes, durationMillis }
 *   })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface LongSpeech extends PcmStream.PcmStream<TtsError | PieceStoreError> {
  /** The requested format, else that of the first piece that is spoken. */
  readonly format: AudioFormat
  /** The plan, once the whole text was split. */
  readonly plan: Effect.Effect<Plan>
  /** The report so far. It is complete when the stream has ended. */
  readonly report: Effect.Effect<Report>
}

/**
 * The WAV file that {@link writeFile} wrote, with the report of its speech.
 *
 * @example
 * ```ts
 * import { LongSpeech, Subtitles } from "@effect-speech/long-form"
 *
 * export const subtitlesOf = ({ path, report }: LongSpeech.File) => ({
 *   path: `${path}.srt`,
 *   text: Subtitles.toSrt(Subtitles.layout(report.segments))
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class File extends Wav.WavFile {
  /** What became of the text. */
  readonly report: Report
  constructor({ report, ...file }: ConstructorParameters<typeof Wav.WavFile>[0] & { readonly report: Report }) {
    super(file)
    this.report = report
  }
}

/**
 * Checks a request, and counts its pieces and its highest cost. Sends nothing. Use it to show a price before you speak a text.
 *
 * Fails with `TtsInvalidRequest` if a field or an option breaks a rule, or if the text has no letter, number or symbol.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 * import { Console, Effect } from "effect"
 *
 * export const program = Effect.gen(function* () {
 *   const { cost, pieces } = yield* LongSpeech.plan({ text: "A long text. It has many sentences.", lang: "en" })
 *   yield* Console.log(`${pieces} pieces, at most ${cost} code points to pay`)
 * })
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const plan = (request: Request, options: Options = {}): Effect.Effect<Plan, TtsInvalidRequest> =>
  Effect.flatMap(prepare(request, options), (pieces) => pieces.plan)

/**
 * Speaks a text as a stream. Use it to play or send the audio while the rest is made; use {@link writeFile} for a file.
 *
 * The effect ends when the first piece has arrived. The stream gives the pieces in order, with pauses between them. At most twice
 * `concurrency` pieces are held in memory.
 *
 * Fails with a `TtsError` if a call fails, and with `PieceStoreError` if a result can't be read or kept. After a failure no further piece is
 * sent. Those that were sent are finished and kept, the stream gives the audio before the failing piece, then it fails. A `TtsError` has
 * the piece in `call.piece`, a `PieceStoreError` in `piece`, and the message says how to resume. If the scope closes before the end,
 * requests in flight are interrupted, after the `gracePeriod` of the options.
 *
 * Before anything is sent, it fails with `TtsInvalidRequest` as {@link plan} does: this error has no piece.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 * import { Effect, Stream } from "effect"
 *
 * export const play = (text: string, send: (bytes: Uint8Array) => Effect.Effect<void>) =>
 *   Effect.gen(function* () {
 *     const speech = yield* LongSpeech.stream({ text, lang: "en", outputFormat: "8000:pcm16" })
 *     yield* Stream.runForEach(speech.stream, send)
 *     return yield* speech.report
 *   }).pipe(Effect.scoped)
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const stream = (
  request: Request,
  options: Options = {}
): Effect.Effect<LongSpeech, TtsError | PieceStoreError, TextToSpeech | PieceStore | Scope.Scope> =>
  Effect.map(start(request, options), ({ speech }) => speech)

/**
 * Speaks a text into a WAV file, which appears whole or not at all. Use {@link stream} to play the audio before it is complete.
 *
 * Fails with a `TtsError` if a call fails, with `PieceStoreError` if a result can't be read or kept, with `WavError` if the audio can't be a WAV
 * file, and with a `PlatformError` if the file can't be written. In each case the calls that were sent are finished, and their audio is kept:
 * run it again, and only the missing pieces are sent.
 *
 * @example
 * ```ts
 * import { LongSpeech, PieceStore } from "@effect-speech/long-form"
 * import { Effect } from "effect"
 *
 * export const speak = (text: string) =>
 *   LongSpeech.writeFile({ text, lang: "hi" }, "book.wav").pipe(Effect.provide(PieceStore.layerFolder("book.pieces")))
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const writeFile = (
  request: Request,
  path: string,
  options: Options = {}
): Effect.Effect<
  File,
  TtsError | PieceStoreError | Wav.WavError | PlatformError,
  TextToSpeech | PieceStore | FileSystem.FileSystem
> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { settle, speech } = yield* start(request, options)
      const file = yield* Effect.tapErrorCause(Wav.writeFile(speech, path), (cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.void : settle
      )
      return new File({ ...file, report: yield* speech.report })
    })
  )

/** Lets calls end and others begin, if this turn of the event loop has taken long: many calls may end together. */
const afterOtherCalls = Effect.suspend(() => cooperatively(oneStep()))

function* oneStep(): Steps<void> {
  yield
}

const start = (request: Request, options: Options) =>
  Effect.gen(function* () {
    const pieces = yield* prepare(request, options)
    const { concurrency = 4 } = options
    const { emit } = yield* EventDelivery.scoped(options.onEvent, replaces)
    const { atClose, progress, settle, speak } = yield* makeSpeaker(request, options, emit)
    const pull = yield* Stream.unfold(0, (index) =>
      Option.map(Option.fromNullable(pieces.at(index)), (piece) => [piece, index + 1])
    ).pipe(inOrder(speak, { concurrency, ahead: 2 * concurrency, atClose }), Stream.toPull)
    const planning = yield* Effect.forkScoped(
      Effect.tap(pieces.plan, (planned) => emit({ _tag: "Planned", ...planned }))
    )
    const explain = ({ error, piece }: PieceFailed) =>
      Effect.flatMap(Fiber.join(planning), ({ cost, pieces }) =>
        progress.explain(error, cost, failedPiece(piece, pieces))
      )
    const next = Effect.catchAll(pull, (end) =>
      Option.match(end, {
        onNone: () => Effect.fail(Option.none()),
        onSome: (failed) => Effect.flatMap(explain(failed), (error) => Effect.fail(Option.some(error)))
      })
    )
    // The pieces up to the first one that is spoken.
    const beginning: Array<PieceAudio> = []
    let format: AudioFormat | undefined
    while (format === undefined) {
      const audio = yield* Effect.catchAll(
        next,
        Option.match({ onNone: () => Effect.succeed([]), onSome: Effect.fail })
      )
      beginning.push(...audio)
      format = requestedFormat(request) ?? beginning.find(({ audio }) => audio !== undefined)?.audio?.format
    }
    const joiner = makeJoiner(format, options)
    // One at a time: the pauses of a whole chunk would be in memory at once.
    const joined = Stream.concat(
      Stream.rechunk(Stream.fromIterable(beginning), 1),
      Stream.repeatEffectChunkOption(Effect.zipLeft(next, afterOtherCalls))
    ).pipe(Stream.flatMap(joiner.push))
    const speech: LongSpeech = Object.assign(PcmStream.make(format, joined), {
      plan: Fiber.join(planning),
      report: Effect.sync(joiner.report)
    })
    return { speech, settle }
  })
