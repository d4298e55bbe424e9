import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
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
import { Archive, Operation, Output, type Run, Source, Worker } from "@effect-speech/archive"
import { AudioDecoder, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Stt from "@effect-speech/stt"
import * as Tts from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

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
  batchSize: 100,
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
      expect(settlement).toMatchObject({ _tag: "Done", credits: expect.any(Number) })
      const pieces = Output.piecesOf(output.directory, callId)
      expect(readdirSync(pieces).length).toBeGreaterThan(0)
      // The process died before the result was recorded: the pieces are not paid again.
      expect(yield* Worker.transcription.call(job)).toEqual(settlement)
      expect((yield* SpeechToText.calls).length).toBe(calls.length)
      if (settlement._tag === "Done") yield* Output.complete(output, { ...file, ...settlement })
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
      if (settlement._tag === "Done") yield* Output.complete(output, { ...file, ...settlement })
      expect(readFileSync(join(directory, "titled.wav.srt"), "utf8")).toBe("1\n00:00:00,100 --> 00:00:00,933\nOne.\n")
    }).pipe(Effect.provide(answering({ text: "One.", auxInfo: aux(0.5, { t: [100, 900], text: "One." }) })))
  )

  it.effect("sends a long recording in another container whole, unless it has a decoder", () =>
    Effect.gen(function* () {
      const path = fileURLToPath(new URL("../../audio-codec/test/recordings/xing.mp3", import.meta.url))
      const file = yield* listed(write("x.mp3", readFileSync(path)))
      const unstated = yield* listed(write("x.webm", readFileSync(path.replace("xing.mp3", "streamed.webm"))))
      const call = (given: typeof file) => Worker.transcription.call({ file: given, settings: transcribing() })
      expect(yield* call(unstated)).toMatchObject({ _tag: "Done", credits: 0, result: { warnings: ["SentWhole"] } })
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
      expect(yield* costOf(write("cost.wav", recording(2)))).toBe(2)
      expect(yield* costOf(write("cost.txt", "text"))).toBe(0)
    }).pipe(Effect.provide(answering("")))
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
          Effect.provide(Archive.layerEmbedded({ path: join(folder, "uncut.db"), workers: [Worker.transcription] }))
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
const reach = ({ call, category }: Stt.SttError) =>
  category === "connection" && call.billing === "notBilled" ? { notReached: true } : {}

/** The file is held, and the run slows down. */
const slowed = "Held, slower"

describe("an error of a call", () => {
  it.effect.each<readonly [Stt.SttError, string, string]>([
    [new Stt.SttUnauthorized(), "Refused", "Refused"],
    [new Stt.SttCreditExhausted(), "Refused", "Refused"],
    [new Stt.SttForbidden(), "Refused", "Refused"],
    [new Stt.SttInvalidApiKey(), "Refused", "Refused"],
    [new Stt.SttUnauthorized(call("unknown")), "Lost", "Refused"],
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
    [
      new Stt.SttAudioUnreadable({ problem: "the process has too many open files (EMFILE)" }),
      "Unavailable",
      "Unavailable"
    ],
    [
      new Stt.SttAudioUnreadable({ problem: "the process has too many open files (EMFILE)", ...call("unknown") }),
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
          const facts = { error: { tag: error._tag, message: error.message } }
          const billed = { ...facts, billing: error.call.billing }
          expect(settlement, unanswered).toEqual(
            tag === "Refused"
              ? { _tag: tag, ...facts }
              : tag === "NotBegun"
                ? { _tag: tag }
                : tag === slowed
                  ? { _tag: "Held", ...billed, begunAt: 0 }
                  : { _tag: tag, ...billed, ...(tag === "Unavailable" ? { begunAt: 0, ...reach(error) } : {}) }
          )
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
      expect(yield* Worker.synthesis.cost(job)).toBe(6)
      expect(yield* Worker.synthesis.call(job)).toEqual({
        _tag: "Done",
        result: { durationMillis: 500, sampleRate: 8000, encoding: "pcm16", bytes: 8000, warnings: [] },
        billing: "billed",
        credits: 6
      })
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
      expect(settlement).toMatchObject({ _tag: "Done", credits: expect.any(Number) })
      expect(yield* Worker.synthesis.call(job)).toEqual(settlement)
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
        expect(full).toMatchObject({ _tag: "Lost", error: { tag: "OutputFailed" }, billing: "unknown" })
        expect(JSON.stringify(full)).toContain(
          "the disk is full. Free some space. Its audio may have been billed: resume the run, and retry the files of this tag"
        )
        const repeated = { ...job, settings: { ...job.settings, unanswered: "repeat" as const } }
        expect(yield* Effect.provide(Worker.synthesis.call(repeated), fullDisk)).toMatchObject({ _tag: "Refused" })
      }).pipe(Effect.provide(speaking))
  )
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
