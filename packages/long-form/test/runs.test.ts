/** What a long text and a long recording promise alike, each as a job of six pieces. */
import { createHash } from "node:crypto"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { AudioDecoder, PcmStream } from "@effect-speech/audio-codec"
import { LongSpeech, LongTranscription, PieceStore, PieceStoreError } from "@effect-speech/long-form"
import {
  SpeechToText,
  type SpeechToTextService,
  SttBadRequest,
  SttConnectionFailed,
  type SttError
} from "@effect-speech/stt"
import { type CallEvent, CallReport } from "@effect-speech/transport"
import {
  TextToSpeech,
  type TextToSpeechService,
  TtsBadRequest,
  TtsConnectionFailed,
  type TtsError
} from "@effect-speech/tts"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import { effectTests } from "effect-speech-test-support/effectTests"
import { spoken } from "./tones.js"
import { evenWords, requestOf, speak, transcriptOf, type Word } from "./words.js"

const it = effectTests(PieceStore.layerMemory)

interface Options extends Pick<LongSpeech.Options, "concurrency" | "gracePeriod" | "outage"> {
  readonly onEvent?: (event: LongSpeech.Event | LongTranscription.Event) => Effect.Effect<void>
  /** What the pieces hold: equal numbers are equal pieces. Default: six that differ. */
  readonly pieces?: ReadonlyArray<number>
}

interface Job<E> {
  readonly kind: string
  /** `call` runs before the service responds to a piece that holds this number. */
  readonly run: (
    call: (piece: number, options: CallEvent.CallOptions) => Effect.Effect<unknown, E>,
    options?: Options
  ) => Effect.Effect<
    { readonly content: string; readonly sources: ReadonlyArray<string> },
    E | PieceStoreError,
    PieceStore
  >
  readonly refused: E
  /** It may have been billed. */
  readonly lost: E
}

const six = [0, 1, 2, 3, 4, 5]
const names = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"]
const lost = { ...CallReport.nothingSent, billing: "unknown" } as const

const text: Job<TtsError> = {
  kind: "text",
  refused: new TtsBadRequest(),
  lost: new TtsConnectionFailed({ call: lost }),
  run: (call, { pieces = six, ...options } = {}) =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      const client: TextToSpeechService = {
        ...tts,
        synthesize: (request, options = {}) =>
          Effect.zipRight(call(names.indexOf(request.text.slice(0, -5)), options), tts.synthesize(request))
      }
      const passages = pieces.map((piece) => ({ text: `${names[piece]} one.` }))
      const speaking = LongSpeech.stream({ text: passages }, options)
      const speech = yield* Effect.provideService(speaking, TextToSpeech, client)
      const bytes = yield* PcmStream.collect(speech)
      const report = yield* speech.report
      return {
        content: createHash("sha256").update(bytes).digest("hex"),
        sources: report.pieces.map(({ source }) => source)
      }
    }).pipe(Effect.scoped, Effect.provide(TextToSpeech.layerTest(({ text }) => spoken(text))))
}

/** A word in each second. A piece ends in a pause, and has one word. From the third on, pieces of equal words are equal. */
const recordingOf = (pieces: ReadonlyArray<number>) =>
  requestOf(speak(evenWords(pieces.length, 600, 400).map((word, at): Word => ({ ...word, word: pieces[at] ?? 0 }))))

const recording: Job<SttError> = {
  kind: "recording",
  refused: new SttBadRequest(),
  lost: new SttConnectionFailed({ call: lost }),
  run: (call, { pieces = six, ...options } = {}) =>
    Effect.gen(function* () {
      const stt = yield* SpeechToText
      const client: SpeechToTextService = {
        ...stt,
        transcribe: (request, options = {}) =>
          Effect.zipRight(call(Number(transcriptOf(request).text.slice(1)), options), stt.transcribe(request))
      }
      const transcribing = LongTranscription.transcribe(recordingOf(pieces), { maximum: 1300, ...options })
      const transcription = yield* Effect.provideService(transcribing, SpeechToText, client)
      return { content: transcription.text, sources: transcription.pieces.map(({ source }) => source) }
    }).pipe(
      Effect.provide([SpeechToText.layerTest(transcriptOf), AudioDecoder.AudioDecoder.layerWav, NodeFileSystem.layer])
    )
}

