/**
 * Random histories of whole machines: commands are drawn, and the laws of `support/laws.ts` are checked on what a person saw.
 * `HISTORIES=2000` runs so many, and `SEED=2` others. With `LOG=1` a failure also prints what happened.
 */

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { freshDatabase, hasPostgres, postgresTitle } from "effect-speech-test-support/postgres"
import { wavHeader } from "effect-speech-test-support/recordings"
import { temporaryRoot } from "effect-speech-test-support/temporaryRoot"
import Database from "libsql"
import { Archive } from "../src/Archive.js"
import type { LimitChanges, Limits, RunId, RunStatus, Unanswered } from "../src/Run.js"
import * as Source from "../src/Source.js"
import * as Worker from "../src/Worker.js"
import { brokenLaws, type Event, laws, type Seen } from "./support/laws.js"
import { type Mode, modes, ScriptedService, textOf } from "./support/scriptedService.js"
import { closeAll, epoch, install, type Machine, PgClient, type Running, World } from "./support/world.js"

const closeLimit = 30_000
const edited = "A person has edited this."

// --- Commands ---

const nth = FastCheck.nat(4)
const orNone = (limit: FastCheck.Arbitrary<number>) =>
  FastCheck.oneof({ weight: 4, arbitrary: limit }, { weight: 1, arbitrary: FastCheck.constant("none" as const) })
const limits = FastCheck.record(
  { maxFiles: orNone(FastCheck.nat(8)), maxCredits: orNone(FastCheck.nat(12)) },
  { requiredKeys: [] }
)
const steps = FastCheck.option(FastCheck.nat(1_500), { nil: undefined })

const command = FastCheck.oneof(
  {
    weight: 9,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("start" as const),
      limits: FastCheck.option(limits),
      second: FastCheck.nat(6).map((one) => one === 6)
    })
  },
  {
    weight: 10,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("wait" as const),
      millis: FastCheck.constantFrom(1, 50, 300, 1_000, 6_000, 40_000)
    })
  },
  {
    weight: 6,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("service" as const),
      mode: FastCheck.oneof(
        { weight: 3, arbitrary: FastCheck.constant<Mode>("ok") },
        { weight: 4, arbitrary: FastCheck.constantFrom(...modes) }
      ),
      millis: FastCheck.constantFrom(0, 200, 5_000, 45_000)
    })
  },
  { weight: 4, arbitrary: FastCheck.record({ do: FastCheck.constant("kill" as const), nth, steps }) },
  {
    weight: 3,
    arbitrary: FastCheck.record({
      do: FastCheck.constantFrom("end" as const, "freeze" as const, "continue" as const),
      nth
    })
  },
  {
    weight: 5,
    arbitrary: FastCheck.record({
      do: FastCheck.constantFrom("pause" as const, "retry all" as const, "retry tags" as const, "export" as const),
      own: FastCheck.boolean()
    })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("resume" as const),
      own: FastCheck.boolean(),
      limits: FastCheck.option(limits)
    })
  },
  {
    weight: 4,
    arbitrary: FastCheck.record({
      do: FastCheck.constantFrom("change" as const, "remove" as const, "return" as const, "add" as const),
      nth
    })
  },
  { weight: 1, arbitrary: FastCheck.record({ do: FastCheck.constantFrom("lock" as const, "move" as const) }) },
  {
    weight: 1,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("clock" as const),
      nth,
      millis: FastCheck.constantFrom(-3_600_000, -20_000, 20_000, 3_600_000)
    })
  },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      do: FastCheck.constantFrom("delete output" as const, "edit output" as const, "repair" as const),
      nth
    })
  }
)
type Command = typeof command extends FastCheck.Arbitrary<infer A> ? A : never

