// Plain JavaScript, over the built packages: no compiler adds to the memory that is measured.
/**
 * The work of an archive without its engine: `node bare.js OPTIONS`. The same source, worker and output; with `store`, two commits
 * a file on the same kind of connection.
 */
import { rmSync } from "node:fs"
import { mkdir, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import * as Operation from "@effect-speech/archive/Operation"
import * as Output from "@effect-speech/archive/Output"
import * as Source from "@effect-speech/archive/Source"
import * as Worker from "@effect-speech/archive/Worker"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { peakMemory, resetPeakMemory } from "effect-speech-test-support/memory"
import { double } from "./double.js"

/**
 * @typedef {object} Options
 * @property {string} folder
 * @property {string} out
 * @property {number} concurrency
 * @property {number} millis
 * @property {string} [store] A file. Default: no database.
 *
 * @typedef {object} Result
 * @property {number} millis
 * @property {number} peak
 * @property {number} cpuMillis
 */

/** @type {Options} */
const { concurrency, folder, millis, out, store } = JSON.parse(process.argv[2] ?? "{}")

const settings = {
  operation: Operation.transcribe({ model: "hi-general-v2-8khz" }),
  root: folder,
  source: folder,
  byContent: false,
  output: { directory: out, format: /** @type {const} */ ("txt") },
  unanswered: /** @type {const} */ ("hold")
}

/** The connection of the archive to a file, which is internal to the package. @param {string} path */
const connect = async (path) => {
  const url = new URL("../../packages/archive/dist/internal/store/libsqlClient.js", import.meta.url)
  /** @type {typeof import("../../packages/archive/src/internal/store/libsqlClient.js")} */
  const { SingleConnection } = await import(url.href)
  return SingleConnection.open(path)
}

/** A temporary file that takes the name, as an archive writes it. @param {string} path @param {string} text */
const write = async (path, text) => {
  const temporary = `${path}.part`
  const written = () => writeFile(temporary, text, { flag: "wx", mode: 0o600 })
  await written().catch(() => mkdir(dirname(path), { recursive: true }).then(written))
  await rename(temporary, path)
}

const work = Effect.gen(function* () {
  const connection = store === undefined ? undefined : yield* Effect.promise(() => connect(store))
  /** @param {string} sql @param {Array<string | number>} args */
  const commit = (sql, args) =>
    connection === undefined ? Effect.void : Effect.promise(() => connection.execute({ sql, args }))
  yield* commit("CREATE TABLE files (seq INTEGER PRIMARY KEY, path TEXT, state INTEGER, result TEXT)", [])
  /** @param {import("@effect-speech/archive/Source").SourceItem} item @param {number} seq */
  const one = (item, seq) =>
    Effect.gen(function* () {
      const file = { ...item, run: "", seq, callId: crypto.randomUUID(), attempts: 1 }
      yield* commit("INSERT INTO files (seq, path, state) VALUES (?, ?, 1)", [seq, item.path])
      const settlement = yield* Worker.transcription.call({ file, settings })
      if (settlement._tag !== "Done") return yield* Effect.dieMessage(`${item.path}: ${JSON.stringify(settlement)}`)
      const { result } = settlement
      yield* commit("UPDATE files SET state = 2, result = ? WHERE seq = ? AND state = 1", [JSON.stringify(result), seq])
      yield* Effect.promise(() =>
        write(Output.pathOf(settings.output, item.path), `${"text" in result ? result.text : ""}\n`)
      )
    })
  const source = yield* Source.folder(folder)
  yield* source.items().pipe(
    Stream.zipWithIndex,
    Stream.mapEffect(([item, index]) => one(item, index + 1), { concurrency, unordered: true }),
    Stream.runDrain
  )
  connection?.close()
}).pipe(
  Effect.provide(
    Layer.mergeAll(Layer.effect(SpeechToText, double({ millis })), AudioDecoder.layerWav, NodeTransport.layer)
  )
)

process.once("message", async () => {
  resetPeakMemory()
  const began = performance.now()
  const before = process.cpuUsage()
  await Effect.runPromise(work)
  const { system, user } = process.cpuUsage(before)
  /** @type {Result} */
  const result = { millis: performance.now() - began, peak: peakMemory(), cpuMillis: (system + user) / 1000 }
  rmSync(out, { recursive: true, force: true })
  process.send?.(result)
})
process.once("disconnect", () => process.exit(0))
process.send?.("ready")
