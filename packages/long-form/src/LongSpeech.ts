/**
 * Speaks a text of any length as one audio stream.
 *
 * ```ts
 * const program = LongSpeech.writeFile({ text: book, lang: "hi" }, "book.wav").pipe(
 *   Effect.provide(PieceStore.layerFolder("book.pieces"))
 * )
 * ```
 *
 * It sends the text in pieces, several at once, and keeps each paid piece in the `PieceStore`. If a run failed or was killed, the
 * next run sends only the missing pieces.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import { type AudioFormat, bytesPerFrame, describe } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as EventDelivery from "@effect-speech/common/EventDelivery"
import * as CallEvent from "@effect-speech/transport/CallEvent"
import type { CallReport } from "@effect-speech/transport/CallReport"
import type { Speech } from "@effect-speech/tts/Speech"
import type { SynthesisRequest } from "@effect-speech/tts/SynthesisRequest"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Contract from "@effect-speech/tts/TtsContract"
import { type TtsError, TtsInvalidRequest, TtsInvalidResponse } from "@effect-speech/tts/TtsError"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeFailedPieces } from "./internal/failedPieces.js"
import { inOrder } from "./internal/inOrder.js"
import { isKept, nameOf } from "./internal/kept.js"
import { makeShared } from "./internal/shared.js"
import { audioProblem } from "./internal/speech/checkAudio.js"
import { checkRequest } from "./internal/speech/checkRequest.js"
import * as KeptSpeech from "./internal/speech/keptSpeech.js"
import { beginningOf, failureOf } from "./internal/speech/pieceFailure.js"
import { sentenceTimes } from "./internal/speech/sentenceTimes.js"
import { type Edges, isSame, shapePiece } from "./internal/speech/shapePiece.js"
import type { Passage } from "./Passages.js"
import { PieceStore, type PieceStoreError } from "./PieceStore.js"
import * as TextPieces from "./TextPieces.js"

/** A request of `TextToSpeech` whose text has any length. */
export interface LongSpeechRequest extends Omit<SynthesisRequest, "text"> {
  /** The text, or its passages. It must have a letter, a number or a symbol. */
  readonly text: string | ReadonlyArray<Passage>
  /**
   * Id of the whole speech, 1 to 56 letters, digits and `.`, `_`, `:`, `-`. The id of a piece is this and its number: `book.007`.
   * Default: a random UUID.
   */
  readonly requestId?: string | undefined
}

/** Silence after a piece, in milliseconds, by the boundary at which it ends. The edges of its audio come on top. */
export interface Pauses {
  /** Default: 600. */
  readonly paragraph?: number | undefined
  /** Default: 400. */
  readonly line?: number | undefined
  /** Default: 250. */
  readonly sentence?: number | undefined
  /** Default: 120. */
  readonly clause?: number | undefined
  /** Default: 0. */
  readonly word?: number | undefined
  /** Default: 0. */
  readonly cluster?: number | undefined
}

export interface LongSpeechOptions {
  /** Largest number of code points in a piece, 1 to 10,000. Default: 2,000. */
  readonly maximum?: number | undefined
  /** Largest number of code points in the first piece; each next may have twice as many, up to `maximum`. Default: 250. */
  readonly first?: number | undefined
  /** How many pieces are synthesized at once, 1 to 1,000. Default: 4. */
  readonly concurrency?: number | undefined
  /** Silence between the pieces. */
  readonly pauses?: Pauses | undefined
  /** How much silence stays at both ends of the audio of a piece, in milliseconds. Silence is below -50 dB. Default: 40. */
  readonly edgeSilenceMillis?: number | undefined
  /** How long the audio of a piece is faded at both ends, in milliseconds. Default: 5. */
  readonly fadeMillis?: number | undefined
  /**
   * What to do with a piece in another format than the requested one, or than the first piece if none was requested: convert
   * it, or fail with a `TtsInvalidResponse`. Default: `resample`.
   */
  readonly differentFormat?: "resample" | "fail" | undefined
  /** How long to retry each piece through an outage of the service. Default: 5 minutes. */
  readonly outage?: Duration.DurationInput | undefined
  /** Runs at each event, in order. The speech never waits for it, nor does a defect in it affect the speech. Default: none. */
  readonly onEvent?: ((event: LongSpeechEvent) => Effect.Effect<void>) | undefined
}