const plan = FastCheck.record({
  unanswered: FastCheck.oneof(
    { weight: 3, arbitrary: FastCheck.constant<Unanswered>("hold") },
    { weight: 1, arbitrary: FastCheck.constant<Unanswered>("repeat") }
  ),
  concurrency: FastCheck.constantFrom(1, 2, 4),
  /** A process ends when its run has stopped, as the command line does. */
  exits: FastCheck.boolean(),
  files: FastCheck.integer({ min: 1, max: 5 }),
  commands: FastCheck.array(command, { minLength: 1, maxLength: 45, size: "max" })
})
type Plan = typeof plan extends FastCheck.Arbitrary<infer A> ? A : never

// --- A history ---

const { setTimeout: realTimeout } = globalThis

let world: World | undefined
let uninstall = () => {}
let folder = ""
let files: FileSystem.FileSystem
const services = ManagedRuntime.make(NodeTransport.layer)
beforeAll(async () => {
  folder = mkdtempSync(join(temporaryRoot, "machine-histories-"))
  files = await services.runPromise(FileSystem.FileSystem)
  // A process would import them while the clock of the world moves on.
  await Promise.all([
    import("../src/internal/store/libsqlStore.js"),
    import("../src/internal/store/postgresStore.js"),
    import("../src/Worker.js")
  ])
  uninstall = install(() => world)
})
afterAll(async () => {
  uninstall()
  await services.dispose()
  rmSync(folder, { recursive: true, force: true })
})

interface Process {
  readonly machine: Machine
  readonly scope: Scope.CloseableScope
  readonly commands: Array<Running<unknown, unknown>>
  readonly archive: Running<Archive["Type"], unknown>
  closing: Running<unknown, unknown> | undefined
}

let histories = 0

class History {
  readonly plan: Plan
  readonly world = new World()
  readonly log: Array<Event> = []
  base = join(folder, `history-${++histories}`)
  readonly service: ScriptedService
  readonly processes: Array<Process> = []
  /** By name: the version of its content, and whether it is there. */
  readonly sources = new Map<string, { version: number; isThere: boolean }>()
  /** Recordings whose transcripts a person has edited. */
  readonly edited = new Set<string>()
  /** What went wrong that no law of the log tells. */
  readonly problems: Array<string> = []
  /** The errors of commands, to understand a history. */
  readonly failures: Array<string> = []
  run: RunId | undefined
  #isLocked = false
  #observer: { readonly archive: Archive["Type"]; readonly scope: Scope.CloseableScope } | undefined
  #names = 0

  /** The address of a PostgreSQL. Absent: a file. */
  readonly url: string | undefined
  #clock: PgClient | undefined

  constructor(plan: Plan, url?: string) {
    this.plan = plan
    this.url = url
    this.service = new ScriptedService(
      this.world,
      (event) => this.log.push(event),
      () => !this.#isLocked
    )
    mkdirSync(join(this.base, "calls"), { recursive: true })
    for (let index = 0; index < plan.files; index++) this.write(index, 1)
  }

  get root(): string {
    return join(this.base, "calls")
  }
  get out(): string {
    return join(this.base, "out")
  }
  get store(): string {
    return join(this.base, "runs.db")
  }

  // --- The source ---

  name(index: number): string {
    return `${"abcdef"[index]}.wav`
  }

  write(index: number, version: number): void {
    const name = this.name(index)
    const seconds = 1 + ((index + version) % 3)
    const samples = Buffer.alloc(16_000 * seconds - 44)
    samples.write(`FILE:${name}#${version};`)
    const path = join(this.root, name)
    writeFileSync(path, Buffer.concat([wavHeader(44 + samples.length), samples]))
    utimesSync(path, 1_700_000_000 + version, 1_700_000_000 + version)
    this.sources.set(name, { version, isThere: true })
  }

  // --- Processes ---

  provided(machine: Machine) {
    return Layer.merge(
      Layer.succeed(HttpClient.HttpClient, this.service.client(machine)),
      Layer.succeed(FileSystem.FileSystem, files)
    )
  }

