import { createHash } from "node:crypto"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Archive, Operation, type Run, Source, Worker } from "@effect-speech/archive"
import { AudioDecoder, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Stt from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Tts from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { complete, piecesOf } from "../src/internal/output/write.js"

const { SpeechToText } = Stt
const { TextToSpeech } = Tts

const folder = mkdtempSync(join(tmpdir(), "archive-worker-"))
afterAll(() => rmSync(folder, { recursive: true }))

const callId = "7f3c0f3e-1b2a-5c5d-8e9f-0a1b2c3d4e5f"
const format = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const

/** A tone with a pause in the middle of each second. */
const recording = (seconds: number): Uint8Array => {
  const samples = Int16Array.from({ length: seconds * 8000 }, (_, at) =>
    at % 8000 > 4000 && at % 8000 < 6000 ? 0 : 9000 * Math.sin(at / 3)
  )
  return Wav.encode(format, new Uint8Array(samples.buffer))
}

/** A tone of another pitch in each second, so that no two pieces are equal. */
const spoken = (seconds: number): Uint8Array =>
  Wav.encode(
    format,
    new Uint8Array(
      Int16Array.from({ length: seconds * 8000 }, (_, at) =>
        at % 8000 > 7000 ? 0 : 9000 * Math.sin(at / (3 + Math.floor(at / 8000)))
      ).buffer
    )
  )

const write = (name: string, content: Uint8Array | string): string => {
  writeFileSync(join(folder, name), content)
  return name
}

const settings = (operation: Operation.Operation, changes: Partial<Run.RunSettings> = {}): Run.RunSettings => ({
  operation,
  root: folder,
  source: "test",
  byContent: false,
  output: { directory: join(folder, "out"), format: operation._tag === "Synthesize" ? "wav" : "txt" },
  unanswered: "hold",
  ...changes
})

const transcribing = (changes: Partial<Run.RunSettings> = {}) => settings(Operation.transcribe({ model: "m" }), changes)

/** The file as its source lists it. */
const claimed = (source: Source.Source, path?: string) =>
  Effect.map(
    Stream.runHead(Stream.filter(source.items(), (item) => path === undefined || item.path === path)),
    (item) => ({ run: "run", seq: 1, callId, attempts: 1, ...Option.getOrThrow(item) })
  )

const listed = (name: string, options: Source.FolderOptions = {}) =>
  Effect.flatMap(Source.folder(folder, { extensions: "all", ...options }), (source) => claimed(source, name))

const answering = (answer: Stt.TestAnswer) => Layer.merge(SpeechToText.layerTest(answer), NodeFileSystem.layer)

const aux = (
  confidence: number,
  ...segments_meta: ReadonlyArray<Record<string, unknown> & { confidence?: number }>
) => ({
  confidence,
  segments_meta
})

const replaceByFolder = (path: string): void => {
  rmSync(path)
  mkdirSync(path)
}

describe("a transcription of a run", () => {
  it.effect("sends the recording under the id of its file, and records what the service states", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("short.wav", recording(2)))
      const operation = Operation.transcribe({ model: "en-x", parseNumber: true, additionalFields: { a: "b" } })
      const settlement = yield* Worker.transcription.call({ file, settings: settings(operation) })
      expect(settlement).toEqual({
        _tag: "Done",
        result: {
          text: "One. Two.",
          durationMillis: 2000,
          confidence: 0.5,
          segments: [{ start: 100, end: 900, text: "One.", confidence: 0.9 }],
          warnings: ["ParseNumberWithoutEffect"]
        },
        billing: "unknown",
        credits: 2
      })
      const [sent, ...others] = yield* SpeechToText.calls
      expect(sent).toMatchObject({
        model: "en-x",
        parseNumber: true,
        aux: true,
        transactionId: callId,
        additionalFields: { a: "b" }
      })
      expect(others).toEqual([])
    }).pipe(
      Effect.provide(
        answering({
          text: "One. Two.",
          auxInfo: aux(0.5, { start: 0.1, end: 0.9, text: " One. ", confidence: 0.9 }, {})
        })
      )
    )
  )

  it.effect("says that the segments of a response do not have the words of its text", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("differs.wav", recording(2)))
      const settlement = yield* Worker.transcription.call({ file, settings: transcribing() })
      expect(settlement).toMatchObject({
        result: { text: "One. Two.", segments: [{ text: "One." }], warnings: ["SegmentTextsDiffer"] }
      })
    }).pipe(Effect.provide(answering({ text: "One. Two.", auxInfo: aux(0.5, { start: 0.1, end: 0.9, text: "One." }) })))
  )

  it.effect("sends a long recording in pieces, which are kept until the file is complete", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("long.wav", recording(5)))
      const { output, ...rest } = settings(Operation.transcribe({ model: "m", pieceMillis: 2000 }))
      const job = { file, settings: { ...rest, output } }
      const settlement = yield* Worker.transcription.call(job)
      const calls = yield* SpeechToText.calls
      expect(calls.length).toBeGreaterThan(2)
      expect(settlement).toMatchObject({ _tag: "Done", credits: 6, keptCredits: 0 })
      const pieces = piecesOf(output.directory, callId)
      expect(readdirSync(pieces).length).toBeGreaterThan(0)
      // The process died before the result was recorded: the pieces are not paid again.
      const again = yield* Worker.transcription.call(job)
      expect(again).toEqual({ ...settlement, credits: 0, keptCredits: 6, notReached: true })
      expect((yield* SpeechToText.calls).length).toBe(calls.length)
      if (settlement._tag === "Done") yield* complete(output, { ...file, ...settlement })
      expect(readdirSync(join(pieces, ".."))).toEqual([])
    }).pipe(Effect.provide(answering("One.")))
  )

  it.effect("gets the times of subtitles, also of a short recording", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("titled.wav", recording(2)))
      const { directory } = transcribing().output
      const operation = Operation.transcribe({
        model: "m",
        segmentFields: { start: "t.0", end: "t.1", unit: "millis" }
      })
      const output = { directory, format: "srt" } as const
      const settlement = yield* Worker.transcription.call({ file, settings: settings(operation, { output }) })
      expect(settlement).toMatchObject({ _tag: "Done", result: { segments: [{ start: 100, end: 900, text: "One." }] } })
      if (settlement._tag === "Done") yield* complete(output, { ...file, ...settlement })
      expect(readFileSync(join(directory, "titled.wav.srt"), "utf8")).toBe("1\n00:00:00,100 --> 00:00:00,933\nOne.\n")
    }).pipe(Effect.provide(answering({ text: "One.", auxInfo: aux(0.5, { t: [100, 900], text: "One." }) })))
  )

  it.effect("sends a long recording in another container whole, unless it has a decoder", () =>
    Effect.gen(function* () {
      const path = fileURLToPath(new URL("../../audio-codec/test/recordings/xing.mp3", import.meta.url))
      const file = yield* listed(write("x.mp3", readFileSync(path)))
      const unstated = yield* listed(write("x.webm", readFileSync(path.replace("xing.mp3", "streamed.webm"))))
      const call = (given: typeof file) => Worker.transcription.call({ file: given, settings: transcribing() })
      expect(yield* call(unstated)).toMatchObject({
        _tag: "Done",
        credits: Math.ceil((unstated.size * 8) / 6_000),
        result: { warnings: ["SentWhole"] }
      })
      const decoder = AudioDecoder.AudioDecoder.of({
        decode: () => Effect.succeed(PcmStream.fromBytes(format, recording(3).subarray(44)))
      })
      const decoded = yield* Effect.provideService(call(unstated), AudioDecoder.AudioDecoder, decoder)
      expect(decoded).toMatchObject({ _tag: "Done", result: { durationMillis: 3000 }, credits: 3 })
      const short = yield* call(file)
      expect(short).toMatchObject({ _tag: "Done", result: { durationMillis: 288 }, credits: 1 })
      expect(JSON.stringify(short)).not.toContain("SentWhole")
      expect(JSON.stringify(decoded)).not.toContain("SentWhole")
    }).pipe(Effect.provide(answering("One.")))
  )

  it.effect("knows the cost of a call in started seconds, if the header states it", () =>
    Effect.gen(function* () {
      const costOf = (name: string) =>
        Effect.flatMap(listed(name), (file) => Worker.transcription.cost({ file, settings: transcribing() }))
      expect(yield* costOf(write("cost.wav", recording(2)))).toEqual({ most: 2, isStated: true })
      expect(yield* costOf(write("cost.txt", "text"))).toEqual({ most: 0, isStated: true })
      const path = fileURLToPath(new URL("../../audio-codec/test/recordings/streamed.webm", import.meta.url))
      const { most, ...cost } = yield* costOf(write("cost.webm", readFileSync(path)))
      expect(cost).toEqual({ isStated: false })
      expect(most).toBeGreaterThanOrEqual(Math.ceil((readFileSync(path).byteLength * 8) / 6_000))
    }).pipe(Effect.provide(answering("")))
  )

  it.effect("counts each attempt that may be billed, such as one that a 500 answered", () =>
    Effect.gen(function* () {
      const attempt = (status: number) => ({ status, sent: "all" as const, delayMillis: 0, elapsedMillis: 0 })
      const report = (...statuses: ReadonlyArray<number>) => ({
        sentId: callId,
        attempts: statuses.map(attempt),
        billing: "unknown" as const,
        elapsedMillis: 0
      })
      const file = yield* listed(write("attempts.wav", recording(2)))
      const call = (answer: Stt.TestAnswer) =>
        Effect.provide(Worker.transcription.call({ file, settings: transcribing() }), answering(answer))
      expect(yield* call({ text: "One.", call: report(503, 500, 200) })).toMatchObject({ _tag: "Done", credits: 4 })
      const failed = new Stt.SttServerError({ status: 500, call: report(500, 500, 500) })
      expect(yield* call(failed)).toMatchObject({ _tag: "Held", credits: 6 })
      const refused = new Stt.SttUnauthorized({ call: report(500, 401) })
      expect(yield* call(refused)).toMatchObject({ _tag: "Unsaved", credits: 2 })
    })
  )

  it.effect("that fails in a piece has cost its other pieces, and what the piece may have cost", () =>
    Effect.gen(function* () {
      const operation = Operation.transcribe({ model: "m", pieceMillis: 1000 })
      for (const [name, error, state, mayBeBilled] of [
        ["refused", new Stt.SttBadRequest(), "Failed", 0],
        ["suspended", new Stt.SttCreditExhausted(), "Refused", 0],
        ["away", new Stt.SttConnectionFailed({ reason: "refused" }), "Unavailable", 0],
        ["unknown", new Stt.SttServerError(call("unknown")), "Held", 1]
      ] as const) {
        const file = { ...(yield* listed(write(`${name}.wav`, spoken(4)))), callId: crypto.randomUUID() }
        const job = { file, settings: settings(operation) }
        let calls = 0
        let paid = 0
        const failing = answering(() => (++calls === 3 ? Effect.fail(error) : Effect.sync(() => `Piece ${++paid}.`)))
        const settlement = yield* Effect.provide(Worker.transcription.call(job), failing)
        expect(paid).toBeGreaterThan(1)
        // Each piece lasts a second at most.
        expect(settlement).toMatchObject({ _tag: state, credits: paid + mayBeBilled })
        const keptCredits = paid
        // The pieces that were paid are not paid again.
        const again = yield* Effect.provide(Worker.transcription.call(job), failing)
        expect(again).toMatchObject({ _tag: "Done", credits: paid - keptCredits, keptCredits })
      }
    })
  )

  it.effect.each([
    ["FileGone", (path: string) => rmSync(path), "does not exist any more"],
    ["FileChanged", (path: string) => writeFileSync(path, recording(2)), "changed after it was listed"],
    ["FileChanged", (path: string) => utimesSync(path, 1000, 1000), "changed after it was listed"],
    ["FileEmpty", (path: string) => truncateSync(path), "is empty"],
    ["NotAFile", replaceByFolder, "is not a file any more"]
  ] as const)("sends nothing if the file changed after it was listed: %s", ([tag, change, words]) =>
    Effect.gen(function* () {
      const name = write(`${tag}-${words.length}.wav`, recording(1))
      const file = yield* listed(name)
      change(join(folder, name))
      const settlement = yield* Worker.transcription.call({ file, settings: transcribing() })
      expect(settlement).toMatchObject({ _tag: "Failed", error: { tag }, billing: "notBilled" })
      expect(JSON.stringify(settlement)).toContain(`${name} ${words}`)
      expect(yield* SpeechToText.calls).toEqual([])
      rmSync(join(folder, name), { recursive: true, force: true })
    }).pipe(Effect.provide(answering("")))
  )

  it.effect("sends a file that is known by its content, though its time changed, but not another content", () =>
    Effect.gen(function* () {
      const name = write("content.wav", recording(1))
      const file = yield* listed(name, { byContent: true })
      const call = Worker.transcription.call({ file, settings: transcribing({ byContent: true }) })
      utimesSync(join(folder, name), 1000, 1000)
      expect(yield* call).toMatchObject({ _tag: "Done" })
      writeFileSync(join(folder, name), recording(1).fill(1, 100))
      expect(yield* call).toMatchObject({ _tag: "Failed", error: { tag: "FileChanged" } })
    }).pipe(Effect.provide(answering("")))
  )

  it.effect("sends nothing that is no recording, such as two gigabytes of nothing", () =>
    Effect.gen(function* () {
      const name = write("sparse.wav", "")
      truncateSync(join(folder, name), 2 ** 31)
      for (const path of [name, write("text.wav", "Dear all")]) {
        const settlement = yield* Worker.transcription.call({ file: yield* listed(path), settings: transcribing() })
        expect(settlement).toMatchObject({ _tag: "Failed", error: { tag: "NotARecording" }, billing: "notBilled" })
      }
      expect(yield* SpeechToText.calls).toEqual([])
      rmSync(join(folder, name))
    }).pipe(Effect.provide(answering("")))
  )
})