/** The number of pieces and the cost of a speech, before anything is sent. */
export interface Plan {
  /** Number of all pieces. */
  readonly pieces: number
  /** Length of the text in Unicode code points. */
  readonly codePoints: number
  /**
   * Code points to send, the unit of billing: the highest cost. Spaces around a piece are not sent, nor are pieces without a
   * letter, a number or a symbol. Pieces that are kept cost nothing.
   */
  readonly cost: number
}

/** Progress of a speech. A piece without a letter, a number or a symbol has no events. */
export type LongSpeechEvent = Planned | Kept | Started | Called | Done

/** As for the events of one call: later progress of the upload of the same piece. */
const replaces = (later: LongSpeechEvent, earlier: LongSpeechEvent): boolean =>
  later._tag === "Called" &&
  earlier._tag === "Called" &&
  later.number === earlier.number &&
  CallEvent.replaces(later.event, earlier.event)

/** The whole text was split. The first pieces may have been sent before. */
export interface Planned extends Plan {
  readonly _tag: "Planned"
}

interface PieceFacts {
  /** Of the piece, from 1. */
  readonly number: number
  /** Code points that it costs if it is sent. */
  readonly codePoints: number
}

/** The store has the audio of a piece, from an earlier run or from an equal piece. The piece is not sent. */
export interface Kept extends PieceFacts {
  readonly _tag: "Kept"
}

/** The call of a piece starts. */
export interface Started extends PieceFacts {
  readonly _tag: "Started"
}

/** The call of a piece has an event, such as a retry. */
export interface Called extends PieceFacts {
  readonly _tag: "Called"
  readonly event: CallEvent.CallEvent
}

/** The audio of a piece has arrived and is kept. */
export interface Done extends PieceFacts {
  readonly _tag: "Done"
}

/** A piece and its place in the audio. Frames and milliseconds count from the beginning of the whole. */
export interface SpokenPiece {
  /** Counts from 1. */
  readonly number: number
  /** The piece with all its spaces. */
  readonly text: string
  /** Offset of the text in the whole, in UTF-16 units. */
  readonly textStart: number
  readonly textEnd: number
  /** The passage that it belongs to, from 0. A text without passages is one. */
  readonly passage: number
  readonly boundary: TextPieces.Boundary
  /** Code points that it costs if it is sent. */
  readonly codePoints: number
  readonly startFrame: number
  /** Without the pause after it. */
  readonly endFrame: number
  readonly startMillis: number
  readonly endMillis: number
  /** `sent`: in this run. `kept`: found in the store. `silence`: it has no letter, number or symbol. */
  readonly source: "sent" | "kept" | "silence"
  /** Id of the paid request. Absent for silence. */
  readonly requestId?: string | undefined
  /** The call with its billing. Absent if this run did not send it. */
  readonly call?: CallReport | undefined
  readonly warnings: ReadonlyArray<TtsWarning>
}

/** A sentence and its time in the audio. `Subtitles.layout` makes subtitles from them. */
export interface SpokenSegment {
  /** The sentence without the spaces around it. */
  readonly text: string
  /** Offset of the sentence in the whole text, in UTF-16 units. */
  readonly textStart: number
  readonly textEnd: number
  /** In milliseconds from the beginning of the audio. */
  readonly start: number
  /** In milliseconds. */
  readonly end: number
  /**
   * Whether a time is estimated from the length of the text. The service states no times: those that are not estimated are the
   * ends of a piece, or pauses in its audio.
   */
  readonly estimated: boolean
}

export interface LongSpeechReport {
  readonly format: AudioFormat
  /** In order, as far as the stream was read. */
  readonly pieces: ReadonlyArray<SpokenPiece>
  /** The sentences of these pieces. */
  readonly segments: ReadonlyArray<SpokenSegment>
  /** Duration of the audio that was read, in milliseconds. */
  readonly durationMillis: number
}

