/** An archive, as a program uses it: public imports only. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import {
  Archive,
  ArchiveError,
  ArchiveOutputFailed,
  ArchiveRunConflict,
  ArchiveRunInvalid,
  ArchiveRunNotFound,
  ArchiveSourceFailed,
  ArchiveStoreFailed,
  ArchiveStoreLocked,
  ArchiveStoreTooNew,
  Operation,
  Output,
  Run,
  Source,
  Worker
} from "@effect-speech/archive"
import { AudioDecoder, Wav } from "@effect-speech/audio-codec"
import { SpeechToText } from "@effect-speech/stt"
import { TextToSpeech } from "@effect-speech/tts"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const run = "0f5cd0d2-6c07-8d6c-9a3c-5f0d2b1f6a11"
const format = { sampleRate: 8000, channels: 1, encoding: "pcm16" } as const
const message = "It says what to do."

const errors: ReadonlyArray<ArchiveError> = [
  new ArchiveStoreLocked({ store: "calls.db", message }),
  new ArchiveStoreTooNew({ store: "calls.db", found: 9, known: 5, message }),
  new ArchiveStoreFailed({ store: "calls.db", code: "ENOSPC", message }),
  new ArchiveRunNotFound({ run, message }),
  new ArchiveRunConflict({ run, message }),
  new ArchiveRunInvalid({ field: "operation.speed", problem: "must be positive", message }),
  new ArchiveSourceFailed({ path: "calls", line: 2, message }),
  new ArchiveOutputFailed({ path: "out/1.wav.txt", code: "EROFS", message })
]

describe("the errors of an archive", () => {
  it("begin with the name of the package", () => {
    for (const { _tag } of errors) assert.match(_tag, /^Archive[A-Z]/)
  })

  it.effect.each(errors)("$_tag is written as JSON, and read again without loss", (error) =>
    Effect.gen(function* () {
      const json = JSON.stringify(yield* Schema.encode(ArchiveError)(error))
      const read = yield* Schema.decodeUnknown(Schema.parseJson(ArchiveError))(json)
      assert.strictEqual(read.constructor, error.constructor)
      assert.deepStrictEqual({ ...read }, { ...error })
      assert.strictEqual(read.message, message)
    })
  )

  it("state the status with which an HttpApi answers them", () => {
    const statuses = ArchiveError.members.map((Member) => HttpApiSchema.getStatusError(Member))
    assert.deepStrictEqual(statuses, [503, 500, 503, 404, 409, 400, 422, 500])
  })

  it.effect("are handled by their tags", () =>
    Effect.gen(function* () {
      const failing: Effect.Effect<never, ArchiveError> = Effect.fail(new ArchiveRunNotFound({ run, message }))
      // @ts-expect-error The tags without the prefix are gone.
      Effect.catchTag(failing, "RunNotFound", () => Effect.void)
      assert.strictEqual(
        yield* Effect.catchTag(failing, "ArchiveRunNotFound", (error) => Effect.succeed(error.run)),
        run
      )
    }).pipe(Effect.catchAll(Effect.die))
  )
})

/** A folder with a recording that is transcribed, and a file that is none. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "archive-api-"))
    writeFileSync(join(path, "1.wav"), Wav.encode(new Uint8Array(16_000), format))
    writeFileSync(join(path, "2.wav"), "no recording")
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const layerIn = (path: string) =>
  Archive.layerEmbedded({ path: join(path, "runs.db"), workers: [Worker.transcription] }).pipe(
    Layer.provide([SpeechToText.layerTest("Nobody missed the tide today."), AudioDecoder.AudioDecoder.layerWav]),
    Layer.provideMerge(NodeFileSystem.layer)
  )

/** Runs the folder to its end. */
const ran = (path: string) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const { id } = yield* archive.start({
      source: yield* Source.folder(path),
      operation: Operation.transcribe({ model: "hi-general-v2-8khz" }),
      output: { directory: join(path, "out"), format: "json" }
    })
    return Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
  })

