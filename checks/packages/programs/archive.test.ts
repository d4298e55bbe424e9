/**
 * Tests of a program over an archive: with the archive itself and a double of the client, and with a double of the archive, whose statuses and
 * records are made by hand.
 */
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import {
  Archive,
  ArchiveRunNotFound,
  type ArchiveService,
  ArchiveStoreFailed,
  Operation,
  Output,
  Run,
  Source,
  Worker
} from "@effect-speech/archive"
import { Wav } from "@effect-speech/audio-codec"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { SpeechToText, SttBadRequest, SttServerError, SttUnauthorized } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import {
  Arbitrary,
  Array as Arr,
  Data,
  DateTime,
  Effect,
  Equal,
  FastCheck,
  Layer,
  Option,
  Ref,
  Schema,
  Stream
} from "effect"

/** The program under test: a line for each recording that needs a person. */
export const toDo = (text: string) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const id = yield* Run.makeId(text)
    const status = yield* archive.status(id)
    if (status.state === "suspended") return [`the run is suspended: ${status.suspension.tag}`]
    const files = yield* Stream.runCollect(archive.results(id, { states: ["failed", "held"] }))
    return Arr.map(Arr.fromIterable(files), ({ error, path, state }) => `${path} is ${state}: ${error.tag}`)
  }).pipe(
    Effect.catchTags({
      ArchiveRunInvalid: ({ problem }) => Effect.succeed([`no run: ${problem}`]),
      ArchiveRunNotFound: ({ run }) => Effect.succeed([`no run ${run}`])
    })
  )

const samples = new Uint8Array(16_000)

const recordings = (names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    yield* fs.makeDirectory(`${folder}/calls`)
    yield* Effect.forEach(names, (name, index) =>
      fs.writeFile(
        `${folder}/calls/${name}`,
        Wav.encode(new Uint8Array(16_000).fill(index + 1), { sampleRate: 8000, channels: 1, encoding: "pcm16" })
      )
    )
    return folder
  })

const embedded = (folder: string) =>
  Archive.layerEmbedded({
    path: `${folder}/archive.db`,
    workers: [Worker.transcription, Worker.synthesis],
    concurrency: 1
  })

const inMemory = Archive.layerEmbedded({ path: ":memory:", workers: [Worker.transcription] })

const start = (folder: string) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const { id } = yield* archive.start({
      source: yield* Source.folder(`${folder}/calls`),
      operation: Operation.transcribe({ model: "hi-general-v2-8khz" }),
      output: { directory: `${folder}/transcripts`, format: "txt" }
    })
    yield* Stream.runDrain(archive.progress(id))
    return id
  })

const speech = TextToSpeech.layerTest({ bytes: samples, outputFormat: "8000:pcm16" })
const platform = Layer.merge(NodeContext.layer, AudioDecoder.layerWav)

it.scopedLive("what failed and what is held is to do, and what is done is not", () =>
  Effect.gen(function* () {
    const number = yield* Ref.make(0)
    const lost = new SttServerError({ call: { sentId: "c", attempts: [], billing: "unknown", elapsedMillis: 1 } })
    const answers = [new SttBadRequest(), "नमस्ते", lost, "hello"] as const
    const stt = SpeechToText.layerTest(() =>
      Effect.map(
        Ref.getAndUpdate(number, (n) => n + 1),
        (n) => answers[n % 4] ?? "more"
      )
    )
    const folder = yield* recordings(["a.wav", "b.wav", "c.wav", "d.wav"])
    yield* Effect.gen(function* () {
      const id = yield* start(folder)
      expect(yield* toDo(id)).toEqual(["a.wav is failed: SttBadRequest", "c.wav is held: SttServerError"])
      expect((yield* SpeechToText.calls).map(({ model }) => model)).toEqual(Arr.replicate("hi-general-v2-8khz", 4))

      const fs = yield* FileSystem.FileSystem
      expect((yield* fs.readFileString(`${folder}/transcripts/b.wav.txt`)).trim()).toBe("नमस्ते")

      yield* SpeechToText.clearCalls
      expect(yield* start(folder)).toBe(id)
      expect(yield* SpeechToText.calls).toEqual([])
    }).pipe(Effect.provide(Layer.provideMerge(embedded(folder), Layer.mergeAll(stt, speech, platform))))
  }).pipe(Effect.provide(platform))
)