/** Audio of a whole text as it is synthesized. `stream` can be run once, inside the scope. */
export interface LongSpeech extends PcmStream.PcmStream<TtsError | PieceStoreError> {
  /** The requested format, else that of the first piece. */
  readonly format: AudioFormat
  /** The plan, once the whole text was split. */
  readonly plan: Effect.Effect<Plan>
  /** The report so far. It is complete when the stream has ended. */
  readonly report: Effect.Effect<LongSpeechReport>
}

/** The file that was written, with the report of its speech. */
export interface LongSpeechFile extends Wav.WavFile {
  readonly report: LongSpeechReport
}

/** Checks a request, and counts its pieces and its cost. Sends nothing. */
export const plan = (
  request: LongSpeechRequest,
  options: LongSpeechOptions = {}
): Effect.Effect<Plan, TtsInvalidRequest> => Effect.flatMap(prepare(request, options), (pieces) => pieces.plan)

/**
 * Speaks a text. The effect ends when the first piece has arrived; the stream gives the pieces in order, with pauses between
 * them. At most twice `concurrency` pieces are held in memory.
 *
 * After a failure no further piece is sent. Those that were sent are finished and kept, the audio before the failing piece is
 * given, then the stream fails. An error has the failing piece in `call.piece`, and its message says how to go on. If the scope
 * closes before the end, requests in flight are interrupted.
 */
export const stream = (
  request: LongSpeechRequest,
  options: LongSpeechOptions = {}
): Effect.Effect<LongSpeech, TtsError | PieceStoreError, TextToSpeech | PieceStore | Scope.Scope> =>
  Effect.map(start(request, options), ({ speech }) => speech)

/**
 * Speaks a text into a WAV file, which appears whole or not at all. If the file can't be written, the calls that were sent are
 * finished, and their audio is kept.
 */
export const writeFile = (
  request: LongSpeechRequest,
  path: string,
  options: LongSpeechOptions = {}
): Effect.Effect<
  LongSpeechFile,
  TtsError | PieceStoreError | Wav.WavError | PlatformError,
  TextToSpeech | PieceStore | FileSystem.FileSystem
> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { settle, speech } = yield* start(request, options)
      const file = yield* Effect.tapErrorCause(Wav.writeFile(speech, path), (cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.void : settle
      )
      return { ...file, report: yield* speech.report }
    })
  )

const defaultPauses: Record<keyof Pauses, number> = {
  paragraph: 600,
  line: 400,
  sentence: 250,
  clause: 120,
  word: 0,
  cluster: 0
}

/** A piece, and what of it is sent. */
interface Piece extends TextPieces.TextPiece {
  readonly sent: string
  readonly cost: number
}

interface Pieces {
  /** A piece by its index; `undefined` behind the last one. The text is split as far as needed. */
  readonly at: (index: number) => Piece | undefined
  /** Splits the rest of the text. */
  readonly plan: Effect.Effect<Plan>
}

const prepare = (
  request: LongSpeechRequest,
  { first, maximum, ...options }: LongSpeechOptions
): Effect.Effect<Pieces, TtsInvalidRequest> =>
  Effect.gen(function* () {
    const passages = yield* checkRequest(request, { first, maximum, ...options })
    const pieces = makePieces(TextPieces.split(passages, { first, maximum, lang: request.lang }))
    for (let index = 0; ; index++) {
      const piece = pieces.at(index)
      if (piece?.speakable === true) return pieces
      if (piece === undefined) {
        const problem = "has nothing to speak: no letter, no number and no symbol"
        return yield* new TtsInvalidRequest({ field: "text", problem })
      }
    }
  })

/** Splitting takes time, so a piece is made once, when it is needed. */
const makePieces = (source: Iterator<TextPieces.TextPiece>): Pieces => {
  const made: Array<Piece> = []
  let isEnded = false
  const at = (index: number) => {
    while (made.length <= index && !isEnded) {
      const next = source.next()
      if (next.done === true) isEnded = true
      else made.push(withCost(next.value))
    }
    return made[index]
  }
  return {
    at,
    plan: Effect.gen(function* () {
      let codePoints = 0
      let cost = 0
      for (let index = 0; ; index++) {
        const piece = at(index)
        if (piece === undefined) return { pieces: index, codePoints, cost }
        codePoints += piece.codePoints
        cost += piece.cost
        // Responses are read between two pieces.
        yield* Effect.sleep(0)
      }
    })
  }
}