describe("a transcription that recognised nothing", () => {
  it.effect("has a warning, also if the service does not say so", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("nothing.wav", recording(1)))
      const settlement = yield* Worker.transcription.call({ file, settings: transcribing() })
      expect(settlement).toMatchObject({ _tag: "Done", result: { text: "", warnings: ["NothingRecognised"] } })
    }).pipe(Effect.provide(answering("")))
  )
})

describe("a file that was away", () => {
  const orRetry = "If that does not call it, retry the files of this tag."
  let directories = 0

  /** A run over `a.wav` in a folder of its own. */
  const inFolder = <A, E, R>(
    body: (run: {
      readonly path: string
      readonly start: (limits?: Run.Limits) => Effect.Effect<Run.RunStatus, unknown, Archive>
      readonly resume: (limits?: Run.Limits) => Effect.Effect<Run.RunStatus, unknown, Archive>
      readonly retry: (only: string) => Effect.Effect<Run.RunStatus, unknown, Archive>
      readonly errors: Effect.Effect<ReadonlyArray<string>, unknown, Archive>
    }) => Effect.Effect<A, E, R | Archive>
  ) => {
    const directory = join(folder, `away-${++directories}`)
    const calls = join(directory, "calls")
    mkdirSync(calls, { recursive: true })
    let id = ""
    const run = (begin: (archive: Archive["Type"]) => Effect.Effect<Run.RunStatus, unknown>) =>
      Effect.gen(function* () {
        const archive = yield* Archive
        id = (yield* begin(archive)).id
        return Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
      })
    const start = (limits: Run.Limits = {}) =>
      run((archive) =>
        Effect.flatMap(Source.folder(calls), (source) =>
          archive.start({
            source,
            operation: Operation.transcribe({ model: "m" }),
            output: { directory: join(directory, "out"), format: "txt" },
            limits
          })
        )
      )
    return body({
      path: join(calls, "a.wav"),
      start,
      resume: (limits = {}) => run((archive) => archive.resume(id, { limits })),
      retry: (only) => run((archive) => archive.retryFailed(id, { only })),
      errors: Effect.flatMap(Archive, (archive) =>
        Effect.map(Stream.runCollect(archive.results(id)), (files) =>
          [...files].map(({ attempts, error }) => `${attempts} ${error?.message}`)
        )
      )
    }).pipe(
      Effect.provide(Archive.layerEmbedded({ path: join(directory, "runs.db"), workers: [Worker.transcription] })),
      Effect.provide(answering("One."))
    )
  }
  const setTime = (path: string) => utimesSync(path, 1_000, 1_000)

  it.live("when it was listed is called by the next run, as its sentence says", () =>
    inFolder(({ errors, path, start }) =>
      Effect.gen(function* () {
        symlinkSync(`${path}.away`, path)
        writeFileSync(join(path, "..", "b.wav"), recording(1))
        expect(yield* start()).toMatchObject({ counts: { done: 1, failed: 1 }, failures: { FileGone: 1 } })
        expect((yield* errors)[0]).toBe(
          `0 ${path} can't be opened: it does not exist, or is a link to nothing. Restore it, or remove the link, and run again.`
        )
        writeFileSync(`${path}.away`, recording(1))
        expect(yield* start()).toMatchObject({ counts: { done: 2, failed: 0 } })
      })
    )
  )

  it.live.each<readonly [string, string, (path: string) => void, (path: string) => void]>([
    ["FileGone", "does not exist any more.", (path) => rmSync(path), (path) => writeFileSync(path, recording(1))],
    [
      "NotAFile",
      "is not a file any more.",
      replaceByFolder,
      (path) => {
        rmSync(path, { recursive: true })
        writeFileSync(path, recording(1))
      }
    ],
    ["FileEmpty", "is empty.", (path) => truncateSync(path), (path) => writeFileSync(path, recording(1))],
    [
      "FileUnreadable",
      "can't be read (ENOTDIR).",
      (path) => {
        rmSync(join(path, ".."), { recursive: true })
        writeFileSync(join(path, ".."), "")
      },
      (path) => {
        rmSync(join(path, ".."))
        mkdirSync(join(path, ".."))
        writeFileSync(path, recording(1))
      }
    ]
  ])("when it was called is called as its sentence says: %s", ([tag, words, remove, restore]) =>
    Effect.forEach(tag === "FileGone" ? [true, false] : [true], (hasItsTime) =>
      inFolder(({ errors, path, resume, retry, start }) =>
        Effect.gen(function* () {
          writeFileSync(path, recording(1))
          setTime(path)
          expect(yield* start({ maxFiles: 0 })).toMatchObject({ state: "suspended" })
          remove(path)
          expect(yield* resume()).toMatchObject({ state: "ended", failures: { [tag]: 1 } })
          const [sentence] = yield* errors
          expect(sentence).toContain(`0 ${path} ${words} Nothing was sent now.`)
          expect(sentence).toContain(` and run again. ${orRetry}`)
          restore(path)
          if (hasItsTime) setTime(path)
          const again = yield* start()
          expect(again.counts.done).toBe(hasItsTime ? 0 : 1)
          if (hasItsTime) expect(yield* retry(tag)).toMatchObject({ counts: { done: 1, failed: 0 } })
          expect((yield* SpeechToText.calls).length).toBe(1)
        })
      )
    )
  )

  it.live("counts for no limit of files", () =>
    inFolder(({ path, resume, start }) =>
      Effect.gen(function* () {
        for (const name of [path, join(path, "..", "b.wav")]) writeFileSync(name, recording(1))
        yield* start({ maxFiles: 0 })
        rmSync(path)
        expect(yield* resume({ maxFiles: 1 })).toMatchObject({ state: "ended", counts: { done: 1, failed: 1 } })
      })
    )
  )
})