describe("the records of a run", () => {
  it.scopedLive("are a union by state: each has the fields that it has, and no other", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* ran(path)
        const [all] = yield* Stream.runCollect(archive.results(id))
        // @ts-expect-error A file that is not done has no result.
        all?.result
        // @ts-expect-error A file that is done has no error.
        if (all?.state === "done") all.error

        const done = yield* Stream.runCollect(archive.results(id, { states: ["done"] }))
        expectTypeOf([...done]).toEqualTypeOf<Array<Run.DoneFile>>()
        for (const { credits, result } of done) {
          assert.strictEqual(credits, 1)
          // By the operation: that of a synthesis has no text.
          if ("text" in result) assert.strictEqual(result.text, "Nobody missed the tide today.")
          else expectTypeOf(result).toEqualTypeOf<Output.SynthesisResult | Output.UnreadableResult>()
        }

        const failed = yield* Stream.runCollect(archive.results(id, { states: ["failed", "held"] }))
        expectTypeOf([...failed]).toEqualTypeOf<Array<Run.FailedFile | Run.HeldFile>>()
        assert.deepStrictEqual(
          [...failed].map(({ error, path, state }) => [path, state, error.tag]),
          [["2.wav", "failed", "NotARecording"]]
        )
      }).pipe(Effect.provide(layerIn(path)))
    })
  )

  it.scopedLive("are values, and JSON without loss", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* ran(path)
        const read = Effect.map(Stream.runCollect(archive.results(id)), (files) => [...files])
        const [one, other] = [yield* read, yield* read]
        for (const [at, file] of one.entries()) {
          assert.isTrue(Equal.equals(file, other[at]))
          assert.strictEqual(Hash.hash(file), Hash.hash(other[at]))
          const json = JSON.stringify(Schema.encodeSync(Run.FileRecord)(file))
          assert.isTrue(Equal.equals(Schema.decodeSync(Schema.parseJson(Run.FileRecord))(json), file))
        }
        assert.isFalse(Equal.equals(one[0], one[1]))
        // results.jsonl keeps its shape.
        const lines = readFileSync(join(path, "out", "results.jsonl"), "utf8")
          .trim()
          .split("\n")
        assert.deepStrictEqual(Object.keys(JSON.parse(lines[0] ?? "")), ["path", "state", "result"])
        assert.deepStrictEqual(Object.keys(JSON.parse(lines[1] ?? "").error), ["tag", "message"])
      }).pipe(Effect.provide(layerIn(path)))
    })
  )

  it("state the unit of each time, and are JSON as they are stored", () => {
    const stored = {
      text: "One. Two.",
      durationMillis: 3000,
      segments: [{ start: 0, end: 1500, text: "One." }],
      warnings: ["SentWhole"]
    }
    const result = Schema.decodeSync(Output.TranscriptionResult)(stored)
    assert.deepStrictEqual(
      result.segments.map(({ endMillis, startMillis }) => [startMillis, endMillis]),
      [[0, 1500]]
    )
    assert.deepStrictEqual(Schema.encodeSync(Output.TranscriptionResult)(result), stored)
    // @ts-expect-error A start without a unit may be seconds.
    new Output.Segment({ start: 1.5, end: 2, text: "One." }, true)
  })
})

/** A run over a text for each call of a worker of one's own. */
const ranBy = (path: string, worker: Worker.Worker, ...ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const { id } = yield* archive.start({
      source: Source.texts(Stream.fromIterable(ids.map((one) => ({ id: one, text: one }))), {
        root: "menu",
        description: "the menu"
      }),
      operation: Operation.transcribe({ model: "hi-general-v2-8khz" }),
      output: { directory: join(path, "out"), format: "json" }
    })
    // Of a result that can't be read, there is no transcript to write.
    yield* Effect.catchTag(Stream.runDrain(archive.progress(id)), "ArchiveOutputFailed", () => Effect.void)
    return [...(yield* Stream.runCollect(archive.results(id)))]
  }).pipe(
    Effect.provide(Layer.provide(Archive.layerEmbedded({ path: ":memory:", workers: [worker] }), NodeFileSystem.layer))
  )

describe("a worker of your own", () => {
  const cost = () => Effect.succeed({ most: 1, isStated: true })
  const result = { text: "One.", segments: [{ start: 0, end: 1500, text: "One.", confidence: 0.9 }], warnings: [] }

  it.scopedLive("gives its result as it is stored", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const call = () => Effect.succeed({ _tag: "Done", result, billing: "billed", credits: 2 } as const)
      const [file] = yield* ranBy(path, { operation: "Transcribe", cost, call }, "1")
      if (file?.state !== "done") return assert.fail(file?.state)
      assert.isTrue(Equal.equals(file.result, Schema.decodeSync(Output.TranscriptionResult)(result)))
      const other = () =>
        Effect.succeed({ _tag: "Done", result: { words: ["One."] }, billing: "billed", credits: 2 } as const)
      // @ts-expect-error Nothing reads such a result.
      const refused: Worker.Worker = { operation: "Transcribe", cost, call: other }
      assert.isFunction(refused.call)
    })
  )

  it.scopedLive("spoils the record of one file alone, if it gives another result all the same", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const odd = { ...result, confidence: null }
      const worker: Worker.Worker = {
        operation: "Transcribe",
        cost,
        call: ({ file }) =>
          Effect.succeed({
            _tag: "Done",
            result: file.path === "2" ? (odd as never) : result,
            billing: "billed",
            credits: 2
          })
      }
      const files = yield* ranBy(path, worker, "1", "2", "3")
      assert.deepStrictEqual(
        files.map((file) => file.state === "done" && file.result.constructor),
        [Output.TranscriptionResult, Output.UnreadableResult, Output.TranscriptionResult]
      )
      for (const file of files) {
        if (file.state !== "done") return assert.fail(file.state)
        if ("stored" in file.result) assert.deepStrictEqual(file.result.stored, odd)
        const json = JSON.stringify(Schema.encodeSync(Run.FileRecord)(file))
        assert.isTrue(Equal.equals(Schema.decodeSync(Schema.parseJson(Run.FileRecord))(json), file))
      }
    })
  )
})

