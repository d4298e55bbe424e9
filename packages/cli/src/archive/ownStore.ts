/**
 * An output is that of one store. With another one, a command would find no file done, and pay for each again.
 */
import { existsSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Archive } from "@effect-speech/archive/Archive"
import type { RunStatus } from "@effect-speech/archive/Run"
import * as Printable from "@effect-speech/common/Printable"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { OutputFailed, refuse } from "../failure.js"
import { lockOf } from "../fileLock.js"
import { lockOutput } from "../lockFolder.js"
import { applying } from "../message.js"
import { called, files } from "./report.js"
import { client, type Store } from "./store.js"

const realPath = (path: string): string => {
  if (existsSync(path)) return realpathSync(path)
  const folder = dirname(path)
  return folder === path ? path : join(realPath(folder), basename(path))
}

/** A link is its target. */
export const isSamePath = (one: string, other: string): boolean => realPath(resolve(one)) === realPath(resolve(other))

/** How many files a store's runs over this output have called, or may have called. */
const calledIn = (store: Store, out: string) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const statuses = yield* Effect.forEach(yield* archive.runs, archive.status)
    const own = statuses.filter(({ settings }) => isSamePath(settings.output.directory, out))
    return own.reduce((sum, status) => sum + called(status), 0)
  }).pipe(Effect.provide(client(store)))

/** Whether a store is one of a later version, or has several hard links. */
const isRefused = ({ _tag }: { readonly _tag: string }, path: string): boolean =>
  _tag === "ArchiveStoreTooNew" || (statSync(path, { throwIfNoEntry: false })?.nlink ?? 1) > 1

/** Fails if the output has a store of its own, with a run that has called files, and the given store knows of no such run. */
export const requireNoOtherStore = (store: Store, out: string) =>
  Effect.gen(function* () {
    const path = join(out, "archive.db")
    if (!existsSync(path) || (store._tag === "File" && isSamePath(store.path, path))) return
    // What is no store, or can't be read, is none. One that is only refused has what was called.
    const own = calledIn({ _tag: "File", path, isDefault: true }, out)
    const there = yield* Effect.catchIf(
      own,
      (error) => !isRefused(error, path),
      () => Effect.succeed(0)
    )
    if (there === 0) return
    const isNew = store._tag === "File" && !existsSync(store.path)
    if (!isNew && (yield* calledIn(store, out)) > 0) return
    const name = store._tag === "File" ? store.path : store.shown
    const sentence = `${out} has a store of its own, archive.db, with a run that has called ${files(there)}. The store ${name} knows nothing of it, and would call each file again. To go on with that run, leave out --store and SPEECH_ARCHIVE_STORE. To begin anew in the other store, choose another --out.`
    return yield* refuse(Printable.line(sentence))
  })

/** Another command of this machine may look at the lock that a killed one left, for a moment. */
const aFewTimes = Schedule.intersect(Schedule.spaced(200), Schedule.recurs(5))

/**
 * Keeps commands with other stores from this output, until the scope closes, if the store is a file. The machines of a database share an
 * output: they only fail if a command with a file works on it.
 */
export const lockForStore = (store: Store, out: string) =>
  (store._tag === "File"
    ? lockOutput(out)
    : Effect.suspend(() =>
        existsSync(lockOf(out)) ? Effect.retry(Effect.scoped(lockOutput(out)), aFewTimes) : Effect.void
      )
  ).pipe(
    Effect.catchAll(
      () =>
        new OutputFailed({
          message: Printable.line(
            `Nothing was sent: another speech command works on ${out}, with another store. Wait until it has ended, or stop it; it may be suspended. Or choose another --out.`
          )
        })
    )
  )

/** An output with results of a run whose store is not there, if the default store is about to be made in it. */
export const withoutStore = (store: Store, out: string): ReadonlyArray<string> =>
  applying(
    store._tag === "File" &&
      store.isDefault &&
      !existsSync(store.path) &&
      existsSync(join(out, "results.jsonl")) &&
      `${out} has results.jsonl, but no archive.db, so that each file is called. If the store of these results is elsewhere, stop this command by Ctrl-C, and give it with --store.`
  )

/** A run whose results were written to another output before, which is still there. */
export const movedOutput = (before: ReadonlyArray<RunStatus>, begun: RunStatus, out: string): ReadonlyArray<string> => {
  const former = before.find(({ id }) => id === begun.id)?.settings.output.directory
  return applying(
    former !== undefined &&
      existsSync(former) &&
      !isSamePath(former, out) &&
      `The results of this run were written to ${former}, and are written to ${out} from now on. No file that is done is called again.`
  )
}