describe("a run with a limit of credits", () => {
  const path = fileURLToPath(new URL("../../audio-codec/test/recordings/streamed.webm", import.meta.url))
  /** Three recordings of 20 seconds, which are much longer than their size suggests. */
  const sparse = AudioDecoder.AudioDecoder.of({
    decode: () => Effect.succeed(PcmStream.fromBytes(format, recording(20).subarray(44)))
  })
  const limited = (name: string, maxCredits: number) =>
    Effect.gen(function* () {
      const directory = join(folder, name)
      mkdirSync(directory)
      for (const each of ["a", "b", "c"]) writeFileSync(join(directory, `${each}.webm`), readFileSync(path))
      const archive = yield* Archive
      const request = {
        source: yield* Source.folder(directory),
        operation: Operation.transcribe({ model: "m" }),
        output: { directory: join(folder, `${name}-out`), format: "txt" },
        limits: { maxCredits }
      } as const
      expect(yield* archive.plan(request)).toMatchObject({ cost: 0, unknownCost: 3 })
      const { id } = yield* archive.start(request)
      return Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
    }).pipe(
      Effect.provide(Archive.layerEmbedded({ path: join(folder, `${name}.db`), workers: [Worker.transcription] }))
    )

  it.live("measures recordings whose header states no duration, and does not exceed it by them", () =>
    Effect.gen(function* () {
      const status = yield* limited("measured", 50)
      expect(status).toMatchObject({
        state: "suspended",
        suspension: { tag: "CreditLimit" },
        counts: { done: 2, pending: 1 }
      })
      expect(status.credits).toBe(40)
    }).pipe(Effect.provideService(AudioDecoder.AudioDecoder, sparse), Effect.provide(answering("One.")))
  )

  it.live("sends none of them if no decoder can measure it", () =>
    Effect.gen(function* () {
      const status = yield* limited("unmeasured", 50)
      expect(status).toMatchObject({ state: "ended", failures: { LengthUnknown: 3 }, credits: 0 })
      expect((yield* SpeechToText.calls).length).toBe(0)
    }).pipe(Effect.provide(answering("One.")))
  )
})