const withCost = (piece: TextPieces.TextPiece): Piece => {
  const sent = piece.text.trim()
  // All spaces are one code point and one UTF-16 unit.
  const cost = piece.codePoints - (piece.text.length - sent.length)
  return piece.speakable ? { ...piece, sent, cost } : { ...piece, sent: "", cost: 0 }
}

/** The audio of a piece as the service sent it. */
interface Heard {
  readonly piece: Piece
  /** `undefined`: the piece has nothing to speak. */
  readonly audio: KeptSpeech.KeptSpeech | undefined
  readonly call?: CallReport | undefined
  readonly warnings: ReadonlyArray<TtsWarning>
}

interface Failed {
  readonly piece: Piece
  readonly error: TtsError | PieceStoreError
}

const start = (request: LongSpeechRequest, options: LongSpeechOptions) =>
  Effect.gen(function* () {
    const pieces = yield* prepare(request, options)
    const { concurrency = 4 } = options
    const { emit } = yield* EventDelivery.scoped(options.onEvent, replaces)
    const speaker = yield* makeSpeaker(request, options, emit)
    const pull = yield* Stream.unfold(0, (index) =>
      Option.map(Option.fromNullable(pieces.at(index)), (piece) => [piece, index + 1])
    ).pipe(inOrder(speaker.speak, { concurrency, ahead: 2 * concurrency }), Stream.toPull)
    const planning = yield* Effect.forkScoped(
      Effect.tap(pieces.plan, (planned) => emit({ _tag: "Planned", ...planned }))
    )
    const explain = ({ error, piece }: Failed) =>
      Effect.zipWith(Fiber.join(planning), speaker.kept, (planned, kept) =>
        failureOf(
          error,
          {
            number: piece.index + 1,
            of: planned.pieces,
            unit: "characters",
            start: piece.start,
            end: piece.end,
            beginning: beginningOf(piece.text),
            kept: kept?.pieces ?? 0,
            left: kept === undefined ? undefined : planned.cost - kept.cost
          },
          speaker.failed
        )
      )

    const explained = Effect.catchAll(pull, (end) =>
      Option.match(end, {
        onNone: () => Effect.fail(Option.none()),
        onSome: (failed) => Effect.flatMap(explain(failed), (error) => Effect.fail(Option.some(error)))
      })
    )
    // The pieces up to the first one that is spoken.
    const beginning: Array<Heard> = []
    let format: AudioFormat | undefined
    while (format === undefined) {
      const heard = yield* Effect.catchAll(
        explained,
        Option.match({ onNone: () => Effect.succeed([]), onSome: Effect.fail })
      )
      beginning.push(...heard)
      format = formatOf(request) ?? beginning.find(({ audio }) => audio !== undefined)?.audio?.format
    }
    const joiner = makeJoiner(format, options)
    const speech: LongSpeech = {
      format,
      plan: Fiber.join(planning),
      report: Effect.sync(joiner.report),
      stream: Stream.concat(Stream.fromIterable(beginning), Stream.repeatEffectChunkOption(explained)).pipe(
        Stream.mapEffect(joiner.push),
        Stream.flatten()
      )
    }
    return { speech, settle: speaker.settle }
  })

const formatOf = ({ outputFormat }: LongSpeechRequest): AudioFormat | undefined =>
  outputFormat === undefined ? undefined : Contract.audioFormat(outputFormat)

/** Speech is seldom slower, at the speed 1. In milliseconds of a code point. */
const slowMillis = 100

/** Room for the audio of a piece. */
const expectedBytes = ({ outputFormat = Contract.defaultOutputFormat, speed = 1, text }: SynthesisRequest): number => {
  const format = Contract.audioFormat(outputFormat)
  const seconds = (Contract.codePoints(text) * slowMillis) / 1000 / speed
  return Math.ceil(seconds * format.sampleRate) * bytesPerFrame(format)
}