describe("the status of a run", () => {
  it.scopedLive("is a union by state: one that is suspended says why", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* archive.start({
          source: yield* Source.folder(path),
          operation: Operation.transcribe({ model: "hi-general-v2-8khz" }),
          output: { directory: join(path, "out"), format: "json" },
          limits: { maxFiles: 0 }
        })
        const status = Option.getOrThrow(yield* Stream.runLast(archive.progress(id)))
        // @ts-expect-error Only some states have a reason.
        status.suspension
        if (status.state !== "suspended") return assert.fail(status.state)
        assert.strictEqual(status.suspension.tag, "FileLimit")
        assert.isTrue(DateTime.greaterThanOrEqualTo(status.suspension.at, status.createdAt))
        expectTypeOf<Extract<Run.RunStatus, { state: "ended" }>>().not.toHaveProperty("suspension")
      }).pipe(Effect.provide(layerIn(path)))
    })
  )

  it.scopedLive("is a value, and JSON whose times are milliseconds since 1970", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* ran(path)
        const one = yield* archive.status(id)
        assert.isTrue(Equal.equals(one.counts, new Run.Counts({ pending: 0, started: 0, done: 1, failed: 1, held: 0 })))
        const json = Schema.encodeSync(Run.RunStatus)(one)
        assert.deepStrictEqual(Object.keys(json).slice(0, 3), ["id", "state", "settings"])
        assert.closeTo(json.createdAt, Date.now(), 60_000)
      }).pipe(Effect.provide(layerIn(path)))
      // No machine works on it now, so that no heartbeat changes.
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const [id] = yield* archive.runs
        assert.isDefined(id)
        if (id === undefined) return
        const [one, other] = [yield* archive.status(id), yield* archive.status(id)]
        assert.isTrue(Equal.equals(one, other))
        assert.strictEqual(Hash.hash(one), Hash.hash(other))
        const json = Schema.encodeSync(Schema.parseJson(Run.RunStatus))(one)
        assert.isTrue(Equal.equals(Schema.decodeSync(Schema.parseJson(Run.RunStatus))(json), one))
      }).pipe(Effect.provide(Layer.provide(Archive.layerClient({ path: join(path, "runs.db") }), NodeFileSystem.layer)))
    })
  )
})

describe("what a status says of its request", () => {
  const layer = Layer.provideMerge(
    Archive.layerEmbedded({ path: ":memory:", workers: [Worker.synthesis] }),
    Layer.merge(
      TextToSpeech.layerTest({ bytes: new Uint8Array(16_000), outputFormat: "8000:pcm16" }),
      NodeFileSystem.layer
    )
  )
  // A literal would set the prototype.
  const proto = (value: unknown) => JSON.parse(JSON.stringify({ ["__proto__"]: value })) as Record<string, never>

  it.scopedLive("is a request again: start, plan and resume take it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const archive = yield* Archive
      const source = Source.texts(Stream.make({ id: "welcome", text: "Hello" }), {
        root: "menu",
        description: "the menu"
      })
      const { id } = yield* archive.start({
        source,
        operation: Operation.synthesize({ outputFormat: "8000:pcm16", g2pOverrides: { Nagpur: ["n", "aː"] } }),
        output: { directory: join(path, "out"), format: "wav" },
        limits: { maxFiles: 10, callsPerSecond: 100 }
      })
      yield* Stream.runDrain(archive.progress(id))
      const [status, other] = [yield* archive.status(id), yield* archive.status(id)]
      assert.isTrue(Equal.equals(status, other) || !Equal.equals(status.heartbeatAt, other.heartbeatAt))
      if (Equal.equals(status, other)) assert.strictEqual(Hash.hash(status), Hash.hash(other))
      const { limits, settings } = status
      const again = { source, operation: settings.operation, output: settings.output, limits }
      const { done, files, toCall } = yield* archive.plan(again)
      assert.deepStrictEqual({ done, files, toCall }, { done: 1, files: 1, toCall: 0 })
      assert.strictEqual((yield* archive.start(again)).id, id)
      yield* Stream.runDrain(archive.progress(id))
      const resumed = yield* archive.resume(id, { limits })
      assert.deepStrictEqual(resumed.limits, limits)
      assert.strictEqual((yield* TextToSpeech.calls).length, 1)
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("has fields of any name, such as __proto__, and so have the calls", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const archive = yield* Archive
      const { id } = yield* archive.start({
        source: Source.texts(Stream.make({ id: "welcome", text: "Hello" }), { root: "menu", description: "the menu" }),
        operation: Operation.synthesize({
          outputFormat: "8000:pcm16",
          g2pOverrides: proto(["n", "aː"]),
          additionalFields: proto({ style: "calm" })
        }),
        output: { directory: join(path, "out"), format: "wav" }
      })
      yield* Stream.runDrain(archive.progress(id))
      const { counts, settings } = yield* archive.status(id)
      assert.strictEqual(counts.done, 1)
      const [call] = yield* TextToSpeech.calls
      for (const fields of [settings.operation, call]) {
        if (fields === undefined || !("g2pOverrides" in fields)) return assert.fail("no fields")
        assert.strictEqual(JSON.stringify(fields.g2pOverrides), `{"__proto__":["n","aː"]}`)
        assert.strictEqual(JSON.stringify(fields.additionalFields), `{"__proto__":{"style":"calm"}}`)
      }
    }).pipe(Effect.provide(layer))
  )
})