describe("a recording that changes", () => {
  it.effect("between the look at it and its call is not sent as the one that was listed", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("replaced.wav", recording(2)))
      const path = join(folder, "replaced.wav")
      const fs = yield* FileSystem.FileSystem
      let opened = 0
      const replacing: FileSystem.FileSystem = {
        ...fs,
        open: (...given) =>
          Effect.suspend(() => {
            // The first time its header is read, and then it is sent.
            if (++opened === 2) {
              writeFileSync(path, spoken(2))
              utimesSync(path, 1, 1)
            }
            return fs.open(...given)
          })
      }
      // Nothing listens there.
      const client = SpeechToText.layer({
        apiKey: Redacted.make("key.secret"),
        baseUrl: "http://127.0.0.1:9",
        allowInsecureHttp: true,
        retries: 0
      })
      const system = Layer.merge(NodeTransport.layer, Layer.succeed(FileSystem.FileSystem, replacing))
      const settlement = yield* Effect.provide(
        Worker.transcription.call({ file, settings: transcribing() }),
        Layer.provideMerge(client, system)
      )
      expect(settlement).toMatchObject({ _tag: "Failed", error: { tag: "SttAudioUnreadable" }, notReached: true })
      expect(opened).toBe(2)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("a recording in pieces", () => {
  /** 30 pieces, two at once, each of which takes 100 ms. */
  const inPieces = (name: string) =>
    Effect.gen(function* () {
      const directory = join(folder, name)
      mkdirSync(directory)
      writeFileSync(join(directory, "long.wav"), spoken(30))
      const request = {
        source: yield* Source.folder(directory),
        operation: Operation.transcribe({ model: "m", pieceMillis: 1_000 }),
        output: { directory: join(folder, `${name}-out`), format: "txt" }
      } as const
      const layer = Archive.layerEmbedded({
        path: join(folder, `${name}.db`),
        workers: [Worker.transcription],
        concurrency: 2
      })
      const calls = Effect.map(SpeechToText.calls, ({ length }) => length)
      const begun = (least: number) => Effect.repeat(Effect.delay(calls, 10), { until: (count) => count >= least })
      return { begun, calls, layer, request }
    })
  const slowly = Effect.provide(answering(() => Effect.as(Effect.sleep(100), "One.")))
  const texts = ({ counts, credits, state }: Run.RunStatus) => ({ state, ...counts, credits })

  it.live("begins no piece after a pause, and each is sent once", () =>
    Effect.gen(function* () {
      const { begun, calls, layer, request } = yield* inPieces("pause-pieces")
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* archive.start(request)
        yield* begun(6)
        yield* archive.pause(id)
        const atPause = yield* calls
        const paused = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        const sent = yield* calls
        expect(sent).toBeLessThanOrEqual(atPause + 1)
        expect(texts(paused)).toMatchObject({ state: "paused", pending: 1, started: 0, held: 0 })
        expect(paused.credits).toBeGreaterThanOrEqual(sent)
        yield* archive.resume(id)
        const ended = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        expect(texts(ended)).toMatchObject({ state: "ended", done: 1 })
        expect(new Set((yield* SpeechToText.calls).map(({ transactionId }) => transactionId)).size).toBe(yield* calls)
        expect(ended.credits).toBeGreaterThanOrEqual(30)
      }).pipe(Effect.provide(layer))
    }).pipe(slowly)
  )

  it.live("begins no piece after its process was asked to end, and the next process sends the others", () =>
    Effect.gen(function* () {
      const { begun, calls, layer, request } = yield* inPieces("end-pieces")
      const process = yield* Effect.fork(
        Effect.flatMap(Archive, (archive) => Effect.zipRight(archive.start(request), Effect.never)).pipe(
          Effect.provide(layer)
        )
      )
      yield* begun(6)
      const atEnd = yield* calls
      yield* Fiber.interrupt(process)
      expect(yield* calls).toBeLessThanOrEqual(atEnd + 1)
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* archive.start(request)
        const ended = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        expect(texts(ended)).toMatchObject({ state: "ended", done: 1, held: 0 })
        expect(new Set((yield* SpeechToText.calls).map(({ transactionId }) => transactionId)).size).toBe(yield* calls)
      }).pipe(Effect.provide(layer))
    }).pipe(slowly)
  )
})

