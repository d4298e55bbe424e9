/**
 * `speech archive`: runs over many files, which go on where they were.
 */
import { basename, resolve } from "node:path"
import { Archive, type ArchiveService } from "@effect-speech/archive/Archive"
import type { Operation } from "@effect-speech/archive/Operation"
import { type OutputReport, RunStatus } from "@effect-speech/archive/Run"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { isSamePath, lockForStore, movedOutput, requireNoOtherStore, withoutStore } from "../archive/ownStore.js"
import {
  adviceOn,
  describe,
  describePlan,
  elsewhere,
  exitCodeOf,
  hasNoProcess,
  inForce,
  isListingOver,
  leftBy,
  makeLine,
  outageOf,
  outputOn,
  resultsLater,
  retryOf,
  settledOf,
  synthesisOf
} from "../archive/report.js"
import { limitsOf, requestOf } from "../archive/request.js"
import {
  client,
  configuredOperations,
  type Machine,
  machine,
  makesCalls,
  type Place,
  planner,
  type Store,
  storeOf
} from "../archive/store.js"
import { checkOutputFolder } from "../checkOutput.js"
import type { Given } from "../declaration.js"
import * as ExitCode from "../exitCode.js"
import { AlreadyReported, OutputFailed, refuse } from "../failure.js"
import { applying, count, note, plural, say } from "../message.js"
import * as Progress from "../progress.js"

/** The run that the options mean: that of `--out`, or the only one in the store. */
const findRun = (archive: ArchiveService, store: Store, { out }: Place) =>
  Effect.gen(function* () {
    const statuses = yield* Effect.forEach(yield* archive.runs, archive.status)
    const own = statuses.filter(({ settings }) => out === undefined || isSamePath(settings.output.directory, out))
    const [only, ...others] = own
    const where = store._tag === "File" ? store.path : store.shown
    if (only === undefined) {
      return yield* refuse(`There is no ${out === undefined ? "run" : `run with --out ${out}`} in ${where}.`)
    }
    if (others.length > 0) {
      const folders = own.map(({ settings }) => settings.output.directory)
      return yield* refuse(`${where} has several runs: give --out, one of ${folders.join(", ")}.`)
    }
    return only
  })

/** Times are milliseconds since 1970. */
const toJson = Schema.encodeSync(Schema.parseJson(RunStatus))

const print = (status: RunStatus, json: boolean): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Console.log(json ? toJson(status) : describe(status, now)))

const advise = (status: RunStatus, store: Store, isListingOver = false): Effect.Effect<void> =>
  note(...adviceOn(status, store, isListingOver))

/** The options of earlier versions, by which machines had to reach each other. */
interface Former {
  readonly host: string | undefined
  readonly port: string | undefined
}

const sayFormer = ({ host, port }: Former, mayWork: boolean): Effect.Effect<void> =>
  note(
    ...applying(
      (host !== undefined || port !== undefined) &&
        `--host and --port are ignored: machines meet in the database alone.${mayWork ? " To work on the run here, too: --work" : ""}`
    )
  )

interface Ending {
  readonly json: boolean
  readonly failOn: ReadonlyArray<string>
  /** The run was watched until it stopped, so that one which is listing still has no process that lists. Default: false. */
  readonly isWatched?: boolean
}

const listingIsOver = (status: RunStatus, { isWatched = false }: Pick<Ending, "isWatched">): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => (isWatched && status.state === "listing") || isListingOver(status, now))

/** The state of a run is the exit code. */
const endWith = (status: RunStatus, ending: Ending): Effect.Effect<void, AlreadyReported> =>
  Effect.flatMap(listingIsOver(status, ending), (isOver) => {
    const code = exitCodeOf(status, ending.failOn, isOver)
    return code === ExitCode.done ? Effect.void : new AlreadyReported({ code })
  })

/** Prints how far a run is, and what to do next. */
const printEnd = (status: RunStatus, store: Store, ending: Ending) =>
  Effect.gen(function* () {
    yield* print(status, ending.json)
    if (!ending.json) yield* advise(status, store, yield* listingIsOver(status, ending))
    yield* endWith(status, ending)
  })

/** A process that has just begun has the store, but no heartbeat yet. In milliseconds. */
const beginsWithin = 2_000

interface Watching {
  readonly json: boolean
  readonly store: Store
  /** Print each status as JSON. */
  readonly everyChange: boolean
  /** This process makes the calls. Its heartbeat may be late, such as after its computer was suspended. */
  readonly works: boolean
  /** The watching ends when no process works on the run. */
  readonly endsWithoutProcess: boolean
  /** It was said that no machine works on the run. */
  readonly isNoProcessSaid: boolean
}

/**
 * Shows the progress of a run until it stops, and at once when the service goes down and answers again. Machines
 * come and go: with a database it says when there is none, and waits for one.
 */