/** Sends pieces, or finds them in the store. */
const makeSpeaker = (
  request: LongSpeechRequest,
  options: LongSpeechOptions,
  emit: (event: LongSpeechEvent) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const store = yield* PieceStore
    const { concurrency = 4, differentFormat = "resample", onEvent, outage = "5 minutes" } = options
    const { requestId = crypto.randomUUID(), text: _, ...fields } = request
    const turns = yield* Effect.makeSemaphore(concurrency)
    const expected = yield* Deferred.make<AudioFormat | undefined>()
    const requested = formatOf(request)
    if (requested !== undefined) yield* Deferred.succeed(expected, requested)
    const kept = { pieces: 0, cost: 0 }
    /** A result that the store was given, or gave. */
    let known: string | undefined
    const share = makeShared<Heard, TtsError | PieceStoreError>()
    /** The index of the first piece that is spoken, which decides the format. */
    let deciding: number | undefined
    let isStopped = false
    const failed = makeFailedPieces()

    const requestOf = ({ index, lang, sent, speed, voice }: Piece): SynthesisRequest => ({
      ...fields,
      text: sent,
      lang: lang ?? fields.lang,
      voice: voice ?? fields.voice,
      speed: speed ?? fields.speed,
      requestId: `${requestId}.${String(index + 1).padStart(3, "0")}`
    })
    const count = ({ cost }: Piece, name: string) => {
      known = name
      kept.pieces++
      kept.cost += cost
    }

    /**
     * The format of the whole, if this one differs from it and may not. Without a requested format, the others wait for the
     * deciding piece, which started before them.
     */
    const otherFormat = (piece: Piece, format: AudioFormat): Effect.Effect<AudioFormat | undefined> =>
      differentFormat === "resample" || (requested === undefined && piece.index === deciding)
        ? Effect.succeed(undefined)
        : Effect.map(Deferred.await(expected), (whole) =>
            whole === undefined || isSame(whole, format) ? undefined : whole
          )
    const differentFormatError = ({ call, format }: Speech, whole: AudioFormat) => {
      const problem = `its audio is ${describe(format)}, and that of the whole is ${describe(whole)}`
      const advice = `${requested === undefined ? "Set outputFormat, or let" : "Let"} differentFormat be "resample".`
      return new TtsInvalidResponse({ problem, message: `A piece has another format: ${problem}. ${advice}`, call })
    }

    const send = (piece: Piece, asked: SynthesisRequest, name: string, call: CallEvent.CallOptions) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const speech = yield* restore(tts.synthesize(asked, call))
          const problem = audioProblem(speech)
          if (problem !== undefined) return yield* new TtsInvalidResponse({ problem, call: speech.call })
          const other = yield* otherFormat(piece, speech.format)
          if (other !== undefined) return yield* differentFormatError(speech, other)
          // What is paid is kept, whatever happens meanwhile.
          yield* KeptSpeech.keep(store, name, speech)
          return { piece, audio: speech, call: speech.call, warnings: speech.warnings }
        })
      )
    const obtain = (piece: Piece): Effect.Effect<Heard, TtsError | PieceStoreError> =>
      Effect.gen(function* () {
        const facts = { number: piece.index + 1, codePoints: piece.cost }
        const asked = requestOf(piece)
        const { requestId: _, ...content } = asked
        const name = yield* nameOf({ version: 1, service: tts.baseUrl, ...content }, "wav")
        const asKept = (audio: KeptSpeech.KeptSpeech | undefined): Effect.Effect<Heard> => {
          count(piece, name)
          return Effect.as(emit({ _tag: "Kept", ...facts }), { piece, audio, warnings: [] })
        }
        const findOrSend = Effect.gen(function* () {
          // An earlier version kept any format.
          const found = Option.filter(
            yield* KeptSpeech.getKept(store, name),
            (audio) => audioProblem(audio) === undefined
          )
          if (Option.isSome(found) && (yield* otherFormat(piece, found.value.format)) === undefined) {
            return yield* asKept(found.value)
          }
          yield* store.reserve?.(name, expectedBytes(asked)) ?? Effect.void
          yield* emit({ _tag: "Started", ...facts })
          const onCallEvent = (event: CallEvent.CallEvent) => emit({ _tag: "Called", ...facts, event })
          const call = { outage, onEvent: onEvent === undefined ? undefined : onCallEvent }
          const heard = yield* send(piece, asked, name, call)
          count(piece, name)
          yield* emit({ _tag: "Done", ...facts })
          return heard
        }).pipe(Effect.scoped)
        const { isOwn, value } = yield* share(name, findOrSend)
        return isOwn ? value : yield* asKept(value.audio)
      })

    const decide = ({ audio, piece }: Heard): Effect.Effect<void> =>
      audio === undefined || piece.index !== deciding
        ? Effect.void
        : Effect.asVoid(Deferred.succeed(expected, audio.format))

    const speak = (piece: Piece): Effect.Effect<Heard, Failed> => {
      if (!piece.speakable) return Effect.succeed({ piece, audio: undefined, warnings: [] })
      deciding ??= piece.index
      return Effect.suspend(() => (isStopped ? Effect.interrupt : obtain(piece))).pipe(
        Effect.tap(decide),
        Effect.onError(() => Deferred.succeed(expected, undefined)),
        turns.withPermits(1),
        Effect.tapError((error) => Effect.sync(() => failed.add(error))),
        Effect.mapError((error) => ({ piece, error }))
      )
    }
    /** Starts no further piece, and waits for those that were sent. */
    const settle = Effect.suspend(() => {
      isStopped = true
      return turns.take(concurrency)
    })
    /** `undefined`: the store keeps nothing. */
    const keptSoFar = Effect.map(
      Effect.suspend(() => isKept(store, known)),
      (keeps) => (keeps ? kept : undefined)
    )
    return { speak, settle, kept: keptSoFar, failed }
  })