describe("a run whose recordings are away all at once", () => {
  it.live("is suspended, fails no file for it, and goes on when they are back", () =>
    Effect.gen(function* () {
      const directory = join(folder, "share")
      mkdirSync(directory)
      for (const name of ["a", "b", "c"]) writeFileSync(join(directory, `${name}.wav`), recording(1))
      const archive = yield* Archive
      const { id } = yield* archive.start({
        source: yield* Source.folder(directory),
        operation: Operation.transcribe({ model: "m" }),
        output: { directory: join(folder, "share-out"), format: "txt" },
        limits: { maxFiles: 1 }
      })
      const stopped = Effect.map(Stream.runLast(archive.progress(id)), Option.getOrThrow)
      expect(yield* stopped).toMatchObject({ suspension: { tag: "FileLimit" }, counts: { done: 1 } })
      renameSync(directory, `${directory}-unmounted`)
      yield* archive.resume(id, { limits: {} })
      expect(yield* stopped).toMatchObject({
        state: "suspended",
        suspension: { tag: "SourceGone", message: expect.stringContaining(`${directory} does not exist any more.`) },
        counts: { done: 1, pending: 2, failed: 0 }
      })
      renameSync(`${directory}-unmounted`, directory)
      yield* archive.resume(id)
      expect(yield* stopped).toMatchObject({ state: "ended", counts: { done: 3 } })
    }).pipe(
      Effect.provide(Archive.layerEmbedded({ path: join(folder, "share.db"), workers: [Worker.transcription] })),
      Effect.provide(answering("One."))
    )
  )
})