const watch = (begun: RunStatus, options: Watching) =>
  Effect.gen(function* () {
    const archive = yield* Archive
    const progress = yield* Progress.make(process.stderr, options)
    const job = yield* progress.job(basename(begun.settings.output.directory))
    const toWork = makeLine(options.works)
    let shown: string | undefined
    let { isNoProcessSaid } = options
    const sayIfNoProcess = (status: RunStatus) =>
      Effect.suspend(() => {
        const isNew = hasNoProcess(status) && !isNoProcessSaid
        isNoProcessSaid = hasNoProcess(status)
        return isNew && !options.works && options.store._tag === "Database"
          ? progress.withoutLines(note("No machine works on the run. This command waits for one: speech archive work"))
          : Effect.void
      })
    const isOver = (status: RunStatus) =>
      !options.endsWithoutProcess || !hasNoProcess(status)
        ? Effect.succeed(false)
        : Effect.map(Effect.delay(archive.status(status.id), beginsWithin), hasNoProcess)
    const show = (status: RunStatus) =>
      Effect.gen(function* () {
        const outage = outageOf(status)
        if (outage !== shown && (outage !== undefined || status.state === "running")) {
          shown = outage
          yield* progress.withoutLines(say(outage ?? "The service answers again."))
        }
        yield* sayIfNoProcess(status)
        yield* job.show(toWork(status, yield* Clock.currentTimeMillis), settledOf(begun))
        if (options.everyChange && options.json) yield* progress.withoutLines(print(status, true))
      })
    const last = yield* archive
      .progress(begun.id)
      .pipe(Stream.tap(show), Stream.takeUntilEffect(isOver), Stream.runLast)
    return Option.getOrElse(last, () => begun)
  }).pipe(Effect.scoped)

/** Prints a sentence at Ctrl-C, before what surrounds it is closed. */
const atInterruption =
  (sentence: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onInterrupt(effect, () => say(sentence))

/** How far a run is that this process has left, and how to go on. What can't be read now, `speech archive status` says. */
const sayLeft = (id: RunStatus["id"] | undefined, store: Store, json: boolean) =>
  Effect.gen(function* () {
    if (id === undefined) return
    const status = yield* Effect.provide(
      Effect.flatMap(Archive, (archive) => archive.status(id)),
      client(store)
    )
    yield* print(status, json)
    if (!json) yield* note(...resultsLater(status, store))
  }).pipe(Effect.ignore, Effect.zipRight(say("Run it again to resume. Files that are done are not sent again.")))

const finishing = "Calls in progress finish, for up to 60 s. Ctrl-C again ends at once, and holds their files."

/** What a command works on. */
interface Target {
  readonly store: Store
  readonly operation: Operation["_tag"]
  /** The output. */
  readonly out: string
}

/** Opens an archive to begin a run or to go on with it, and watches the run to its end. */
const work = <E, R>(
  { operation, out, store }: Target,
  options: Machine & Ending & Former & { readonly work: boolean },
  begin: (archive: ArchiveService) => Effect.Effect<RunStatus, E, R>
) => {
  let id: RunStatus["id"] | undefined
  const watched = Effect.gen(function* () {
    yield* sayFormer(options, store._tag === "Database" && !options.work)
    const begun = yield* begin(yield* Archive)
    id = begun.id
    yield* note(...inForce(begun))
    const works = makesCalls(store, options)
    const isNoProcessSaid = !works && begun.machines === 0
    if (isNoProcessSaid) yield* advise(begun, store)
    return yield* watch(begun, {
      json: options.json,
      store,
      everyChange: false,
      works,
      endsWithoutProcess: false,
      isNoProcessSaid
    })
  })
  const end = (status: RunStatus) =>
    Effect.gen(function* () {
      if (isSamePath(status.settings.output.directory, out)) {
        return yield* printEnd(status, store, { ...options, isWatched: true })
      }
      if (!options.json) yield* print(status, false)
      return yield* new OutputFailed({ message: elsewhere(status, store, out) })
    })
  if (makesCalls(store, options)) {
    const opened = machine(store, [operation], options)
    // A command with the same store says that this is in use.
    const locked = Effect.catchAll(lockForStore(store, out), (error) =>
      Effect.zipRight(Effect.scoped(Layer.build(opened)), error)
    )
    return watched.pipe(
      atInterruption(finishing),
      Effect.provide(opened),
      (working) => Effect.onInterrupt(working, () => sayLeft(id, store, options.json)),
      (working) => Effect.scoped(Effect.zipRight(locked, working)),
      Effect.flatMap(end)
    )
  }
  return Effect.scoped(lockForStore(store, out)).pipe(
    Effect.zipRight(Effect.provide(watched, client(store))),
    atInterruption("The machines go on with the run. To stop them: speech archive pause"),
    Effect.flatMap(end)
  )
}

export const run = (given: Given<"archive run">) =>
  Effect.gen(function* () {
    const store = yield* storeOf(given)
    const request = yield* requestOf(given)
    const out = request.output.directory
    yield* checkOutputFolder(given.out)
    yield* requireNoOtherStore(store, out)
    if (given.dryRun) {
      const plan = yield* Effect.provide(
        Effect.flatMap(Archive, (archive) => archive.plan(request)),
        planner(store)
      )
      return yield* Console.log(given.json ? JSON.stringify(plan) : describePlan(plan, request.operation._tag))
    }
    yield* note(...withoutStore(store, out))
    yield* work({ store, operation: request.operation._tag, out }, given, (archive) =>
      Effect.gen(function* () {
        const statuses = yield* Effect.forEach(yield* archive.runs, archive.status)
        const earlier = statuses.find(({ settings }) => isSamePath(settings.output.directory, out))
        const begun = yield* archive.start(request)
        yield* note(...movedOutput(statuses, begun, out))
        // At the end, the advice says it.
        if (earlier !== undefined && begun.counts.pending > 0) yield* note(...leftBy(earlier, store))
        return begun
      })
    )
  })

/** Opens an archive, and finds its run. */
const withRun = <A, E, R>(
  given: Place,
  use: (archive: ArchiveService, status: RunStatus, store: Store) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const store = yield* storeOf(given)
    return yield* Effect.flatMap(Archive, (archive) =>
      Effect.flatMap(findRun(archive, store, given), (status) => use(archive, status, store))
    ).pipe(Effect.provide(client(store)))
  })

