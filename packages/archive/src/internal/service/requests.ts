/**
 * What a request means in a store: its settings, the run that it is, and its files.
 */
import { existsSync, readdirSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import * as Printable from "@effect-speech/common/Printable"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ArchiveRunConflict, type ArchiveRunInvalid } from "../../ArchiveError.js"
import type { RunSettings } from "../../Run.js"
import type { SourceItem } from "../../Source.js"
import type { Job } from "../file/job.js"
import { runIdOf } from "../model/identity.js"
import type * as Money from "../model/money.js"
import { realPath, realRoot } from "../model/paths.js"
import { type RequestedSettings, settingsAfter } from "../model/request.js"
import { runInvalid } from "../runInvalid.js"
import { checkItems } from "../source/checkItems.js"
import { foldsCase } from "../source/places.js"
import type { StoreService } from "../store/Store.js"
import type { RunRequest } from "./ArchiveService.js"
import { conflictOf } from "./conflict.js"

export type CostOf = (job: Job) => Effect.Effect<Money.Cost>

export type Check = (item: SourceItem, settings: RunSettings) => Effect.Effect<void, ArchiveRunInvalid>

/** Paths are real paths. */
export const settingsOf = <R>(request: RunRequest<R>): RequestedSettings => ({
  operation: request.operation,
  root: realRoot(request.source.root),
  source: request.source.description,
  byContent: request.source.byContent,
  output: { ...request.output, directory: realPath(request.output.directory) },
  unanswered: request.unanswered
})

/** The files of a request, as its output can hold them. */
const itemsOf = <R>({ output, source }: RunRequest<R>) => {
  const directory = resolve(output.directory)
  return Stream.unwrap(
    Effect.map(
      Effect.promise(() => foldsCase(directory)),
      (foldsCase) => checkItems(source.items({ directory, foldsCase }), source.root)
    )
  )
}

/** Whether the run knows one of the first files of the source. */
const knowsSource = <R>(store: StoreService, run: string, request: RunRequest<R>) =>
  Effect.gen(function* () {
    const first = yield* Stream.runCollect(Stream.take(itemsOf(request), 1_000))
    const states = yield* store.states(run, Chunk.toReadonlyArray(first))
    return states.some((state) => state !== undefined)
  })

/**
 * The id of the run with this operation and this source. A source that does not exist any more was moved. Fails if another run has
 * the output, or if the run has paid pieces in another one: results would be mixed, or the pieces not found.
 */
export const identify = <R>(store: StoreService, request: RunRequest<R>, requested: RequestedSettings) =>
  Effect.gen(function* () {
    const { output, root } = requested
    let found: string | undefined
    for (const id of yield* store.runs) {
      const { settings } = yield* Effect.catchTag(store.run(id), "ArchiveRunNotFound", Effect.die)
      const there = realPath(settings.output.directory)
      const hasOutput = there === output.directory
      const hasRoot = realRoot(settings.root) === root
      const conflict = conflictOf(id, settings, requested)
      if (hasOutput && conflict !== undefined) return yield* conflict
      if (conflict !== undefined) continue
      if (!hasOutput && !hasRoot) {
        // Both were moved: in a file store they are found by the output, and in a database only by their files.
        const areAway = isAbsolute(settings.root) && !existsSync(settings.root) && !existsSync(there)
        const wereMoved = areAway && (yield* knowsSource(store, id, request))
        if (!wereMoved) continue
        found ??= id
        continue
      }
      if (!hasRoot && (existsSync(settings.root) || !(yield* knowsSource(store, id, request)))) {
        return yield* refuse(
          id,
          `${output.directory} is the output of a run over ${settings.root}. Give each source an output of its own.`
        )
      }
      if (!hasOutput && hasPieces(there)) {
        return yield* refuse(
          id,
          `The results of this run are in ${there}, with paid pieces of long files that are not done. Give that output, or move the folder to ${output.directory}.`
        )
      }
      found = hasOutput ? id : (found ?? id)
    }
    return found ?? runIdOf(requested)
  })

/** The files of a request, a page at a time: those that this process could only let fail are refused before a call. */
export const pages = <R>(request: RunRequest<R>, settings: RunSettings, check: Check | undefined) =>
  Stream.tap(Stream.map(Stream.grouped(itemsOf(request), 1_000), Chunk.toReadonlyArray), (page) => {
    if (check === undefined) return Effect.void
    const usable = page.filter(({ problem }) => problem === undefined)
    return Effect.forEach(usable, (item) => check(item, settings), { concurrency: 16, discard: true })
  })

/** The settings of a run with this id, if the store has it. */
export const storedSettings = (store: StoreService, run: string) =>
  store.run(run).pipe(
    Effect.map((row): RunSettings | undefined => row.settings),
    Effect.catchTag("ArchiveRunNotFound", () => Effect.succeed(undefined))
  )

/** What was written in another format is not known any more, and audio of another folder is copied from there. */
export const withEarlierOutputs = (store: StoreService, run: string, requested: RequestedSettings) =>
  Effect.gen(function* () {
    const stored = yield* storedSettings(store, run)
    const settings = settingsAfter(stored, requested)
    if (stored === undefined) return { requested, settings }
    const { earlierOutputs = [], output } = stored
    if (output.format !== settings.output.format) yield* store.forgetOutputs(run)
    const folders = new Set([...earlierOutputs, output.directory])
    folders.delete(settings.output.directory)
    const more = folders.size === 0 ? {} : { earlierOutputs: [...folders] }
    return { requested: { ...requested, ...more }, settings: { ...settings, ...more } }
  })

const hasPieces = (directory: string): boolean => {
  const folder = join(directory, ".pieces")
  return existsSync(folder) && readdirSync(folder).length > 0
}

export const refuse = (run: string, message: string) =>
  new ArchiveRunConflict({ run, message: Printable.line(message) })

export const listsNothing = ({ source }: Pick<RunSettings, "source">) =>
  runInvalid({ field: "source", problem: Printable.line(`lists nothing: there are no ${source}`) })