describe("a run with a limit of credits, over recordings in pieces that fail,", () => {
  it.live("spends no more than the limit, and counts each piece once, however often its files are retried", () =>
    Effect.gen(function* () {
      const directory = join(folder, "failing")
      mkdirSync(directory)
      for (const name of ["a", "b", "c"]) {
        writeFileSync(join(directory, `${name}.wav`), spoken(3 + name.charCodeAt(0) - 97))
      }
      let calls = 0
      let paid = 0
      const clients = answering(() =>
        ++calls % 3 === 0 ? Effect.fail(new Stt.SttBadRequest()) : Effect.sync(() => `Piece ${++paid}.`)
      )
      const states = yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* archive.start({
          source: yield* Source.folder(directory),
          operation: Operation.transcribe({ model: "m", pieceMillis: 1000 }),
          output: { directory: join(folder, "failing-out"), format: "txt" },
          limits: { maxCredits: 30 }
        })
        let status = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        for (let times = 0; times < 9 && status.counts.failed > 0 && status.state === "ended"; times++) {
          // Each piece lasts a second at most.
          expect(status.credits).toBe(paid)
          yield* archive.retryFailed(id)
          status = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        }
        expect(status.credits).toBe(paid)
        return status
      }).pipe(
        Effect.provide(Archive.layerEmbedded({ path: join(folder, "failing.db"), workers: [Worker.transcription] })),
        Effect.provide(clients)
      )
      expect(paid).toBeLessThanOrEqual(30)
      expect(states.state).toBe("ended")
      expect(states.counts.done).toBe(3)
    })
  )
})

describe("a run of subtitles without a decoder", () => {
  it.effect("does not start with a recording that must be cut, and names the package to install", () =>
    Effect.gen(function* () {
      const directory = join(folder, "uncut")
      mkdirSync(directory)
      const path = fileURLToPath(new URL("../../audio-codec/test/recordings/xing.mp3", import.meta.url))
      writeFileSync(join(directory, "a.wav"), recording(1))
      writeFileSync(join(directory, "b.mp3"), readFileSync(path))
      const start = (format: "srt" | "txt") =>
        Effect.gen(function* () {
          const archive = yield* Archive
          return yield* archive.start({
            source: yield* Source.folder(directory),
            operation: Operation.transcribe({ model: "m" }),
            output: { directory: join(folder, `uncut-${format}`), format }
          })
        }).pipe(
          Effect.provide(
            Archive.layerEmbedded({ path: join(folder, `uncut-${format}.db`), workers: [Worker.transcription] })
          )
        )
      const error = yield* Effect.flip(start("srt"))
      expect(error).toMatchObject({ _tag: "RunInvalid", field: "output.format" })
      expect(error.message).toContain(`${directory}/b.mp3 is no WAV`)
      expect(error.message).toContain("Install @effect-speech/local-service")
      expect(yield* SpeechToText.calls).toEqual([])
      expect((yield* start("txt")).counts.failed).toBe(0)
      expect((yield* Effect.provide(start("srt"), untouched)).counts.failed).toBe(0)
    }).pipe(Effect.provide(answering("One.")))
  )
})

/** A decoder that a run must find, before it cuts anything. */
const untouched = Layer.succeed(AudioDecoder.AudioDecoder, { decode: () => Effect.dieMessage("not yet") })

const call = (billing: "notBilled" | "unknown") => ({ call: { sentId: "id", attempts: [], billing, elapsedMillis: 0 } })

/** A call that never reached the service is none. */
const reach = ({ _tag, call, category }: Stt.SttError) =>
  (category === "connection" || _tag === "SttInvalidRequest" || _tag === "SttAudioUnreadable") &&
  call.billing === "notBilled"
    ? { notReached: true }
    : {}

/** Each file of the run may fail so. */
const concerningRun = ({ _tag, ...error }: Stt.SttError) =>
  _tag === "SttBadRequest" || _tag === "SttInvalidResponse" || ("status" in error && error.status === 404)

/** The file is held, and the run slows down. */
const slowed = "Held, slower"