export const status = (given: Given<"archive status">) =>
  withRun(given, (_, found, store) =>
    Effect.gen(function* () {
      if (!given.watch) return yield* printEnd(found, store, given)
      const last = yield* watch(found, {
        json: given.json,
        store,
        everyChange: true,
        works: false,
        endsWithoutProcess: store._tag === "File",
        isNoProcessSaid: false
      })
      const ending = { ...given, isWatched: true }
      yield* given.json ? endWith(last, ending) : printEnd(last, store, ending)
    })
  )

export const pause = (given: Given<"archive pause">) =>
  withRun(given, (archive, { id }, store) =>
    Effect.gen(function* () {
      const paused = yield* archive.pause(id)
      yield* print(paused, given.json)
      if (!given.json) yield* advise(paused, store)
    })
  )

/** Goes on with a run: begins it in an archive that this process works on. */
const goOn = <E>(
  given: Place & Machine & Ending & Former & { readonly work: boolean },
  begin: (archive: ArchiveService, found: RunStatus, store: Store) => Effect.Effect<RunStatus, E>
) =>
  Effect.gen(function* () {
    const { found, store } = yield* withRun(given, (_, found, store) => Effect.succeed({ found, store }))
    const { operation, output } = found.settings
    const target = { store, operation: operation._tag, out: output.directory }
    yield* work(target, given, (archive) => begin(archive, found, store))
  })

export const resume = (given: Given<"archive resume">) =>
  goOn(given, (archive, { id }) => archive.resume(id, { limits: limitsOf(given) }))

export const retry = (given: Given<"archive retry">) =>
  goOn(given, (archive, found, store) =>
    Effect.zipRight(note(...retryOf(found, store, given.only)), archive.retryFailed(found.id, { only: given.only }))
  )

/** Prints what became of the files in a folder. Audio that is gone is the exit code. */
const printOutput = (
  directory: string,
  report: OutputReport,
  status: RunStatus,
  store: Store,
  { json }: { readonly json: boolean }
) =>
  Effect.gen(function* () {
    const { files, written, ...others } = report
    yield* Console.log(
      json
        ? JSON.stringify({ directory, files, written, ...others })
        : `${directory}: ${plural(files, "file")}, ${count(written)} written.`
    )
    if (!json) yield* note(...outputOn({ ...report, written: 0 }, status, store, directory))
    if (report.gone > 0) yield* new AlreadyReported({ code: ExitCode.incomplete })
  })

export const exportResults = (given: Given<"archive export">) =>
  withRun(given, (archive, found, store) =>
    Effect.gen(function* () {
      const directory = resolve(given.to ?? found.settings.output.directory)
      const report = yield* archive.export(found.id, { directory, format: given.format })
      yield* printOutput(directory, report, found, store, given)
    })
  )

export const repair = (given: Given<"archive repair">) =>
  given.synthesize
    ? goOn({ ...given, host: undefined, port: undefined }, (archive, found) =>
        Effect.gen(function* () {
          const { gone, goneCost } = yield* archive.repair(found.id, { synthesize: true })
          yield* note(synthesisOf(gone, goneCost))
          return yield* archive.status(found.id)
        })
      )
    : withRun(given, (archive, found, store) =>
        Effect.flatMap(archive.repair(found.id), (report) =>
          printOutput(found.settings.output.directory, report, found, store, given)
        )
      )

export const joinMachines = (given: Given<"archive work">) =>
  Effect.gen(function* () {
    const store = yield* storeOf(given)
    if (store._tag === "File") {
      return yield* refuse("A file is for one machine: --store must begin with postgresql://.")
    }
    yield* sayFormer(given, false)
    const operations = yield* configuredOperations
    const working = Effect.zipRight(
      note(`This machine works on the runs of ${store.shown}. Ctrl-C finishes its calls and leaves.`),
      Effect.never
    )
    yield* working.pipe(
      atInterruption(finishing),
      Effect.provide(machine(store, operations, given)),
      atInterruption("This machine has left. The others go on.")
    )
  })