describe("the id of a run", () => {
  it.scopedLive("is a type of its own, and checked where it is a text", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const archive = yield* Archive
        const { id } = yield* ran(path)
        // @ts-expect-error Any text may be the path of an output, or the id of a call.
        archive.status("transcripts")
        const fromAddress = Run.makeId(String(id))
        assert.strictEqual((yield* archive.status(yield* fromAddress)).id, id)
        assert.deepStrictEqual(
          Either.getLeft(Run.makeId("transcripts")).pipe(Option.map(({ _tag, field }) => [_tag, field])),
          Option.some(["ArchiveRunInvalid", "run"])
        )
        const unknown = yield* Effect.flip(archive.status(yield* Run.makeId(run)))
        assert.strictEqual(unknown._tag, "ArchiveRunNotFound")
      }).pipe(Effect.provide(layerIn(path)))
    })
  )
})

describe("a source", () => {
  it.effect("says in its type that it reads a disk", () =>
    Effect.gen(function* () {
      const text: Source.Text = { id: "menu/welcome", text: "Welcome." }
      const memory = Source.texts(Stream.make(text), { root: "menu", description: "the menu" })
      expectTypeOf(memory).toEqualTypeOf<Source.Source>()
      assert.strictEqual(yield* Stream.runCount(memory.items()), 1)

      const lines = Source.jsonl("prompts.jsonl")
      expectTypeOf(lines).toEqualTypeOf<Source.Source<FileSystem.FileSystem>>()
      // @ts-expect-error The lines of a file are read from a disk.
      const alone: Effect.Effect<number, ArchiveSourceFailed> = Stream.runCount(lines.items())
      // @ts-expect-error So is a folder.
      const folder: Effect.Effect<unknown, ArchiveSourceFailed> = Source.folder("calls")
      assert.isTrue(Effect.isEffect(alone) && Effect.isEffect(folder))
    })
  )

  it.effect("of lines is read by the file system that it is given", () => {
    const text = `{"id":"a","text":"Welcome."}\n{"id":"b","text":"Goodbye."}\n`
    const files = FileSystem.layerNoop({ stream: () => Stream.make(new TextEncoder().encode(text)) })
    return Effect.gen(function* () {
      const items = yield* Stream.runCollect(Source.jsonl("/nowhere/prompts.jsonl").items())
      assert.deepStrictEqual(
        [...items].map(({ path }) => path),
        ["a", "b"]
      )
    }).pipe(Effect.provide(files))
  })
})

describe("the options of an archive", () => {
  it("take durations, and a value says its unit", () => {
    const operation = Operation.transcribe({ model: "hi-general-v2-8khz", maximum: "1 minute" })
    assert.strictEqual(operation.pieceMillis, 60_000)
    // @ts-expect-error A number without a unit may be seconds.
    Operation.transcribe({ model: "hi-general-v2-8khz", pieceMillis: 60 })
    const closing = { path: "runs.db", workers: [Worker.transcription], closeLimit: "2 minutes" } as const
    assert.isTrue(Layer.isLayer(Archive.layerEmbedded(closing)))
  })
})
