/**
 * An archive in a temporary folder, with a worker that the test controls instead of the service.
 */
import { join } from "node:path"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Archive, type RunRequest } from "../../src/Archive.js"
import type { Settlement } from "../../src/internal/store/Store.js"
import type { RunId } from "../../src/Run.js"
import type { Source, SourceItem } from "../../src/Source.js"
import type { Worker } from "../../src/Worker.js"

export { folder } from "./stores.js"

export const done: Settlement = {
  _tag: "Done",
  result: { text: "नमस्ते", segments: [], warnings: [] },
  billing: "billed",
  credits: 1
}

export const failed = (tag: string): Settlement => ({
  _tag: "Failed",
  error: { tag, message: `${tag}.` },
  billing: "notBilled"
})

export const refused: Settlement = {
  _tag: "Refused",
  error: { tag: "InsufficientCredits", message: "The account has no credits." }
}

export interface Calls {
  /** The paths that were called, in order. */
  readonly begun: Array<string>
  /** Calls under way. */
  active: number
  /** The largest number of calls that were under way at once. */
  most: number
}

/** A worker that answers by the path of the file, after `millis`. */
export const worker = (
  answer: (path: string, calls: Calls) => Settlement | Effect.Effect<Settlement> = () => done,
  millis = 0
): { readonly worker: Worker; readonly calls: Calls } => {
  const calls: Calls = { begun: [], active: 0, most: 0 }
  return {
    calls,
    worker: {
      operation: "Transcribe",
      cost: () => Effect.succeed({ most: 1, isStated: true }),
      call: ({ file }) =>
        Effect.suspend(() => {
          calls.begun.push(file.path)
          calls.active++
          calls.most = Math.max(calls.most, calls.active)
          return millis > 0 ? Effect.sleep(millis) : Effect.void
        }).pipe(
          Effect.flatMap(() => {
            const result = answer(file.path, calls)
            return Effect.isEffect(result) ? result : Effect.succeed(result)
          }),
          Effect.ensuring(Effect.sync(() => calls.active--))
        )
    }
  }
}

export const item = (index: number): SourceItem => ({
  path: `calls/${String(index).padStart(6, "0")}.wav`,
  size: 16_044 + index,
  modifiedMillis: 1_700_000_000_000 + index
})

export const source = (count: number, root = "/calls"): Source => ({
  root,
  description: "calls",
  byContent: false,
  items: () => Stream.map(Stream.range(1, count), item)
})

/** A request to transcribe so many files into a folder. */
export const request = (directory: string, count: number, fields?: Partial<RunRequest>): RunRequest => ({
  source: source(count),
  operation: { _tag: "Transcribe", model: "hi-general-v2-8khz" },
  output: { directory: join(directory, "out"), format: "txt" },
  ...fields
})

const real = Clock.make()

/** A clock whose wall time is the real one, and by which each wait is ten times shorter. */
const hurried: Clock.Clock = {
  ...real,
  sleep: (duration) => real.sleep(Duration.times(duration, 1 / 10)),
  unsafeCurrentTimeNanos: () => 10n * real.unsafeCurrentTimeNanos(),
  currentTimeNanos: Effect.sync(() => 10n * real.unsafeCurrentTimeNanos())
}

/** What an archive waits for passes sooner. */
export const hurry = Effect.withClock(hurried)

/** Runs a program in a process of its own, as far as the archive sees: its layer is built, and closed at the end. */
export const inProcess = <A, E, E2>(
  layer: Layer.Layer<Archive, E2, FileSystem.FileSystem>,
  body: (archive: Archive["Type"]) => Effect.Effect<A, E>
): Effect.Effect<A, E | E2> =>
  hurry(Effect.provide(Effect.flatMap(Archive, body), Layer.provide(layer, NodeFileSystem.layer)))

/** Starts a run in a process of its own, and waits for its end. */
export const runOnce = <E>(layer: Layer.Layer<Archive, E, FileSystem.FileSystem>, request: RunRequest) =>
  inProcess(layer, (archive) => Effect.flatMap(archive.start(request), ({ id }) => ended(archive, id)))

/** The id of a run that there must be. */
export const known = (id: RunId | undefined): RunId => Option.getOrThrow(Option.fromNullable(id))

/** Waits for the end of the progress: the last status. */
export const ended = (archive: Archive["Type"], run: RunId) =>
  Effect.map(Stream.runLast(archive.progress(run)), Option.getOrThrow)

/** Waits until something holds. */
export const until = (holds: () => boolean) =>
  Effect.repeat(Effect.delay(Effect.sync(holds), 5), { until: (is) => is }).pipe(
    Effect.timeout(40_000),
    Effect.withClock(real)
  )

/** An error of the system, as the file system gives it. */
export const systemError = (method: string, code: string) =>
  new SystemError({
    module: "FileSystem",
    method,
    reason: "Unknown",
    cause: Object.assign(new Error(code), { code })
  })

/** The file system, with some of its methods changed. */
export const changedFileSystem = (change: (fs: FileSystem.FileSystem) => Partial<FileSystem.FileSystem>) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) => ({ ...fs, ...change(fs) }))
  ).pipe(Layer.provide(NodeFileSystem.layer))