  begin(layer: Layer.Layer<Archive, unknown, FileSystem.FileSystem | HttpClient.HttpClient>, name: string): Process {
    const machine = this.world.machine(name)
    const scope = Effect.runSync(Scope.make())
    const archive = machine.run(
      Layer.buildWithScope(Layer.provide(layer, this.provided(machine)), scope).pipe(
        Effect.map(Context.get(Archive)),
        Effect.provide(Logger.remove(Logger.defaultLogger))
      )
    )
    return { machine, scope, archive, commands: [], closing: undefined }
  }

  worker(): Process {
    const speech = SpeechToText.layer({
      apiKey: Redacted.make("key.secret"),
      baseUrl: "http://speech.test",
      allowInsecureHttp: true,
      retries: 0
    })
    const options = { workers: [Worker.transcription], concurrency: this.plan.concurrency, closeLimit } as const
    const layer =
      this.url === undefined
        ? Archive.layerEmbedded({ ...options, path: this.store })
        : Archive.layerMachine({ ...options, url: Redacted.make(this.url) })
    const process = this.begin(Layer.provide(layer, [speech, AudioDecoder.layerWav]), `process ${++this.#names}`)
    process.machine.onDeath.push(() =>
      this.log.push({ at: this.world.now, is: "killed", process: process.machine.name })
    )
    this.processes.push(process)
    return process
  }

  clientLayer() {
    return Archive.layerClient(this.url === undefined ? { path: this.store } : { url: Redacted.make(this.url) })
  }