/** Joins the audio of the pieces in order. */
const makeJoiner = (
  format: AudioFormat,
  { edgeSilenceMillis = 40, fadeMillis = 5, pauses: given }: LongSpeechOptions
) => {
  const edges: Edges = { edgeSilenceMillis, fadeMillis }
  const pauses = { ...defaultPauses, ...withoutUndefined(given), end: 0 }
  const spoken: Array<SpokenPiece> = []
  const segments: Array<SpokenSegment> = []
  let frames = 0
  const millisOf = (frame: number) => (frame / format.sampleRate) * 1000

  const push = ({ audio, call, piece, warnings }: Heard) =>
    Effect.gen(function* () {
      const bytes =
        audio === undefined ? new Uint8Array(0) : yield* shapePiece(audio.bytes, audio.format, format, edges)
      const pause = PcmStream.silence(format, pauses[piece.boundary])
      const endFrame = frames + bytes.byteLength / bytesPerFrame(format)
      spoken.push({
        number: piece.index + 1,
        text: piece.text,
        textStart: piece.start,
        textEnd: piece.end,
        passage: piece.passage,
        boundary: piece.boundary,
        codePoints: piece.cost,
        startFrame: frames,
        endFrame,
        startMillis: millisOf(frames),
        endMillis: millisOf(endFrame),
        source: audio === undefined ? "silence" : call === undefined ? "kept" : "sent",
        requestId: audio?.requestId,
        call,
        warnings
      })
      if (audio !== undefined) {
        const samples = Pcm.decode(bytes, format.encoding)
        const times = sentenceTimes(piece.text, piece.lang, samples, format.sampleRate)
        for (const { end, estimated, offset, start, text } of times) {
          const textStart = piece.start + offset
          const place = { textStart, textEnd: textStart + text.length }
          segments.push({ text, ...place, start: millisOf(frames + start), end: millisOf(frames + end), estimated })
        }
      }
      frames = endFrame + (pause.byteLength ?? 0) / bytesPerFrame(format)
      return Stream.concat(bytes.byteLength === 0 ? Stream.empty : Stream.make(bytes), pause.stream)
    })
  return {
    push,
    report: (): LongSpeechReport => ({
      format,
      pieces: [...spoken],
      segments: [...segments],
      durationMillis: millisOf(frames)
    })
  }
}

const withoutUndefined = (pauses: Pauses = {}): Partial<Record<keyof Pauses, number>> =>
  Object.fromEntries(Object.entries(pauses).filter(([, millis]) => millis !== undefined))
