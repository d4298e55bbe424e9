// Plain JavaScript, over the built packages: no compiler adds to the memory that is measured.
/**
 * A process with an archive: `node client.js OPTIONS`, with {@link Options} as JSON. It sends its process id when it is ready, and
 * then the response to each {@link Command}, one at a time. It leaves in order when the channel is closed.
 */
import { appendFileSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Archive } from "@effect-speech/archive/Archive"
import * as Operation from "@effect-speech/archive/Operation"
import * as Source from "@effect-speech/archive/Source"
import * as Worker from "@effect-speech/archive/Worker"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { peakMemory, resetPeakMemory } from "effect-speech-test-support/memory"
import { cpuMicrosOf, readJob, serve } from "../support/serve.js"
import { double, items } from "./double.js"

/**
 * @typedef {object} Options
 * @property {{ readonly path: string } | { readonly url: string }} store A file, or a PostgreSQL.
 * @property {import("./double.js").Speech} speech
 * @property {number} concurrency
 *
 * @typedef {object} RunOptions
 * @property {{ readonly folder: string } | { readonly items: number, readonly root: string }} source
 * @property {string} out
 * @property {import("@effect-speech/archive/Run").Limits} [limits]
 * @property {import("@effect-speech/archive/Run").Unanswered} [unanswered]
 *
 * @typedef {{ readonly do: "start", readonly run: RunOptions }
 *   | { readonly do: "await" | "status" | "pause" | "resume" | "export" | "results", readonly id: RunId }
 *   | { readonly do: "retry", readonly id: RunId, readonly only: string }} Command `await`: until the run does not run any more.
 *
 * @typedef {import("@effect-speech/archive/Run").RunId} RunId
 * @typedef {object} Answer
 * @property {number} millis
 * @property {number} peak Of resident memory, in bytes, since the last command.
 * @property {number} cpuMillis User and system time of the process during the command.
 * @property {{ readonly tag: string, readonly code?: string | undefined, readonly message: string }} [error]
 * @property {import("@effect-speech/archive/Run").RunStatus} [status]
 * @property {ReadonlyArray<Pick<import("@effect-speech/archive/Run").FileRecord, "callId" | "path" | "state"> & { readonly error?: import("@effect-speech/archive/Run").FileError | undefined }>} [files]
 */

/** @type {Options} */
const { concurrency, speech, store } = readJob()

const workers = /** @type {const} */ ([Worker.transcription])

const speechToText =
  "baseUrl" in speech
    ? SpeechToText.layer({ apiKey: Redacted.make(speech.apiKey), baseUrl: speech.baseUrl, allowInsecureHttp: true })
    : Layer.effect(SpeechToText, double(speech))

/** @type {Layer.Layer<Archive, import("@effect-speech/archive/ArchiveError").ArchiveError, SpeechToText | AudioDecoder | import("@effect/platform/FileSystem").FileSystem>} */
const archive =
  "path" in store
    ? Archive.layerEmbedded({ path: store.path, workers, concurrency })
    : Archive.layerMachine({ url: Redacted.make(store.url), workers, concurrency })

const runtime = ManagedRuntime.make(
  archive.pipe(
    Layer.provide([speechToText, AudioDecoder.layerWav]),
    Layer.provideMerge(NodeTransport.layer),
    Layer.provide(Logger.minimumLogLevel(LogLevel.Error))
  )
)

/** @param {RunOptions} options */
const requestOf = ({ limits, out, source, unanswered }) =>
  Effect.map(
    "folder" in source ? Source.folder(source.folder) : Effect.succeed(items(source.root, source.items)),
    (source) => ({
      source,
      operation: Operation.transcribe({ model: "hi-general-v2-8khz" }),
      output: { directory: out, format: /** @type {const} */ ("txt") },
      limits,
      unanswered
    })
  )

/** @param {Command} command @returns {Effect.Effect<Partial<Answer>, unknown, Archive | import("@effect/platform/FileSystem").FileSystem>} */
const perform = (command) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    switch (command.do) {
      case "start":
        return { status: yield* archive.start(yield* requestOf(command.run)) }
      case "await":
        yield* Stream.runDrain(archive.progress(command.id))
        return { status: yield* archive.status(command.id) }
      case "status":
        return { status: yield* archive.status(command.id) }
      case "pause":
        return { status: yield* archive.pause(command.id) }
      case "resume":
        return { status: yield* archive.resume(command.id) }
      case "retry":
        return { status: yield* archive.retryFailed(command.id, { only: command.only }) }
      case "export":
        yield* archive.export(command.id)
        return {}
      case "results": {
        const files = yield* Stream.runCollect(archive.results(command.id))
        const shown = [...files].map(({ callId, path, state, ...facts }) => {
          return { callId, path, state, error: "error" in facts ? facts.error : undefined }
        })
        return { files: shown }
      }
    }
  })

/** @param {Cause.Cause<unknown>} cause */
const errorOf = (cause) => {
  const error = Cause.squash(cause)
  const { _tag, code, message } = /** @type {{ _tag?: string, code?: string, message?: string }} */ (error)
  return { tag: _tag ?? "Defect", code, message: message ?? String(error) }
}

if ("log" in speech && speech.log !== undefined) {
  mkdirSync(dirname(speech.log), { recursive: true })
  appendFileSync(speech.log, "")
}
/** @param {Command} command @returns {Promise<Answer>} */
const answer = async (command) => {
  resetPeakMemory()
  const began = performance.now()
  /** @type {Partial<Answer>} */
  let found = {}
  const cpuMicros = await cpuMicrosOf(async () => {
    const exit = await runtime.runPromiseExit(perform(command))
    found = Exit.isSuccess(exit) ? exit.value : { error: errorOf(exit.cause) }
  })
  return { millis: performance.now() - began, peak: peakMemory(), cpuMillis: cpuMicros / 1000, ...found }
}
// The store is opened by the first command, which then gets its error.
serve(answer, { ready: process.pid, end: () => runtime.dispose() })
