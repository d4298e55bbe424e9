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
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Archive, Operation, type Run, type RunRequest, Source, Worker } from "@effect-speech/archive"
import { AudioDecoder, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Stt from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Tts from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { temporaryRoot } from "effect-speech-test-support/temporaryRoot"
import { type Concern, settlementOf } from "../src/internal/model/settlement.js"
import { complete, piecesOf } from "../src/internal/output/write.js"
import { changedFileSystem, ended, hurry, known, systemError } from "./support/double.js"

const { SpeechToText } = Stt
const { TextToSpeech } = Tts

const folder = mkdtempSync(join(temporaryRoot, "archive-worker-"))
/** The folders of whole runs. They are elsewhere, so that a listing of `folder` is short. */
const runs = mkdtempSync(join(temporaryRoot, "archive-worker-runs-"))
afterAll(() => {
  for (const path of [folder, runs]) rmSync(path, { recursive: true })
})

/** Why a file failed or is held. */
const errorOf = (file: Run.FileRecord | undefined) => (file !== undefined && "error" in file ? file.error : undefined)

const callId = "7f3c0f3e-1b2a-5c5d-8e9f-0a1b2c3d4e5f"
const format = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const

/** A tone with a pause in the middle of each second. */
const recording = (seconds: number): Uint8Array => {
  const samples = Int16Array.from({ length: seconds * 8000 }, (_, at) =>
    at % 8000 > 4000 && at % 8000 < 6000 ? 0 : 9000 * Math.sin(at / 3)
  )
  return Wav.encode(new Uint8Array(samples.buffer), format)
}

/** A tone of another pitch in each second, so that no two pieces are equal. */
const spoken = (seconds: number): Uint8Array => {
  const samples = Int16Array.from({ length: seconds * 8000 }, (_, at) =>
    at % 8000 > 7000 ? 0 : 9000 * Math.sin(at / (3 + Math.floor(at / 8000)))
  )
  return Wav.encode(new Uint8Array(samples.buffer), format)
}

/** A recording of the tests of the codec. */
const ofCodec = (name: string): Uint8Array =>
  readFileSync(fileURLToPath(new URL(`../../audio-codec/test/recordings/${name}`, import.meta.url)))

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
const claimed = (source: Source.Source<FileSystem.FileSystem>, path?: string) =>
  Stream.runHead(Stream.filter(source.items(), (item) => path === undefined || item.path === path)).pipe(
    Effect.map((item) => ({ run: "run", seq: 1, callId, attempts: 1, ...Option.getOrThrow(item) })),
    Effect.provide(NodeFileSystem.layer)
  )

const listed = (name: string, options: Source.FolderOptions = {}) =>
  Source.folder(folder, { extensions: "all", ...options }).pipe(
    Effect.flatMap((source) => claimed(source, name)),
    Effect.provide(NodeFileSystem.layer)
  )

const answering = (answer: Stt.TestAnswer) =>
  Layer.mergeAll(SpeechToText.layerTest(answer), AudioDecoder.AudioDecoder.layerWav, NodeFileSystem.layer)

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

  it.effect.each([
    ["the segments of a response do not have the words of its text", "One. Two.", ["SegmentTextsDiffer"]],
    ["nothing was recognised, also if the service does not say so", "", ["NothingRecognised"]]
  ] as const)("says that %s", ([, text, warnings]) =>
    Effect.gen(function* () {
      const file = yield* listed(write("warned.wav", recording(2)))
      const settlement = yield* Worker.transcription.call({ file, settings: transcribing() })
      expect(settlement).toMatchObject({ _tag: "Done", result: { text, warnings } })
    }).pipe(
      Effect.provide(
        answering({ text, ...(text !== "" && { auxInfo: aux(0.5, { start: 0.1, end: 0.9, text: "One." }) }) })
      )
    )
  )

  it.effect("sends a long recording in pieces, which are kept until the file is complete", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("long.wav", recording(5)))
      const { output, ...rest } = settings(Operation.transcribe({ model: "m", maximum: "2000 millis" }))
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
      const file = yield* listed(write("x.mp3", ofCodec("xing.mp3")))
      const unstated = yield* listed(write("x.webm", ofCodec("streamed.webm")))
      const call = (given: typeof file) => Worker.transcription.call({ file: given, settings: transcribing() })
      expect(yield* call(unstated)).toMatchObject({
        _tag: "Done",
        credits: Math.ceil((unstated.size * 8) / 6_000),
        result: { warnings: ["SentWhole"] }
      })
      const decoder = AudioDecoder.AudioDecoder.layer({
        decode: () => Effect.succeed(PcmStream.fromBytes(format, recording(3).subarray(44)))
      })
      const decoded = yield* Effect.provide(call(unstated), decoder)
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
      const webm = ofCodec("streamed.webm")
      const { most, ...cost } = yield* costOf(write("cost.webm", webm))
      expect(cost).toEqual({ isStated: false })
      expect(most).toBeGreaterThanOrEqual(Math.ceil((webm.byteLength * 8) / 6_000))
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
      const operation = Operation.transcribe({ model: "m", maximum: "1000 millis" })
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
    ["FileChanged", (path: string) => writeFileSync(path, recording(2)), "changed after it was listed"],
    ["FileChanged", (path: string) => utimesSync(path, 1000, 1000), "changed after it was listed"]
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

/** An archive over recordings of its own. Each command returns the status at the end of the run. */
const makeRun = () => {
  const directory = mkdtempSync(join(runs, "run-"))
  const calls = join(directory, "calls")
  mkdirSync(calls)
  const layer = Archive.layerEmbedded({
    path: join(directory, "runs.db"),
    workers: [Worker.transcription],
    concurrency: 2
  })
  const requestOf = (changes: Partial<RunRequest<FileSystem.FileSystem>> = {}) =>
    Effect.map(
      Source.folder(calls),
      (source): RunRequest<FileSystem.FileSystem> => ({
        source,
        operation: Operation.transcribe({ model: "m" }),
        output: { directory: join(directory, "out"), format: "txt" },
        ...changes
      })
    )
  const onRun = <A, E>(body: (archive: Archive["Type"], id: Run.RunId) => Effect.Effect<A, E>) =>
    Effect.flatMap(Archive, (archive) => Effect.flatMap(archive.runs, ([id]) => body(archive, known(id))))
  const toItsEnd = (begin: (archive: Archive["Type"], id: Run.RunId) => Effect.Effect<unknown, unknown>) =>
    onRun((archive, id) => Effect.zipRight(begin(archive, id), ended(archive, id)))
  const begin = (changes?: Partial<RunRequest<FileSystem.FileSystem>>) =>
    Effect.flatMap(Archive, (archive) => Effect.flatMap(requestOf(changes), archive.start))
  return {
    calls,
    requestOf,
    write: (name: string, content: Uint8Array) => writeFileSync(join(calls, name), content),
    inProcess: <A, E, R>(body: Effect.Effect<A, E, R>) => hurry(Effect.provide(body, layer)),
    onRun,
    begin,
    ended: onRun(ended),
    start: (changes?: Partial<RunRequest<FileSystem.FileSystem>>) => Effect.zipRight(begin(changes), onRun(ended)),
    resume: (limits: Run.LimitChanges = { maxFiles: "none" }) =>
      toItsEnd((archive, id) => archive.resume(id, { limits })),
    retry: (only?: string) => toItsEnd((archive, id) => archive.retryFailed(id, { only })),
    records: onRun((archive, id) => Effect.map(Stream.runCollect(archive.results(id)), (files) => [...files]))
  }
}

describe("a file that was away", () => {
  const setTime = (path: string) => utimesSync(path, 1_000, 1_000)
  const sound = recording(1)

  it.live("when it was listed is called by the next run, as its sentence says", () => {
    const { calls, inProcess, records, start, write } = makeRun()
    const path = join(calls, "a.wav")
    return Effect.gen(function* () {
      symlinkSync(`${path}.away`, path)
      write("b.wav", sound)
      expect(yield* start()).toMatchObject({ counts: { done: 1, failed: 1 }, failures: { FileGone: 1 } })
      expect((yield* records)[0]).toMatchObject({
        attempts: 0,
        error: {
          message: `${path} can't be opened: it does not exist, or is a link to nothing. Restore it, or remove the link, and run again.`
        }
      })
      write("a.wav.away", sound)
      expect(yield* start()).toMatchObject({ counts: { done: 2, failed: 0 } })
    }).pipe(inProcess, Effect.provide(answering("One.")))
  })

  it.live.each<readonly [string, string, (path: string) => void, (path: string) => void]>([
    ["FileGone", "does not exist any more.", (path) => rmSync(path), () => {}],
    ["NotAFile", "is not a file any more.", replaceByFolder, (path) => rmSync(path, { recursive: true })],
    ["FileEmpty", "is empty.", (path) => truncateSync(path), () => {}],
    [
      "FileUnreadable",
      "can't be read (ENOTDIR).",
      (path) => {
        rmSync(join(path, ".."), { recursive: true })
        writeFileSync(join(path, ".."), "")
      },
      (path) => replaceByFolder(join(path, ".."))
    ]
  ])("when it was called is called as its sentence says: %s", ([tag, words, remove, makeRoom]) =>
    Effect.forEach([true, false], (hasItsTime) => {
      const { calls, inProcess, records, resume, retry, start } = makeRun()
      const path = join(calls, "a.wav")
      return Effect.gen(function* () {
        writeFileSync(path, sound)
        setTime(path)
        expect(yield* start({ limits: { maxFiles: 0 } })).toMatchObject({ state: "suspended" })
        remove(path)
        expect(yield* resume()).toMatchObject({ state: "ended", failures: { [tag]: 1 } })
        const [file] = yield* records
        expect(file?.attempts).toBe(0)
        expect(errorOf(file)?.message).toContain(`${path} ${words} Nothing was sent now.`)
        expect(errorOf(file)?.message).toContain(
          " and run again. If that does not call it, retry the files of this tag."
        )
        makeRoom(path)
        writeFileSync(path, sound)
        if (hasItsTime) setTime(path)
        expect((yield* start()).counts.done).toBe(hasItsTime ? 0 : 1)
        if (hasItsTime) expect(yield* retry(tag)).toMatchObject({ counts: { done: 1, failed: 0 } })
        expect((yield* SpeechToText.calls).length).toBe(1)
      }).pipe(inProcess, Effect.provide(answering("One.")))
    })
  )

  it.live("counts for no limit of files", () => {
    const { calls, inProcess, resume, start, write } = makeRun()
    return Effect.gen(function* () {
      for (const name of ["a.wav", "b.wav"]) write(name, sound)
      yield* start({ limits: { maxFiles: 0 } })
      rmSync(join(calls, "a.wav"))
      expect(yield* resume({ maxFiles: 1 })).toMatchObject({ state: "ended", counts: { done: 1, failed: 1 } })
    }).pipe(inProcess, Effect.provide(answering("One.")))
  })

  it.live("with all others suspends the run, fails no file for it, and the run goes on when they are back", () => {
    const { calls, inProcess, resume, start, write } = makeRun()
    return Effect.gen(function* () {
      for (const name of ["a.wav", "b.wav", "c.wav"]) write(name, sound)
      expect(yield* start({ limits: { maxFiles: 1 } })).toMatchObject({
        suspension: { tag: "FileLimit" },
        counts: { done: 1 }
      })
      renameSync(calls, `${calls}-unmounted`)
      expect(yield* resume()).toMatchObject({
        state: "suspended",
        suspension: { tag: "SourceGone", message: expect.stringContaining(`${calls} does not exist any more.`) },
        counts: { done: 1, pending: 2, failed: 0 }
      })
      renameSync(`${calls}-unmounted`, calls)
      expect(yield* resume()).toMatchObject({ state: "ended", counts: { done: 3 } })
    }).pipe(inProcess, Effect.provide(answering("One.")))
  })
})

describe("a run with a limit of credits", () => {
  /** Three recordings of 20 seconds, which are much longer than their size suggests. */
  const sparse = AudioDecoder.AudioDecoder.layer({
    decode: () => Effect.succeed(PcmStream.fromBytes(format, recording(20).subarray(44)))
  })
  const limited = Effect.suspend(() => {
    const { inProcess, requestOf, start, write } = makeRun()
    for (const name of ["a.webm", "b.webm", "c.webm"]) write(name, ofCodec("streamed.webm"))
    const limits = { maxCredits: 50 }
    const planned = Effect.flatMap(Archive, (archive) => Effect.flatMap(requestOf({ limits }), archive.plan))
    return inProcess(
      Effect.zipRight(
        Effect.map(planned, (plan) => expect(plan).toMatchObject({ cost: 0, unknownCost: 3 })),
        start({ limits })
      )
    )
  })

  it.live("measures recordings whose header states no duration, and does not exceed it by them", () =>
    Effect.gen(function* () {
      expect(yield* limited).toMatchObject({
        state: "suspended",
        suspension: { tag: "CreditLimit" },
        counts: { done: 2, pending: 1 },
        credits: 40
      })
    }).pipe(Effect.provide(sparse), Effect.provide(answering("One.")))
  )

  it.live("sends none of them if no decoder can measure it", () =>
    Effect.gen(function* () {
      expect(yield* limited).toMatchObject({ state: "ended", failures: { LengthUnknown: 3 }, credits: 0 })
      expect(yield* SpeechToText.calls).toEqual([])
    }).pipe(Effect.provide(answering("One.")))
  )

  it.live("spends no more than it on pieces that fail, and counts each piece once, however often it is retried", () => {
    const { inProcess, retry, start, write } = makeRun()
    for (const [index, name] of ["a.wav", "b.wav", "c.wav"].entries()) write(name, spoken(3 + index))
    let calls = 0
    let paid = 0
    const clients = answering(() =>
      ++calls % 3 === 0 ? Effect.fail(new Stt.SttBadRequest()) : Effect.sync(() => `Piece ${++paid}.`)
    )
    return Effect.gen(function* () {
      const operation = Operation.transcribe({ model: "m", maximum: "1000 millis" })
      let status = yield* start({ operation, limits: { maxCredits: 30 } })
      for (let times = 0; times < 9 && status.counts.failed > 0 && status.state === "ended"; times++) {
        // Each piece lasts a second at most.
        expect(status.credits).toBe(paid)
        status = yield* retry()
      }
      expect(status).toMatchObject({ state: "ended", counts: { done: 3 }, credits: paid })
      expect(paid).toBeLessThanOrEqual(30)
    }).pipe(inProcess, Effect.provide(clients))
  })
})

describe("a small recording", () => {
  it.effect("is read once, and sent as it was read", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("once.wav", recording(0.1)))
      const call = Worker.transcription.call({ file, settings: transcribing() })
      expect(yield* Effect.provide(call, NodeTransport.layer)).toMatchObject({ _tag: "Done", credits: 1 })
      expect(yield* SpeechToText.calls).toMatchObject([
        { audio: { _tag: "Bytes", bytes: Buffer.from(recording(0.1)), filename: "once.wav" } }
      ])
    }).pipe(Effect.provide(answering("One.")))
  )
})

