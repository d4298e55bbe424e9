/**
 * Transcribes the recordings of a call centre: a run with limits that is watched, suspended and resumed, its files by state, failures that
 * are retried by their tag, an account that is closed meanwhile, and errors as JSON for whoever asked.
 */
import { FileSystem, Path } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import { Archive, ArchiveError, Operation, Output, Run, Source, Worker } from "@effect-speech/archive"
import { Wav } from "@effect-speech/audio-codec"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { LocalService } from "@effect-speech/local-service"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import {
  Array as Arr,
  Console,
  Data,
  DateTime,
  Effect,
  Equal,
  Layer,
  Match,
  Number as Num,
  Option,
  Record,
  Schema,
  Stream
} from "effect"

export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

const check = (holds: boolean, message: string) => (holds ? Effect.void : new CheckFailed({ message }))

const calls = [
  "My card was stolen yesterday.",
  "I would like to open an account.",
  "When does the branch in Pune close?",
  "Please send me a new cheque book.",
  "The machine has kept my money."
]

export const record = (folder: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const tts = yield* TextToSpeech
    yield* Effect.forEach(calls, (text, index) =>
      Effect.gen(function* () {
        const speech = yield* tts.synthesize({ text, lang: "en", outputFormat: "8000:pcm16" })
        return yield* Wav.writeFile(speech, join(folder, `call-${index + 1}.wav`))
      })
    )
    yield* fs.writeFile(join(folder, "call-6.wav"), new Uint8Array(0))
    yield* fs.writeFileString(join(folder, "call-7.wav"), "This is a note, and no recording. ".repeat(20))
  })

/** What the owner of the run has to do. */
export const advice = Match.type<Run.RunStatus>().pipe(
  Match.when({ state: "suspended" }, ({ suspension }) =>
    suspension.tag === "FileLimit" || suspension.tag === "CreditLimit"
      ? `Raise the limit, and resume. ${suspension.message}`
      : `See to the account, and resume. ${suspension.message}`
  ),
  Match.when({ state: "ended" }, ({ counts }) => (counts.failed + counts.held > 0 ? "Retry what failed." : "Nothing.")),
  Match.whenOr({ state: "listing" }, { state: "running" }, { state: "paused" }, () => "Wait."),
  Match.exhaustive
)

/** Watches a run until it stops, and gives its last status. */
export const stopped = (id: Run.RunId) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const last = yield* archive.progress(id).pipe(Stream.changes, Stream.runLast)
    return yield* Option.match(last, { onNone: () => archive.status(id), onSome: Effect.succeed })
  })

/** The answer to whoever asked for a run by the text of its id. */
export const answer = (text: string) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    return yield* archive.status(yield* Run.makeId(text))
  }).pipe(
    Effect.flatMap(Schema.encode(Schema.parseJson(Run.RunStatus))),
    Effect.catchTags({
      ArchiveRunNotFound: Schema.encode(Schema.parseJson(ArchiveError)),
      ArchiveRunInvalid: Schema.encode(Schema.parseJson(ArchiveError))
    })
  )

const run = (source: string, output: string) =>
  Effect.gen(function* () {
    const service = yield* LocalService
    const archive = yield* Archive
    const request = {
      source: yield* Source.folder(source),
      operation: Operation.transcribe({ model: "en-general-v2-8khz", maximum: "10 minutes" }),
      output: { directory: output, format: "json" },
      limits: { maxFiles: 3, callsPerSecond: 50 }
    } as const

    const plan = yield* archive.plan(request)
    yield* check(plan.files === 7 && plan.toCall === 7, `the plan has ${plan.toCall} files to call`)

    yield* service.faults.set([
      { operation: "transcribe", nth: 2, times: 1, status: 400, message: "the recording is too quiet" },
      { operation: "transcribe", nth: 5, times: 1, status: 500 }
    ])
    const { id } = yield* archive.start(request)
    const limited = yield* stopped(id)
    yield* check(limited.state === "suspended" && limited.suspension.tag === "FileLimit", `it is ${limited.state}`)
    yield* check(advice(limited).startsWith("Raise the limit"), advice(limited))

    yield* service.accounts.setAccount({ state: "inactive" })
    yield* archive.resume(id, { limits: { maxFiles: 100 } })
    const refused = yield* stopped(id)
    yield* check(refused.state === "suspended" && refused.suspension.tag === "SttForbidden", `it is ${refused.state}`)
    yield* check(advice(refused).startsWith("See to the account"), advice(refused))

    yield* service.accounts.setAccount({ state: "active" })
    yield* archive.resume(id)
    const ended = yield* stopped(id)
    yield* check(ended.state === "ended" && advice(ended) === "Retry what failed.", `it is ${ended.state}`)
    return ended
  })