it.scopedLive("a refused key suspends the run", () =>
  Effect.gen(function* () {
    const folder = yield* recordings(["a.wav", "b.wav"])
    yield* Effect.gen(function* () {
      const id = yield* start(folder)
      expect(yield* toDo(id)).toEqual(["the run is suspended: SttUnauthorized"])
    }).pipe(
      Effect.provide(Layer.provideMerge(inMemory, Layer.merge(SpeechToText.layerTest(new SttUnauthorized()), platform)))
    )
  }).pipe(Effect.provide(platform))
)

const id = Run.RunId.make("5f0c1d1e-7a52-4d4f-9c77-0d0b6f0f1f11")
const now = DateTime.unsafeMake("2026-11-26T00:00:00Z")

const ended = new Run.EndedRun({
  id,
  state: "ended",
  settings: {
    operation: Operation.transcribe({ model: "hi-general-v2-8khz" }),
    root: "/calls",
    source: "recordings",
    byContent: false,
    output: { directory: "/transcripts", format: "txt" },
    unanswered: "hold"
  },
  limits: {},
  counts: new Run.Counts({ pending: 0, started: 0, done: 1, failed: 1, held: 0 }),
  failures: { FileGone: 1 },
  holds: {},
  warnings: {},
  credits: 2,
  unknownCosts: 0,
  abandoned: 0,
  resultsDue: false,
  machines: 0,
  createdAt: now,
  updatedAt: now
})

const file = { size: 1, modifiedMillis: 0, attempts: 1, callId: "c" } as const
const records: ReadonlyArray<Run.FileRecord> = [
  new Run.DoneFile({
    ...file,
    seq: 1,
    path: "a.wav",
    state: "done",
    billing: "unknown",
    credits: 1,
    result: new Output.TranscriptionResult({ text: "hello", segments: [], warnings: [] })
  }),
  new Run.FailedFile({
    ...file,
    seq: 2,
    path: "b.wav",
    state: "failed",
    error: new Run.FileError({ tag: "FileGone", message: "It is gone." })
  })
]

const isIn =
  <State extends Run.FileState>(states: ReadonlyArray<State> | undefined) =>
  (record: Run.FileRecord): record is Extract<Run.FileRecord, { readonly state: State }> =>
    states === undefined || Arr.some(states, (state) => state === record.state)

const results: ArchiveService["results"] = (_run, options) =>
  Stream.filter(Stream.fromIterable(records), isIn(options?.states))

const double = Layer.mock(Archive, {
  status: (run) =>
    run === id ? Effect.succeed(ended) : Effect.fail(new ArchiveRunNotFound({ run, message: "There is no such run." })),
  results,
  runs: Effect.fail(new ArchiveStoreFailed({ store: "double", message: "The double has no list." }))
})

it.effect("a program is tested without an archive", () =>
  Effect.gen(function* () {
    expect(yield* toDo(id)).toEqual(["b.wav is failed: FileGone"])
    expect(yield* toDo("00000000-0000-4000-8000-000000000000")).toEqual(["no run 00000000-0000-4000-8000-000000000000"])
    expect(yield* toDo("mine")).toHaveLength(1)
  }).pipe(Effect.provide(double))
)

it.effect("the values of a double are compared, and stored as JSON", () =>
  Effect.gen(function* () {
    const Status = Schema.parseJson(Run.RunStatus)
    const stored = yield* Schema.encode(Status)(ended)
    const again = yield* Schema.decode(Status)(stored)
    expect(Equal.equals(again, ended)).toBe(true)
    expect(yield* Schema.encode(Status)(again)).toBe(stored)
    const Records = Schema.parseJson(Schema.Array(Run.FileRecord))
    const read = yield* Effect.flatMap(Schema.encode(Records)(records), Schema.decode(Records))
    expect(Equal.equals(Data.array(read), Data.array(records))).toBe(true)
    expect(Option.map(Arr.head(read), ({ state }) => state)).toEqual(Option.some("done"))
  })
)

it.prop("any file that failed is to do", [Arbitrary.make(Run.FileError)], ([error]) => {
  FastCheck.pre(error.tag !== "")
  const record = new Run.FailedFile({ ...file, seq: 1, path: "x.wav", state: "failed", error })
  return Equal.equals(record, new Run.FailedFile({ ...record, error: new Run.FileError({ ...error }) }))
})