  /** The clock of the database is that of the world. */
  async setClock(): Promise<void> {
    if (this.url === undefined) return
    const client = new PgClient(this.url)
    await client.connect()
    this.#clock = client
    const sql = (now: number) => `UPDATE world_clock SET millis = ${epoch + now}`
    await client.query(`
      CREATE TABLE world_clock (millis bigint); INSERT INTO world_clock VALUES (${epoch});
      CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT to_timestamp(millis / 1000.0) FROM public.world_clock'`)
    const name = new URL(this.url).pathname.slice(1)
    await client.query(`ALTER DATABASE "${name}" SET search_path = public, pg_catalog`)
    this.world.blocked = async () => {
      const { rows } = await client.query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      )
      return new Set(rows.map(({ pid }) => Number(pid)))
    }
    this.world.onTime = async (now) => {
      await client.query(sql(now))
    }
  }

  get live(): ReadonlyArray<Process> {
    return this.processes.filter(({ closing, machine }) => machine.state !== "dead" && closing === undefined)
  }

  /** The archive of a process, once it is built. `undefined`: it could not be, or its process is gone. */
  async built(process: Process): Promise<Archive["Type"] | undefined> {
    for (let look = 0; look < 300 && process.archive.exit === undefined && process.machine.state === "alive"; look++) {
      await this.world.settle()
      // Modules are imported by another process.
      if (process.archive.exit === undefined) await new Promise((resolve) => realTimeout(resolve, 1))
    }
    await this.finish(process, process.archive)
    const { exit } = process.archive
    return exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
  }

  /** Waits until a command has ended, its process is gone or frozen, or a minute has passed. */
  async finish({ machine }: Process, running: Running<unknown, unknown>): Promise<void> {
    await this.world.advance(60_000, () => running.exit !== undefined || machine.state !== "alive")
    const { exit } = running
    if (exit === undefined || Exit.isSuccess(exit) || machine.state === "dead") return
    if (process.env.LOG !== undefined)
      this.failures.push(`${this.world.now} ${machine.name}: ${Cause.pretty(exit.cause)}`)
    for (const defect of Cause.defects(exit.cause))
      this.problems.push(`a command died: ${defect instanceof Error ? defect.stack : String(defect)}`)
  }

  /** Runs a command in a process, and waits for it. */
  async ask<A>(
    process: Process,
    body: (archive: Archive["Type"]) => Effect.Effect<A, unknown>
  ): Promise<A | undefined> {
    const archive = await this.built(process)
    if (archive === undefined) return undefined
    const running = process.machine.run(Effect.provide(body(archive), Layer.succeed(FileSystem.FileSystem, files)))
    process.commands.push(running)
    await this.finish(process, running)
    return running.exit !== undefined && Exit.isSuccess(running.exit) ? running.exit.value : undefined
  }

  /** SIGTERM */
  async end(process: Process): Promise<void> {
    const { archive, commands, machine, scope } = process
    if (machine.state !== "alive" || process.closing !== undefined) return
    this.log.push({ at: this.world.now, is: "asked to end", process: machine.name })
    const isLockedNow = this.#isLocked
    process.closing = machine.run(
      Effect.zipRight(
        Fiber.interruptAll([archive.fiber, ...commands.map(({ fiber }) => fiber)]),
        Scope.close(scope, Exit.void)
      )
    )
    const { closing } = process
    const isDead = () => machine.isDead
    const inTime = await this.world.advance(closeLimit + 10_000, () => closing.exit !== undefined || isDead())
    if (isDead()) return
    const isEnded = !isLockedNow && !this.#isLocked
    if (isEnded) this.log.push({ at: this.world.now, is: "ended", process: machine.name, inTime })
    machine.kill()
    if (isEnded) await this.look()
  }

  /** Steers the run from the process that works on it, or from another one. */
  async steer<A>(own: boolean, body: (archive: Archive["Type"]) => Effect.Effect<A, unknown>): Promise<A | undefined> {
    const worker = this.live.find(({ machine }) => machine.state === "alive")
    if (own && worker !== undefined) return this.ask(worker, body)
    const client = this.begin(this.clientLayer(), "client")
    const result = await this.ask(client, body)
    client.machine.kill()
    return result
  }

  // --- What a person sees ---

  async observer(): Promise<Archive["Type"] | undefined> {
    if (this.#observer !== undefined) return this.#observer.archive
    const scope = Effect.runSync(Scope.make())
    const layer = Layer.provide(this.clientLayer(), Layer.succeed(FileSystem.FileSystem, files))
    const archive = await this.watch(Effect.map(Layer.buildWithScope(layer, scope), Context.get(Archive)))
    if (archive !== undefined) this.#observer = { archive, scope }
    return archive
  }

  /** Runs an effect of the observer. `undefined`: it failed, or a frozen process holds the store. */
  async watch<A>(effect: Effect.Effect<A, unknown>): Promise<A | undefined> {
    const fiber = Effect.runFork(effect)
    await this.world.advance(20_000, () => fiber.unsafePoll() !== null)
    const exit = fiber.unsafePoll()
    return exit !== null && Exit.isSuccess(exit) ? exit.value : undefined
  }

  async look(): Promise<{ readonly status: RunStatus; readonly files: ReadonlyArray<Seen> } | undefined> {
    const archive = await this.observer()
    if (archive === undefined) return undefined
    const [run] = (await this.watch(archive.runs)) ?? []
    if (run === undefined) return undefined
    this.run = run
    const status = await this.watch(archive.status(run))
    const records = await this.watch(Stream.runCollect(archive.results(run)))
    if (status === undefined || records === undefined) return undefined
    const seen = [...records].map(
      (file): Seen => ({
        path: file.path,
        id: file.callId,
        state: file.state,
        tag: "error" in file ? file.error.tag : undefined,
        text: "result" in file && "text" in file.result ? file.result.text : undefined
      })
    )
    this.log.push({ at: this.world.now, is: "seen", state: status.state, files: seen })
    this.log.push({ at: this.world.now, is: "limits", limits: status.limits })
    // A database only knows by the heartbeats.
    if (this.url === undefined && !this.#isLocked && this.processes.every(({ machine }) => machine.isDead)) {
      const { abandoned, counts, machines } = status
      if (machines > 0 || abandoned !== counts.started)
        this.problems.push(`no process works, and the status says ${machines}, with ${abandoned} of ${counts.started}`)
    }
    this.log.push({ at: this.world.now, is: "saw limits", limits: status.limits })
    return { status, files: seen }
  }

  // --- Commands ---

  /** The run may go on from now on. */
  async goesOn(changes?: LimitChanges | null): Promise<void> {
    const seen = await this.look()
    const tag = seen?.status.state === "suspended" ? seen.status.suspension?.tag : undefined
    this.log.push({
      at: this.world.now,
      is: "goesOn",
      afterRefusal: tag !== undefined && !/^(File|Credit)Limit$/.test(tag)
    })
    const asked = changes ?? {}
    if (changes !== undefined) this.log.push({ at: this.world.now, is: "asked for limits", changes: asked })
    // While the command runs, either limit may hold.
    const limits = looser(seen?.status.limits ?? {}, asked)
    if (changes !== undefined) this.log.push({ at: this.world.now, is: "limits", limits })
  }

  /** `second`: in another process, beside the one that works. */
  async start(limits: LimitChanges | null, second = false): Promise<void> {
    const [first] = this.live
    // A process takes some time to begin.
    await this.world.advance(20)
    const isNew = first === undefined || second || first.machine.state === "frozen"
    const process = isNew && this.live.length < 3 ? this.worker() : (first ?? this.worker())
    await this.goesOn(limits ?? {})
    const { exits, unanswered } = this.plan
    const started = await this.ask(process, (archive) =>
      Effect.gen(this, function* () {
        const source = yield* Source.folder(this.root)
        return yield* archive.start({
          source,
          operation: { _tag: "Transcribe", model: "hi-general-v2-8khz" },
          output: { directory: this.out, format: "txt" },
          unanswered,
          ...(limits !== null && { limits })
        })
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )
    await this.look()
    if (!exits || started === undefined || process.machine.state !== "alive") {
      if (process.archive.exit !== undefined && Exit.isFailure(process.archive.exit)) process.machine.kill()
      return
    }
    const exit = process.archive.exit
    if (exit === undefined || !Exit.isSuccess(exit)) return
    // As the command line does.
    const { machine, scope } = process
    machine.run(
      Stream.runDrain(exit.value.progress(started.id)).pipe(
        Effect.exit,
        Effect.tap(() =>
          Effect.suspend(() => {
            if (process.closing !== undefined) return Effect.void
            process.closing = machine.run(
              Effect.ensuring(
                Scope.close(scope, Exit.void),
                Effect.sync(() => machine.world.after(0, () => machine.kill()))
              )
            )
            return Effect.void
          })
        )
      )
    )
  }

  async perform(command: Command): Promise<void> {
    const { world } = this
    const { run } = this
    switch (command.do) {
      case "start":
        return this.start(command.limits, command.second)
      case "wait":
        await world.advance(command.millis)
        return
      case "service":
        this.service.mode = command.mode
        this.service.millis = command.millis
        return
      case "kill": {
        const process = this.live[command.nth % Math.max(this.live.length, 1)]
        if (process === undefined) return
        if (command.steps === undefined || command.steps === 0) process.machine.kill()
        else process.machine.stepsLeft = command.steps
        return
      }
      case "end": {
        const process = this.live[command.nth % Math.max(this.live.length, 1)]
        return process === undefined ? undefined : this.end(process)
      }
      case "freeze": {
        const process = this.live[0]
        if (process === undefined || process.machine.state !== "alive") return
        process.machine.freeze()
        this.log.push({ at: world.now, is: "frozen", process: process.machine.name })
        return
      }
      case "continue":
        for (const { machine } of this.processes) {
          if (machine.state !== "frozen") continue
          machine.thaw()
          this.log.push({ at: world.now, is: "continued", process: machine.name })
        }
        return
      case "pause": {
        if (run === undefined) return
        const frozen = this.processes
          .filter(({ machine }) => machine.state === "frozen")
          .map(({ machine }) => machine.name)
        const status = await this.steer(command.own, (archive) => archive.pause(run))
        if (status?.state === "paused") this.log.push({ at: world.now, is: "paused", frozen })
        return
      }
      case "resume":
        if (run === undefined) return
        await this.goesOn(command.limits ?? undefined)
        await this.steer(command.own, (archive) =>
          archive.resume(run, command.limits === null ? {} : { limits: command.limits })
        )
        return
      case "retry all":
        if (run === undefined) return
        await this.goesOn()
        await this.steer(command.own, (archive) => archive.retryFailed(run))
        return
      case "retry tags":
        return this.retryTags(command.own)
      case "export":
        if (run !== undefined) await this.steer(command.own, (archive) => archive.export(run))
        return
      case "change":
      case "return":
      case "remove":
      case "add":
        return this.changeSource(command.do, command.nth)
      case "lock":
        return this.lock()
      case "clock": {
        const process = this.live[command.nth % Math.max(this.live.length, 1)]
        if (process !== undefined) process.machine.ahead += command.millis
        return
      }
      case "delete output":
      case "edit output": {
        const name = this.name(command.nth)
        const path = join(this.out, `${name}.txt`)
        if (readText(path) === undefined) return
        if (command.do === "delete output") rmSync(path)
        else {
          writeFileSync(path, edited)
          this.edited.add(name)
        }
        return
      }
      case "repair":
        return this.repair()
      case "move":
        return this.move()
    }
  }

  async repair(): Promise<void> {
    const { run } = this
    if (run === undefined) return
    const report = await this.steer(true, (archive) => archive.repair(run))
    if (report !== undefined) this.edited.clear()
  }

  /** A person accepts that the held files are billed again. */
  async retryTags(own: boolean): Promise<void> {
    const { run } = this
    if (run === undefined) return
    const seen = await this.look()
    for (const tag of new Set(seen?.files.flatMap(({ tag }) => (tag === undefined ? [] : [tag])) ?? [])) {
      await this.goesOn()
      // A file may get this tag until the command is done.
      const now = await this.look()
      this.log.push({
        at: this.world.now,
        is: "retried",
        ids: now?.files.filter((file) => file.tag === tag || file.state === "started").map(({ id }) => id) ?? []
      })
      await this.steer(own, (archive) => archive.retryFailed(run, { only: tag }))
    }
  }

  changeSource(what: "change" | "return" | "remove" | "add", nth: number): void {
    const all = [...this.sources]
    const [name, source] = all[nth % all.length] ?? []
    if (what === "add" && all.length < 6) this.write(all.length, 1)
    if (name === undefined || source === undefined) return
    const path = join(this.root, name)
    const away = join(this.base, `away-${name}`)
    if (what === "change") {
      this.write(
        all.findIndex(([each]) => each === name),
        source.version + 1
      )
      rmSync(away, { force: true })
    }
    if (what === "remove" && source.isThere) {
      renameSync(path, away)
      source.isThere = false
    }
    if (what === "return" && !source.isThere) {
      renameSync(away, path)
      source.isThere = true
    }
  }

  /**
   * The store, the recordings and the output are moved together, and no process works meanwhile. A database stays where it is, and a run
   * both of whose folders are elsewhere is another one for it.
   */
  async move(): Promise<void> {
    if (this.url !== undefined) return
    for (const process of this.live) await this.end(process)
    if (this.#isLocked || this.processes.some(({ machine }) => !machine.isDead)) return
    await this.world.settle()
    closeAll()
    if (this.#observer !== undefined) await Effect.runPromise(Scope.close(this.#observer.scope, Exit.void))
    this.#observer = undefined
    const moved = `${this.base}-moved`
    renameSync(this.base, moved)
    this.base = moved
  }

  /** Another program writes to the store for 30 seconds. */
  lock(): void {
    if (this.#isLocked || this.run === undefined || this.url !== undefined) return
    const database = new Database(this.store)
    try {
      database.exec("BEGIN IMMEDIATE")
    } catch {
      database.close()
      return
    }
    this.#isLocked = true
    this.#unlock = () => {
      if (!this.#isLocked) return
      this.#isLocked = false
      database.exec("ROLLBACK")
      database.close()
    }
    this.world.after(30_000, this.#unlock)
  }
  #unlock = () => {}

  // --- The end ---

  /** With a service and a disk that work, the run ends, and its output is what the service said. */
  async conclude(): Promise<void> {
    const { world } = this
    this.service.mode = "ok"
    this.service.millis = 0
    this.#unlock()
    for (const { machine } of this.processes) machine.thaw()
    for (const process of this.live) await this.end(process)
    for (const { machine } of this.processes) {
      await world.advance(closeLimit + 10_000, () => machine.state === "dead")
      machine.kill()
    }
    if (![...this.sources.values()].some(({ isThere }) => isThere)) this.changeSource("return", 0)
    if (![...this.sources.values()].some(({ isThere }) => isThere)) this.write(0, 9)
    await this.completes("the run", { maxFiles: "none", maxCredits: "none" })
    await this.agrees()
    for (
      let left = 3;
      left > 0 &&
      (await this.look())?.files.some(({ path, state }) => state !== "done" && this.sources.get(path)?.isThere);
      left--
    ) {
      const process = this.worker()
      await this.built(process)
      await this.retryTags(true)
      await this.ends("a retry")
      await this.end(process)
    }
    await this.repair()
    this.edited.clear()
    const seen = await this.look()
    for (const { path, state } of seen?.files ?? []) {
      if (state !== "done" && this.sources.get(path)?.isThere) this.problems.push(`${path} is ${state} at last`)
    }
    await this.agrees()
  }

  async completes(what: string, limits: LimitChanges): Promise<void> {
    const { exits } = this.plan
    const before = this.processes.length
    await this.start(limits)
    await this.ends(what)
    for (const process of this.processes.slice(before)) {
      if (exits) await this.world.advance(20_000, () => process.machine.state === "dead")
      else await this.end(process)
    }
  }

  /** Nothing is left to call: the run ends, however long an outage was. */
  async ends(what: string): Promise<void> {
    for (let left = 30; left > 0; left--) {
      const seen = await this.look()
      if (seen?.status.state === "ended") {
        await this.world.advance(2_000)
        return
      }
      if (seen?.status.state === "suspended") break
      await this.world.advance(5_000)
    }
    const seen = await this.look()
    this.problems.push(`${what} does not end: it is ${seen?.status.state} ${JSON.stringify(seen?.status.counts)}`)
  }

  /** The tree, `results.jsonl` and the store say the same. */
  async agrees(): Promise<void> {
    const seen = await this.look()
    if (seen === undefined || seen.status.state !== "ended") return
    const { counts } = seen.status
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    if (total !== seen.files.length)
      this.problems.push(`${seen.files.length} results, and counts of ${JSON.stringify(counts)}`)
    const there = [...this.sources].filter(([, { isThere }]) => isThere)
    for (const [name, { version }] of there) {
      const file = seen.files.find(({ path }) => path === name)
      if (file === undefined) this.problems.push(`${name} is in no result`)
      if (file?.state === "done" && file.text !== textOf(`${name}#${version}`))
        this.problems.push(`${name}#${version} has the text: ${file.text}`)
    }
    const lines = linesOf(join(this.out, "results.jsonl"))
    const expected = seen.files.map(({ path, state }) => `${path} ${state}`)
    const found = lines.map(({ path, state }) => `${path} ${state}`)
    if (expected.join() !== found.join())
      this.problems.push(`results.jsonl has ${found.join()}, and the store ${expected.join()}`)
    for (const { path, state, text } of seen.files) {
      if (state !== "done") continue
      const written = readText(join(this.out, `${path}.txt`))
      if (written === edited && this.edited.has(path)) continue
      if (written !== `${text}\n`)
        this.problems.push(`${path}.txt is ${JSON.stringify(written)}, and the store has ${text}`)
    }
  }

  async close(): Promise<void> {
    for (const { machine } of this.processes) machine.kill()
    for (const machine of this.world.machines) machine.kill()
    await this.world.settle()
    closeAll()
    this.#unlock()
    if (this.#observer !== undefined) await Effect.runPromise(Scope.close(this.#observer.scope, Exit.void))
    await this.#clock?.end()
    rmSync(this.base, { recursive: true, force: true })
  }
}

/** The limits that hold for sure while they are changed. */
const looser = (before: Limits, changes: LimitChanges): Limits => {
  const both = (stored: number | undefined, change: number | "none" | undefined) =>
    stored === undefined || change === undefined ? stored : change === "none" ? undefined : Math.max(stored, change)
  const maxFiles = both(before.maxFiles, changes.maxFiles)
  const maxCredits = both(before.maxCredits, changes.maxCredits)
  return { ...(maxFiles !== undefined && { maxFiles }), ...(maxCredits !== undefined && { maxCredits }) }
}

const linesOf = (path: string): ReadonlyArray<{ readonly path: string; readonly state: string }> =>
  (readText(path) ?? "").split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))

const readText = (path: string): string | undefined => {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined
  } catch {
    return undefined
  }
}

const history = async (plan: Plan, url?: string): Promise<void> => {
  const history = new History(plan, url)
  world = history.world
  try {
    await history.setClock()
    for (const command of plan.commands) {
      await history.perform(command)
      await history.look()
    }
    await history.conclude()
  } finally {
    await history.close()
    world = undefined
  }
  const broken = [...brokenLaws(history.log, lawsOf(plan.unanswered)), ...history.problems]
  if (broken.length > 0)
    throw new Error(
      [...new Set(broken)].join("\n") +
        (process.env.LOG === undefined ? "" : `\n${history.failures.join("\n")}\n${tell(history.log)}`)
    )
}

const lawsOf = (unanswered: Unanswered) => {
  const { nothingIsPaidTwice, ...others } = laws
  return unanswered === "hold" ? laws : others
}

/** The history in lines. What a person saw again and again is there once. */
const tell = (log: ReadonlyArray<Event>) => {
  let seen = ""
  return log
    .flatMap(({ at, ...event }) => {
      if (event.is === "limits" || event.is === "saw limits") return []
      if (event.is !== "seen") return [`${at} ${JSON.stringify(event)}`]
      const before = seen
      seen = `${event.state}: ${event.files.map(({ path, state, tag = "" }) => `${path} ${state} ${tag}`).join(", ")}`
      return seen === before ? [] : [`${at} ${seen}`]
    })
    .join("\n")
}

const start = { do: "start", limits: null, second: false } as const
const oneFile = { unanswered: "hold", concurrency: 1, exits: false, files: 1 } as const

/** Histories that were the shortest of their kind when a law was broken. */
const found: ReadonlyArray<readonly [sentence: string, plan: Plan]> = [
  [
    "begins no call after it was asked to end, though a claim waited for the store",
    {
      ...oneFile,
      commands: [{ do: "add", nth: 0 }, start, { do: "lock" }, start, { do: "service", mode: "ok", millis: 0 }]
    }
  ],
  [
    "calls for one file first after a refused account, though the run was paused meanwhile",
    {
      ...oneFile,
      concurrency: 4,
      files: 2,
      commands: [{ do: "service", mode: "402", millis: 0 }, start, start, { do: "pause", own: false }]
    }
  ]
]

describe("a machine", () => {
  for (const [sentence, plan] of found) it(sentence, () => history(plan))
})

const assertAll = (histories: number, body: (plan: Plan) => Promise<void>) =>
  FastCheck.assert(FastCheck.asyncProperty(plan, body), {
    numRuns: Number(process.env.HISTORIES ?? histories),
    seed: Number(process.env.SEED ?? 1),
    ...(process.env.REPLAY !== undefined && { path: process.env.REPLAY })
  })

const timeout = 3_600_000
const promise = "pay for no file twice, stop when they shall, and end with the whole output"

describe("machines, whatever happens to them,", () => {
  it(promise, { timeout }, () => assertAll(4, (plan) => history(plan)))

  it.runIf(hasPostgres)(`${promise}, several on one ${postgresTitle}`, { timeout }, () =>
    assertAll(1, async (plan) => history(plan, await freshDatabase()))
  )
})