describe("a recording that changes", () => {
  it.effect("between the look at it and its call is not sent as the one that was listed", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("replaced.wav", recording(2)))
      const path = join(folder, "replaced.wav")
      let opened = 0
      const replacing = changedFileSystem(({ open }) => ({
        open: (...given) =>
          Effect.suspend(() => {
            // Without the reader of small files: the first time its header is read, and then it is sent.
            if (++opened === 2) {
              writeFileSync(path, spoken(2))
              utimesSync(path, 1, 1)
            }
            return open(...given)
          })
      }))
      // Nothing listens there.
      const client = SpeechToText.layer({
        apiKey: Redacted.make("key.secret"),
        baseUrl: "http://127.0.0.1:9",
        allowInsecureHttp: true,
        retries: 0
      })
      const system = Layer.merge(NodeTransport.layer, replacing)
      const settlement = yield* Effect.provide(
        Worker.transcription.call({ file, settings: transcribing() }),
        Layer.provideMerge(Layer.merge(client, AudioDecoder.AudioDecoder.layerWav), system)
      )
      expect(settlement).toMatchObject({ _tag: "Failed", error: { tag: "SttAudioUnreadable" }, notReached: true })
      expect(opened).toBe(2)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("a recording in pieces", () => {
  /** 20 pieces, two at once, each of which takes as long. */
  const inPieces = () => {
    const run = makeRun()
    run.write("long.wav", spoken(20))
    const operation = Operation.transcribe({ model: "m", maximum: "1000 millis" })
    return { ...run, begin: run.begin({ operation }) }
  }
  const slowly = Effect.provide(answering(() => Effect.as(Effect.sleep(200), "One.")))
  const sent = Effect.map(SpeechToText.calls, ({ length }) => length)
  const untilSent = (least: number) => Effect.repeat(Effect.delay(sent, 100), { until: (count) => count >= least })
  /** No piece was sent twice. */
  const eachOnce = Effect.map(SpeechToText.calls, (calls) =>
    expect(new Set(calls.map(({ transactionId }) => transactionId)).size).toBe(calls.length)
  )

  it.live("begins no piece after a pause, and each is sent once", () => {
    const { begin, ended, inProcess, onRun, resume } = inPieces()
    return Effect.gen(function* () {
      yield* begin
      yield* untilSent(6)
      yield* onRun((archive, id) => archive.pause(id))
      const atPause = yield* sent
      const paused = yield* ended
      // Both pieces in flight may end between the look and the pause.
      expect(yield* sent).toBeLessThanOrEqual(atPause + 2)
      expect(paused).toMatchObject({ state: "paused", counts: { pending: 1, started: 0, held: 0 } })
      expect(paused.credits).toBeGreaterThanOrEqual(yield* sent)
      const last = yield* resume()
      expect(last).toMatchObject({ state: "ended", counts: { done: 1 } })
      expect(last.credits).toBeGreaterThanOrEqual(20)
      yield* eachOnce
    }).pipe(inProcess, slowly)
  })

  it.live("begins no piece after its process was asked to end, and the next process sends the others", () => {
    const { begin, ended, inProcess } = inPieces()
    return Effect.gen(function* () {
      const process = yield* Effect.fork(inProcess(Effect.zipRight(begin, Effect.never)))
      yield* untilSent(6)
      const atEnd = yield* sent
      yield* Fiber.interrupt(process)
      // Both pieces in flight may end between the look and the interruption.
      expect(yield* sent).toBeLessThanOrEqual(atEnd + 2)
      expect(yield* inProcess(Effect.zipRight(begin, ended))).toMatchObject({
        state: "ended",
        counts: { done: 1, held: 0 }
      })
      yield* eachOnce
    }).pipe(slowly)
  })
})

describe("a run of subtitles without a decoder", () => {
  it.live("does not start with a recording that must be cut, and names the package to install", () => {
    const { calls, inProcess, start, write } = makeRun()
    write("a.wav", recording(1))
    write("b.mp3", ofCodec("xing.mp3"))
    const asked = (format: "srt" | "txt") =>
      inProcess(start({ output: { directory: join(calls, "..", format), format } }))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(asked("srt"))
      expect(error).toMatchObject({ _tag: "ArchiveRunInvalid", field: "output.format" })
      expect(String(error)).toContain(`${calls}/b.mp3 is no WAV`)
      expect(String(error)).toContain("Provide NodeAudioDecoder.layer of @effect-speech/audio-decoder")
      expect(yield* SpeechToText.calls).toEqual([])
      expect((yield* asked("txt")).counts.failed).toBe(0)
      expect((yield* Effect.provide(asked("srt"), untouched)).counts.failed).toBe(0)
    }).pipe(Effect.provide(answering("One.")))
  })
})