describe("an error of a call", () => {
  it.effect.each<readonly [Stt.SttError, string, string]>([
    [new Stt.SttUnauthorized(), "Refused", "Refused"],
    [new Stt.SttCreditExhausted(), "Refused", "Refused"],
    [new Stt.SttForbidden(), "Refused", "Refused"],
    [new Stt.SttInvalidApiKey(), "Refused", "Refused"],
    [new Stt.SttUnauthorized(call("unknown")), "Unsaved", "Refused"],
    [new Stt.SttServerError(call("unknown")), slowed, "Unavailable"],
    [new Stt.SttUnavailable(), "Unavailable", "Unavailable"],
    [new Stt.SttUnexpectedStatus({ status: 429 }), "Unavailable", "Unavailable"],
    [new Stt.SttUnexpectedStatus({ status: 504, ...call("unknown") }), slowed, "Unavailable"],
    [new Stt.SttUnexpectedStatus({ status: 521 }), "Unavailable", "Unavailable"],
    [new Stt.SttUnavailable(call("unknown")), slowed, "Unavailable"],
    [new Stt.SttUnexpectedStatus({ status: 404 }), "Failed", "Failed"],
    [new Stt.SttConnectionFailed({ reason: "refused" }), "Unavailable", "Unavailable"],
    [new Stt.SttConnectionFailed({ reason: "tls" }), "Unavailable", "Unavailable"],
    [new Stt.SttConnectionFailed({ reason: "closed" }), "NotBegun", "NotBegun"],
    [new Stt.SttConnectionFailed({ reason: "reset", sent: "all", ...call("unknown") }), slowed, "Unavailable"],
    [new Stt.SttDeadlineExceeded({ phase: "answer", ...call("unknown") }), slowed, "Unavailable"],
    [new Stt.SttDeadlineExceeded({ phase: "upload" }), "Unavailable", "Unavailable"],
    [new Stt.SttBadRequest(), "Failed", "Failed"],
    [new Stt.SttInvalidRequest(), "Failed", "Failed"],
    [new Stt.SttInvalidResponse(call("unknown")), "Held", "Failed"],
    [new Stt.SttTranscriptionFailed(call("unknown")), "Held", "Failed"],
    [new Stt.SttAudioUnreadable({ problem: "it is a pipe or a device" }), "Failed", "Failed"],
    [new Stt.SttAudioUnreadable({ problem: "it can't be opened", code: "EMFILE" }), "Unavailable", "Unavailable"],
    [
      new Stt.SttAudioUnreadable({ problem: "it can't be opened", code: "ENFILE", ...call("unknown") }),
      slowed,
      "Unavailable"
    ]
  ])(
    "decides what becomes of the file, and keeps its tag, its sentence and its billing (%#)",
    ([error, held, repeated]) =>
      Effect.gen(function* () {
        const file = yield* listed(write("error.wav", recording(1)))
        for (const [unanswered, tag] of [
          ["hold", held],
          ["repeat", repeated]
        ] as const) {
          const settlement = yield* Worker.transcription.call({ file, settings: transcribing({ unanswered }) })
          const { billing } = error.call
          const credits = billing === "notBilled" ? 0 : 1
          const reason = { tag: error._tag, message: error.message }
          const facts =
            tag === "NotBegun" ? { credits } : { error: reason, credits, ...(tag !== "Refused" && { billing }) }
          expect(settlement, unanswered).toEqual({
            _tag: tag === slowed ? "Held" : tag,
            ...facts,
            ...((tag === slowed || tag === "Unavailable") && { begunAt: 0 }),
            ...((tag === "Unavailable" || tag === "Failed") && reach(error)),
            ...(concerningRun(error) && { concernsRun: true })
          })
        }
      }).pipe(Effect.provide(answering(error)))
  )

  it.effect("of the account is one for each refused key of a synthesis", () =>
    Effect.gen(function* () {
      const file = {
        run: "run",
        seq: 1,
        path: "a",
        size: 1,
        modifiedMillis: 0,
        callId,
        attempts: 1,
        line: { text: "x" }
      }
      const settlement = yield* Worker.synthesis.call({ file, settings: settings(Operation.synthesize()) })
      expect(settlement).toMatchObject({ _tag: "Refused", error: { tag: "TtsUnauthorized" } })
    }).pipe(Effect.provide(Layer.merge(TextToSpeech.layerTest(new Tts.TtsUnauthorized()), NodeFileSystem.layer)))
  )

  it.effect("of a process with too many open files waits, sends nothing, and is reserved by the size of the file", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("open.wav", recording(1)))
      const job = { file, settings: transcribing() }
      const full = Effect.provideServiceEffect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (fs) => ({ ...fs, open: () => tooManyOpenFiles }))
      )
      expect(yield* full(Worker.transcription.call(job))).toMatchObject({
        _tag: "Unavailable",
        error: { tag: "TooManyOpenFiles" },
        billing: "notBilled",
        credits: 0,
        notReached: true
      })
      const { isStated, most } = yield* full(Worker.transcription.cost(job))
      expect(isStated).toBe(false)
      expect(most).toBeGreaterThanOrEqual((file.size * 8) / 6_000)
      expect(yield* SpeechToText.calls).toEqual([])
    }).pipe(Effect.provide(answering("")))
  )

  it.effect("that is a defect holds its file alone", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("defect.wav", recording(1)))
      const settlement = yield* Worker.transcription.call({ file, settings: transcribing() })
      expect(settlement).toMatchObject({ _tag: "Held", error: { tag: "Defect" }, billing: "unknown" })
      expect(JSON.stringify(settlement)).not.toContain("secret")
    }).pipe(Effect.provide(answering(() => Effect.die(new Error("secret")))))
  )

  it.effect("of the kept pieces suspends the run: each further call would be paid and lost", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("pieces.wav", recording(5)))
      const output = { directory: join(folder, write("afile", "")), format: "srt" } as const
      const settlement = yield* Worker.transcription.call({ file, settings: transcribing({ output }) })
      expect(settlement).toMatchObject({ _tag: "Refused", error: { tag: "PieceStoreError" } })
      expect(yield* SpeechToText.calls).toEqual([])
    }).pipe(Effect.provide(answering("")))
  )
})

/** Half a second of silence for each text. */
const silent = TextToSpeech.layerTest(() => ({ bytes: new Uint8Array(8000), outputFormat: "8000:pcm16" }))
const speaking = Layer.merge(silent, NodeFileSystem.layer)

const textOf = (line: Source.Text) => claimed(Source.texts(Stream.make(line), { root: "texts", description: "texts" }))