const sameTags = Record.getEquivalence(Num.Equivalence)

const retries = ({ failures, holds, id, updatedAt }: Run.RunStatus) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    yield* check(
      sameTags(failures, { SttBadRequest: 1, FileEmpty: 1, NotARecording: 1 }),
      `failures: ${JSON.stringify(failures)}`
    )
    yield* check(sameTags(holds, { SttServerError: 1 }), `holds: ${JSON.stringify(holds)}`)

    const failed = yield* Stream.runCollect(archive.results(id, { states: ["failed"] }))
    yield* check(
      Arr.some(Arr.fromIterable(failed), ({ error }) => error.message.includes("the recording is too quiet")),
      "the sentence of the service is kept"
    )
    const held = yield* Stream.runCollect(archive.results(id, { states: ["held"] }))
    yield* check(
      Arr.every(Arr.fromIterable(held), ({ billing }) => billing === "unknown"),
      "it is not known whether it was billed"
    )

    yield* archive.retryFailed(id, { only: "SttServerError" })
    yield* stopped(id)
    yield* archive.retryFailed(id, { only: "SttBadRequest" })
    const ended = yield* stopped(id)
    yield* check(ended.counts.done === calls.length && ended.counts.failed === 2, JSON.stringify(ended.counts))
    yield* check(DateTime.greaterThanOrEqualTo(ended.updatedAt, updatedAt), "the run was changed later")

    const again = yield* archive.retryFailed(id, { only: "SttServerError" }).pipe(
      Effect.map(() => ""),
      Effect.catchTag("ArchiveRunInvalid", ({ field, problem }) => Effect.succeed(`${field}: ${problem}`))
    )
    yield* check(again !== "", "no file has this tag any more")
    return { ended, again }
  })

export const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  const source = join(folder, "calls")
  yield* fs.makeDirectory(source)
  yield* record(source)

  return yield* Effect.gen(function* () {
    const archive = yield* Archive
    const status = yield* run(source, join(folder, "transcripts"))
    const { ended } = yield* retries(status)

    const done = yield* Stream.runCollect(archive.results(ended.id, { states: ["done"] }))
    const texts = Arr.map(Arr.fromIterable(done), ({ result }) =>
      result instanceof Output.TranscriptionResult ? result.text : ""
    )
    yield* check(Equal.equals(Data.array(texts), Data.array(calls)), `the transcripts are ${texts}`)

    const records = yield* Stream.runCollect(archive.results(ended.id))
    const byState = Arr.groupBy(records, ({ state }) => state)
    yield* check(
      byState.done?.length === 5 && byState.failed?.length === 2 && byState.held === undefined,
      "all is accounted for"
    )

    const known = yield* Schema.decode(Schema.parseJson(Run.RunStatus))(yield* answer(ended.id))
    yield* check(known.state === "ended" && Equal.equals(known.counts, ended.counts), "a status is read as it was sent")
    const errors = yield* Effect.forEach(["not-a-run", "00000000-0000-4000-8000-000000000000"], (text) =>
      Effect.flatMap(answer(text), Schema.decode(Schema.parseJson(ArchiveError)))
    )
    yield* check(
      Arr.join(
        Arr.map(errors, ({ _tag }) => _tag),
        " "
      ) === "ArchiveRunInvalid ArchiveRunNotFound",
      `the errors are ${errors}`
    )
    return ended
  }).pipe(
    Effect.provide(
      Archive.layerEmbedded({
        path: join(folder, "archive.db"),
        workers: [Worker.transcription],
        concurrency: 1,
        closeLimit: "5 seconds"
      })
    )
  )
}).pipe(Effect.scoped)

export const layer = Layer.provideMerge(
  Layer.merge(LocalService.layerClients, AudioDecoder.layerWav),
  Layer.mergeAll(LocalService.layer(), NodeTransport.layer, Path.layer)
)

program.pipe(
  Effect.flatMap(({ counts, credits, failures }) =>
    Console.log(
      `ok callCentre ${counts.done} done, ${counts.failed} failed ${JSON.stringify(failures)}, ${credits} credits`
    )
  ),
  Effect.provide(layer),
  NodeRuntime.runMain
)