const jobs = [text, recording] as ReadonlyArray<Job<TtsError | SttError>>

describe.each(jobs)("a long $kind", ({ lost, refused, run }) => {
  /** Records the pieces that were sent, and fails at one of them. */
  const service = (failing?: number) => {
    const sent: Array<number> = []
    const call = (piece: number) =>
      Effect.suspend(() => {
        sent.push(piece)
        return piece === failing ? Effect.fail(refused) : Effect.void
      })
    return { sent, call }
  }

  it("that fails is resumed by a new run: no piece is paid twice, and the result is that of one run", function* () {
    const first = service(3)
    const error = yield* Effect.flip(run(first.call, { concurrency: 1 }))
    expect(error).toMatchObject({ _tag: refused._tag, call: { piece: { number: 4, kept: 3 } } })
    expect(error.message).toMatch(/To go on, run it again: 3 pieces are kept, and the rest /)
    expect(first.sent).toEqual([0, 1, 2, 3])
    const next = service()
    const resumed = yield* run(next.call)
    expect(next.sent.toSorted()).toEqual([3, 4, 5])
    expect(resumed.sources).toEqual(["kept", "kept", "kept", "sent", "sent", "sent"])
    const undisturbed = yield* Effect.provide(run(service().call), PieceStore.layerMemory)
    expect(resumed.content).toBe(undisturbed.content)
  })

  it("runs as many pieces at once as it may", function* () {
    const three = yield* Deferred.make<void>()
    let [running, most] = [0, 0]
    const call = Effect.gen(function* () {
      most = Math.max(most, ++running)
      if (running === 3) yield* Deferred.succeed(three, undefined)
      yield* Deferred.await(three)
      running--
    })
    yield* run(() => call, { concurrency: 3 })
    expect(most).toBe(3)
  })

  it("gives the time of outage to its calls, and tells their events with the piece", function* () {
    const outages: Array<number> = []
    const seen: Array<object> = []
    const event = { _tag: "Retrying", attempt: 2, delayMillis: 5 } as const
    const call = (_: number, { onEvent = () => Effect.void, outage = 0 }: CallEvent.CallOptions) =>
      Effect.zipRight(
        Effect.sync(() => outages.push(Duration.toMillis(outage))),
        onEvent(event)
      )
    yield* run(call, { pieces: [0], onEvent: (event) => Effect.sync(() => void seen.push(event)) })
    yield* run(call, { pieces: [1], outage: "1 hour" })
    expect(outages).toEqual([300_000, 3_600_000])
    expect(seen).toContainEqual(expect.objectContaining({ _tag: "Called", number: 1, event }))
  })

  it("ends and keeps its pieces in flight after a failure, and starts no other", function* () {
    const failed = yield* Deferred.make<void>()
    const { call, sent } = service(0)
    const inFlight = (piece: number) =>
      Effect.suspend(() => (piece === 0 ? Effect.void : Deferred.await(failed))).pipe(
        Effect.zipRight(call(piece)),
        Effect.ensuring(Deferred.succeed(failed, undefined))
      )
    const error = yield* Effect.flip(run(inFlight, { concurrency: 3 }))
    expect(error).toMatchObject({ call: { piece: { number: 1, kept: sent.length - 1 } } })
    expect(sent.length).toBeLessThanOrEqual(3)
    const next = service()
    yield* run(next.call)
    expect([...sent, ...next.sent].toSorted()).toEqual([0, ...six])
  })

  it("says that something may be billed if another piece was lost after it was sent", function* () {
    const both = yield* Effect.makeSemaphore(2)
    yield* both.take(2)
    const error = yield* Effect.flip(
      run(
        (piece) =>
          piece === 0
            ? Effect.zipRight(both.take(1), Effect.fail(refused))
            : Effect.ensuring(Effect.fail(lost), both.release(1)),
        { concurrency: 2, pieces: [0, 1] }
      )
    )
    expect(error).toMatchObject({ _tag: refused._tag, call: { billing: "unknown", piece: { number: 1, kept: 0 } } })
  })

  it("keeps what is paid if you interrupt it, and interrupts the requests in flight", function* () {
    const [third, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const first = service()
    const endless = Effect.zipRight(Deferred.succeed(third, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
    )
    const call = (piece: number) => (piece === 2 ? endless : first.call(piece))
    const fiber = yield* Effect.fork(run(call, { concurrency: 1 }))
    yield* Deferred.await(third)
    yield* Fiber.interrupt(fiber)
    yield* Deferred.await(interrupted)
    const next = service()
    yield* run(next.call)
    expect([first.sent, next.sent.toSorted()]).toEqual([
      [0, 1],
      [2, 3, 4, 5]
    ])
  })

  it("finishes and keeps its pieces in flight in the grace period of an interruption, and sends no other", function* () {
    const [two, finish] = [yield* Effect.makeSemaphore(2), yield* Deferred.make<void>()]
    yield* two.take(2)
    const first = service()
    const slow = (piece: number) =>
      Effect.zipRight(Effect.zipRight(two.release(1), Deferred.await(finish)), first.call(piece))
    const grace = Deferred.succeed(finish, undefined).pipe(Effect.zipRight(Effect.never))
    const done: Array<string> = []
    const fiber = yield* Effect.fork(
      run(slow, {
        concurrency: 2,
        gracePeriod: grace,
        onEvent: ({ _tag }) => Effect.sync(() => void done.push(_tag))
      })
    )
    yield* two.take(2)
    expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
    expect(first.sent.toSorted()).toEqual([0, 1])
    expect(done.filter((tag) => tag === "Done").length).toBe(2)
    const next = service()
    yield* run(next.call)
    expect(next.sent.toSorted()).toEqual([2, 3, 4, 5])
  })

  it("interrupts its pieces in flight when the duration of the grace period is over", function* () {
    const started = yield* Deferred.make<void>()
    const endless = Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)
    const fiber = yield* Effect.fork(run(() => endless, { gracePeriod: "50 millis" }))
    yield* Deferred.await(started)
    const [duration, exit] = yield* Effect.timed(Fiber.interrupt(fiber))
    expect(Exit.isInterrupted(exit)).toBe(true)
    expect(Duration.toMillis(duration)).toBeGreaterThanOrEqual(45)
  })

  it("asks a call for its events only if somebody needs them", function* () {
    const onEvents = (options: Options) =>
      Effect.gen(function* () {
        const given: Array<boolean> = []
        yield* Effect.provide(
          run((_, { onEvent }) => Effect.sync(() => void given.push(onEvent !== undefined)), {
            pieces: [0],
            ...options
          }),
          PieceStore.layerMemory
        )
        return given
      })
    expect(yield* onEvents({})).toEqual([false])
    expect(yield* onEvents({ gracePeriod: 0 })).toEqual([true])
    expect(yield* onEvents({ onEvent: () => Effect.void })).toEqual([true])
  })

  it("interrupts its pieces in flight when the grace period is over", function* () {
    const [started, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const endless = Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)
    const fiber = yield* Effect.fork(run(() => endless, { gracePeriod: Deferred.await(isOver) }))
    yield* Deferred.await(started)
    const interruption = yield* Effect.fork(Fiber.interrupt(fiber))
    yield* Effect.sleep("20 millis")
    expect(Option.isNone(yield* Fiber.poll(interruption))).toBe(true)
    yield* Deferred.succeed(isOver, undefined)
    expect(Exit.isInterrupted(yield* Fiber.join(interruption))).toBe(true)
  })

  it("waits for no call that is not in flight: one that waits for its turn, or for a retry", function* () {
    const started = yield* Deferred.make<void>()
    const events = [
      { _tag: "Queued", ahead: 3 },
      { _tag: "Retrying", attempt: 2, delayMillis: 60_000 }
    ] as const
    for (const event of events) {
      const call = (_: number, { onEvent = () => Effect.void }: CallEvent.CallOptions) =>
        onEvent(event).pipe(Effect.zipRight(Deferred.succeed(started, undefined)), Effect.zipRight(Effect.never))
      const fiber = yield* Effect.fork(run(call, { gracePeriod: Effect.never }))
      yield* Deferred.await(started)
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
    }
    // A call that fails in the grace period is not repeated.
    const [inFlight, failed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const call = (_: number, { onEvent = () => Effect.void }: CallEvent.CallOptions) =>
      Deferred.succeed(inFlight, undefined).pipe(
        Effect.zipRight(Deferred.await(failed)),
        Effect.zipRight(onEvent({ _tag: "Retrying", attempt: 2, delayMillis: 60_000 })),
        Effect.zipRight(Effect.never)
      )
    const gracePeriod = Effect.zipRight(Deferred.succeed(failed, undefined), Effect.never)
    const fiber = yield* Effect.fork(run(call, { concurrency: 1, gracePeriod }))
    yield* Deferred.await(inFlight)
    expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
  })

  it("pays once for equal pieces that run at the same time", function* () {
    const { call, sent } = service()
    const equal = [0, 1, 2, 2, 2, 3]
    const { sources } = yield* run((piece) => Effect.zipLeft(call(piece), Effect.yieldNow()), { pieces: equal })
    expect(sent.toSorted()).toEqual([0, 1, 2, 3])
    expect(sources.filter((source) => source === "kept").length).toBe(2)
  })

  it("names the piece whose result can't be kept", function* () {
    const { call, sent } = service()
    const full = new PieceStoreError({ operation: "put", store: "full", message: "The disk is full." })
    const error = yield* run(call, { concurrency: 1 }).pipe(
      Effect.flip,
      Effect.provideService(PieceStore, { get: () => Effect.succeedNone, put: () => full })
    )
    expect(error).toMatchObject({ _tag: "PieceStoreError", piece: { number: 1, kept: 0 } })
    expect(error.message).toMatch(/^The disk is full\. Piece 1\b.*, from /)
    expect(sent).toEqual([0])
  })

  it("sends no piece for whose result the store makes no room", function* () {
    const { call, sent } = service()
    const full = new PieceStoreError({ operation: "reserve", store: "full", message: "The disk is full." })
    const store = { get: () => Effect.succeedNone, put: () => Effect.void, reserve: () => full }
    expect(yield* Effect.flip(Effect.provideService(run(call), PieceStore, store))).toMatchObject({
      _tag: "PieceStoreError",
      operation: "reserve"
    })
    expect(sent).toEqual([])
  })

  it("does not say that pieces are kept if the store keeps nothing", function* () {
    const nothing = { get: () => Effect.succeedNone, put: () => Effect.void }
    const error = yield* run(service(2).call, { concurrency: 1 }).pipe(
      Effect.flip,
      Effect.provideService(PieceStore, nothing)
    )
    expect(error).toMatchObject({ call: { piece: { number: 3, kept: 0 } } })
    expect(error.message).not.toMatch(/kept|run it again/)
  })

  it("is not disturbed by a handler of events that fails, or that never ends", function* () {
    for (const handling of [Effect.die("no terminal"), Effect.never]) {
      const seen: Array<string> = []
      const { sources } = yield* run(service().call, {
        onEvent: ({ _tag }) =>
          Effect.zipRight(
            Effect.sync(() => seen.push(_tag)),
            handling
          )
      }).pipe(Effect.provide(PieceStore.layerMemory), Logger.withMinimumLogLevel(LogLevel.None))
      expect(sources.length).toBe(6)
      expect(seen.length === 1).toBe(handling === Effect.never)
    }
  })

  it("tells all its events in order to a handler that is slow", function* () {
    const seen: Array<string> = []
    const all = yield* Deferred.make<void>()
    yield* run(service().call, {
      concurrency: 1,
      pieces: [0, 1, 2],
      onEvent: ({ _tag }) =>
        Effect.zipRight(
          Effect.yieldNow(),
          // A plan may be replaced by the next one before the handler gets it.
          Effect.suspend(() =>
            _tag !== "Planned" && seen.push(_tag) === 6 ? Deferred.succeed(all, undefined) : Effect.void
          )
        )
    })
    yield* Deferred.await(all)
    expect(seen).toEqual(["Started", "Done", "Started", "Done", "Started", "Done"])
  })
})