describe("a synthesis of a run", () => {
  it.effect("writes the audio of a line under the id of its file; the line comes before the operation", () =>
    Effect.gen(function* () {
      const file = yield* textOf({ id: "menu/a", text: "नमस्ते", voice: "of-line" })
      const operation = Operation.synthesize({ lang: "hi", voice: "of-run", outputFormat: "8000:pcm16" })
      const job = { file, settings: settings(operation) }
      expect(yield* Worker.synthesis.cost(job)).toEqual({ most: 6, isStated: true })
      expect(yield* Worker.synthesis.call(job)).toEqual({
        _tag: "Done",
        result: { durationMillis: 500, sampleRate: 8000, encoding: "pcm16", bytes: 8000, warnings: [] },
        billing: "billed",
        credits: 6,
        output: {
          size: 8044,
          digest: createHash("sha256")
            .update(readFileSync(join(folder, "out/menu/a.wav")))
            .digest("hex")
            .slice(0, 32)
        }
      })
      expect(statSync(join(folder, "out/menu/a.wav")).mode & 0o777).toBe(0o600)
      const [sent] = yield* TextToSpeech.calls
      expect(sent).toEqual({
        text: "नमस्ते",
        lang: "hi",
        voice: "of-line",
        outputFormat: "8000:pcm16",
        requestId: callId
      })
      expect(readFileSync(join(folder, "out/menu/a.wav")).byteLength).toBe(8044)
    }).pipe(Effect.provide(speaking))
  )

  it.effect("sends a text above the limit of a call in pieces, which are kept until the file is complete", () =>
    Effect.gen(function* () {
      const file = yield* textOf({ id: "long", text: "Alpha one. ".repeat(1000) })
      const job = { file, settings: settings(Operation.synthesize({ outputFormat: "8000:pcm16" })) }
      const settlement = yield* Worker.synthesis.call(job)
      const calls = (yield* TextToSpeech.calls).length
      expect(calls).toBeGreaterThan(3)
      expect(settlement).toMatchObject({ _tag: "Done", credits: 5_022, keptCredits: 0 })
      expect(yield* Worker.synthesis.call(job)).toEqual({
        ...settlement,
        credits: 0,
        keptCredits: 5_022,
        notReached: true
      })
      expect((yield* TextToSpeech.calls).length).toBe(calls)
    }).pipe(Effect.provide(speaking))
  )

  it.effect("of a text that the client refuses fails, and sends nothing", () =>
    Effect.gen(function* () {
      const file = yield* textOf({ id: "blank", text: " " })
      const settlement = yield* Worker.synthesis.call({ file, settings: settings(Operation.synthesize()) })
      expect(settlement).toMatchObject({ _tag: "Failed", error: { tag: "TtsInvalidRequest" }, billing: "notBilled" })
    }).pipe(Effect.provide(speaking))
  )

  it.effect("whose output has the place of another fails alone, before anything is sent", () =>
    Effect.gen(function* () {
      const operation = settings(Operation.synthesize())
      const { directory } = operation.output
      mkdirSync(join(directory, "taken.wav"), { recursive: true })
      writeFileSync(join(directory, "file"), "")
      const longId = Array.from({ length: 30 }, () => "x".repeat(200)).join("/")
      for (const [id, reason] of [
        ["taken", "taken.wav can't be written: another file has the place of it, or of its folder."],
        ["file/below", "file can't be written: another file has the place of it, or of its folder."],
        ["file/far/below", "far can't be written: another file has the place of it, or of its folder."],
        [longId, "its path is too long for this system."]
      ] as const) {
        const settlement = yield* Worker.synthesis.call({ file: yield* textOf({ id, text: "x" }), settings: operation })
        expect(settlement).toMatchObject({
          _tag: "Failed",
          error: { tag: "OutputFailed", message: expect.stringContaining(reason) },
          billing: "notBilled",
          credits: 0
        })
      }
      expect(yield* TextToSpeech.calls).toEqual([])
    }).pipe(Effect.provide(speaking))
  )

  it.live("goes on where the audio of two texts would have one place, and says so of the second", () =>
    Effect.gen(function* () {
      const texts: ReadonlyArray<Source.Text> = ["menu", "menu.wav/welcome", "other"].map((id) => ({ id, text: id }))
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* archive.start({
          source: Source.texts(Stream.fromIterable(texts), { root: "/texts", description: "texts" }),
          operation: Operation.synthesize(),
          output: { directory: join(folder, "places"), format: "wav" }
        })
        const status = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        expect(status).toMatchObject({ state: "ended", counts: { done: 2, failed: 1 }, failures: { OutputFailed: 1 } })
        expect((yield* TextToSpeech.calls).map(({ text }) => text).sort()).toEqual(["menu", "other"])
      }).pipe(Effect.provide(Archive.layerEmbedded({ path: join(folder, "places.db"), workers: [Worker.synthesis] })))
    }).pipe(Effect.provide(speaking))
  )

  it.effect(
    "whose output can't be written suspends the run: nothing is sent if that is known before, else its audio is lost",
    () =>
      Effect.gen(function* () {
        const file = yield* textOf({ id: "a", text: "x" })
        const output = { directory: join(folder, write("notafolder", "")), format: "wav" } as const
        const settlement = yield* Worker.synthesis.call({
          file,
          settings: settings(Operation.synthesize(), { output })
        })
        expect(settlement).toMatchObject({ _tag: "Refused", error: { tag: "OutputFailed" } })
        expect(yield* TextToSpeech.calls).toEqual([])

        const job = { file, settings: settings(Operation.synthesize()) }
        const full = yield* Effect.provide(Worker.synthesis.call(job), fullDisk)
        expect(full).toMatchObject({ _tag: "Unsaved", error: { tag: "OutputFailed" }, billing: "unknown" })
        expect(JSON.stringify(full)).toContain(
          "the disk is full. Free some space. Its audio may have been billed: resume the run, and retry the files of this tag"
        )
        const repeated = { ...job, settings: { ...job.settings, unanswered: "repeat" as const } }
        expect(yield* Effect.provide(Worker.synthesis.call(repeated), fullDisk)).toMatchObject({ _tag: "Refused" })
      }).pipe(Effect.provide(speaking))
  )
})

const tooManyOpenFiles = new SystemError({
  module: "FileSystem",
  method: "open",
  reason: "Unknown",
  cause: Object.assign(new Error("too many open files"), { code: "EMFILE" })
})

/** A file can be opened, but not written. */
const fullDisk = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (fs) => ({
    ...fs,
    open: (...args: Parameters<typeof fs.open>) =>
      Effect.map(fs.open(...args), (file) => ({
        ...file,
        writeAll: () =>
          new SystemError({
            module: "FileSystem",
            method: "writeAll",
            reason: "Unknown",
            cause: Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
          })
      }))
  }))
).pipe(Layer.provide(NodeFileSystem.layer))