/** A decoder that a run must find, before it cuts anything. */
const untouched = AudioDecoder.AudioDecoder.layer({ decode: () => Effect.dieMessage("not yet") })

const call = (billing: "notBilled" | "unknown") => ({ call: { sentId: "id", attempts: [], billing, elapsedMillis: 0 } })

const throwing = () => {
  throw new Error("the disk is full")
}

describe("an error of a call", () => {
  it.effect.each<readonly [Concern, ReadonlyArray<Stt.SttError>]>([
    ["account", [new Stt.SttUnauthorized(), new Stt.SttCreditExhausted(), new Stt.SttForbidden()]],
    ["account", [new Stt.SttInvalidApiKey(), new Stt.SttUnauthorized(call("unknown"))]],
    ["service", [new Stt.SttServerError(call("unknown")), new Stt.SttUnavailable()]],
    ["service", [429, 521].map((status) => new Stt.SttUnexpectedStatus({ status }))],
    ["service", [new Stt.SttUnexpectedStatus({ status: 504, ...call("unknown") })]],
    ["service", [new Stt.SttUnavailable(call("unknown"))]],
    ["service", [new Stt.SttConnectionFailed({ reason: "reset", sent: "all", ...call("unknown") })]],
    ["service", [new Stt.SttDeadlineExceeded({ phase: "answer", ...call("unknown") })]],
    ["unreached", (["refused", "tls"] as const).map((reason) => new Stt.SttConnectionFailed({ reason }))],
    ["unreached", [new Stt.SttDeadlineExceeded({ phase: "upload" })]],
    ["closing", [new Stt.SttConnectionFailed({ reason: "closed" })]],
    ["run", [new Stt.SttUnexpectedStatus({ status: 404 }), new Stt.SttBadRequest()]],
    ["run", [new Stt.SttInvalidResponse(call("unknown"))]],
    ["file", [new Stt.SttInvalidRequest(), new Stt.SttTranscriptionFailed(call("unknown"))]],
    ["file", [new Stt.SttAudioUnreadable({ problem: "it is a pipe or a device" })]],
    ["process", [new Stt.SttAudioUnreadable({ problem: "it can't be opened", code: "EMFILE" })]],
    ["process", [new Stt.SttAudioUnreadable({ problem: "it can't be opened", code: "ENFILE", ...call("unknown") })]]
  ])(
    "decides what becomes of the file, and keeps its tag, its sentence and its billing: %s (%#)",
    ([concern, errors]) =>
      Effect.gen(function* () {
        const file = yield* listed(write("error.wav", recording(1)))
        for (const error of errors) {
          const { billing } = error.call
          const credits = billing === "notBilled" ? 0 : 1
          const reason = { tag: error._tag, message: error.message }
          const failure = {
            concern,
            billing,
            credits,
            error: reason,
            isSent: credits > 0 || "status" in error,
            begunAt: 0
          }
          for (const unanswered of ["hold", "repeat"] as const) {
            const called = Worker.transcription.call({ file, settings: transcribing({ unanswered }) })
            expect(yield* Effect.provide(called, answering(error))).toEqual(settlementOf(failure, unanswered))
          }
        }
      })
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
      const full = Effect.provide(changedFileSystem(() => ({ open: () => systemError("open", "EMFILE") })))
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

  it.effect("that is a defect holds its file alone, even if the logger throws", () =>
    Effect.gen(function* () {
      const file = yield* listed(write("defect.wav", recording(1)))
      const settlement = yield* Worker.transcription.call({ file, settings: transcribing() })
      expect(settlement).toMatchObject({ _tag: "Held", error: { tag: "Defect" }, billing: "unknown" })
      expect(JSON.stringify(settlement)).not.toContain("secret")
    }).pipe(
      Effect.provide(answering(() => Effect.die(new Error("secret")))),
      Effect.provide(Logger.replace(Logger.defaultLogger, Logger.make(throwing)))
    )
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
          error: { tag: "ArchiveOutputFailed", message: expect.stringContaining(reason) },
          billing: "notBilled",
          credits: 0
        })
      }
      expect(yield* TextToSpeech.calls).toEqual([])
    }).pipe(Effect.provide(speaking))
  )

  it.live("goes on where the audio of two texts would have one place, and says so of the second", () =>
    Effect.gen(function* () {
      const texts = Stream.map(Stream.make("menu", "menu.wav/welcome", "other"), (id) => ({ id, text: id }))
      const archive = yield* Archive
      const { id } = yield* archive.start({
        source: Source.texts(texts, { root: "/texts", description: "texts" }),
        operation: Operation.synthesize(),
        output: { directory: join(folder, "places"), format: "wav" }
      })
      expect(yield* ended(archive, id)).toMatchObject({
        state: "ended",
        counts: { done: 2, failed: 1 },
        failures: { ArchiveOutputFailed: 1 }
      })
      expect((yield* TextToSpeech.calls).map(({ text }) => text).toSorted()).toEqual(["menu", "other"])
    }).pipe(
      Effect.provide(Archive.layerEmbedded({ path: join(folder, "places.db"), workers: [Worker.synthesis] })),
      hurry,
      Effect.provide(speaking)
    )
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
        expect(settlement).toMatchObject({ _tag: "Refused", error: { tag: "ArchiveOutputFailed" } })
        expect(yield* TextToSpeech.calls).toEqual([])

        const job = { file, settings: settings(Operation.synthesize()) }
        const full = yield* Effect.provide(Worker.synthesis.call(job), fullDisk)
        expect(full).toMatchObject({ _tag: "Unsaved", error: { tag: "ArchiveOutputFailed" }, billing: "unknown" })
        expect(JSON.stringify(full)).toContain(
          "the disk is full. Free some space. Its audio may have been billed: resume the run, and retry the files of this tag"
        )
        const repeated = { ...job, settings: { ...job.settings, unanswered: "repeat" as const } }
        expect(yield* Effect.provide(Worker.synthesis.call(repeated), fullDisk)).toMatchObject({ _tag: "Refused" })
      }).pipe(Effect.provide(speaking))
  )
})

/** A file can be opened, but not written. */
const fullDisk = changedFileSystem(({ open }) => ({
  open: (...args) =>
    Effect.map(open(...args), (file) => ({ ...file, writeAll: () => systemError("writeAll", "ENOSPC") }))
}))
