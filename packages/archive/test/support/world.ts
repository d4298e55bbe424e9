/**
 * A world with a clock of its own, in which processes are killed, frozen and asked to end, in the process of the test.
 *
 * The fibers of a machine run on a scheduler of its own. When it is killed, no fiber of it ever runs again, so no finalizer does
 * either. Its databases are closed, as the system does. Timers wait for the clock of the world, which moves on when nothing is left to
 * do: no fiber to run, no file to read.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { createRequire, syncBuiltinESMExports } from "node:module"
import timers from "node:timers/promises"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { RuntimeFiber } from "effect/Fiber"
import * as Option from "effect/Option"
import type { Scheduler, Task } from "effect/Scheduler"
import Database from "libsql"

interface Timer {
  readonly at: number
  readonly owner: Machine | undefined
  readonly run: () => void
}

/** Virtual time begins in 2026. */
export const epoch = 1_767_225_600_000

/** What is used of a client of `pg`, the one that `@effect/sql-pg` has. */
export interface PgClient {
  readonly connection: { readonly stream: { readonly destroy: () => void } }
  readonly processID: number
  readonly _connecting: boolean
  readonly _ended: boolean
  readonly _activeQuery: unknown
  readonly _queryQueue: ReadonlyArray<unknown>
  readonly on: (event: "error", listener: () => void) => unknown
  readonly connect: (...parameters: ReadonlyArray<unknown>) => Promise<void>
  readonly query: (sql: string) => Promise<{ readonly rows: ReadonlyArray<Record<string, unknown>> }>
  readonly end: () => Promise<void>
}
const requireHere = createRequire(import.meta.url)
export const { Client: PgClient }: { readonly Client: { new (url: string): PgClient; prototype: PgClient } } =
  createRequire(requireHere.resolve("@effect/sql-pg"))("pg")

const isWaiting = (client: PgClient): boolean =>
  !client._ended && (client._connecting || Boolean(client._activeQuery) || client._queryQueue.length > 0)

const { setImmediate, setTimeout } = globalThis
const realNow = performance.now.bind(performance)

export class World {
  /** Milliseconds since the beginning. Never jumps. */
  now = 0
  /** The machine whose fiber runs. */
  current: Machine | undefined
  readonly machines: Array<Machine> = []
  /** Steps of fibers. */
  steps = 0
  /** Connections to PostgreSQL. */
  readonly clients = new Set<PgClient>()
  /** The sessions of the database that wait for a lock, such as that of a process that is frozen. */
  blocked: () => Promise<ReadonlySet<number>> = () => Promise.resolve(new Set())
  /** Tells a database the time. */
  onTime: (now: number) => Promise<void> = () => Promise.resolve()
  #timers: Array<Timer> = []

  machine(name: string): Machine {
    const machine = new Machine(this, name)
    this.machines.push(machine)
    return machine
  }

  /** Runs something so many milliseconds later. The result cancels it. */
  after(millis: number, run: () => void, owner?: Machine): () => boolean {
    const timer = { at: this.now + millis, run, owner }
    this.#timers.push(timer)
    return () => {
      const index = this.#timers.indexOf(timer)
      if (index >= 0) this.#timers.splice(index, 1)
      return index >= 0
    }
  }

  /** Waits until nothing moves. */
  async settle(): Promise<void> {
    const end = realNow() + 60_000
    let movedAt = realNow()
    let isElsewhere = false
    for (let quiet = 0; quiet < 2; ) {
      if (realNow() > end) throw new Error("The world does not come to rest.")
      const before = this.steps
      // While only the disk or the database works, turns without a pause would keep the processor from them.
      await new Promise<void>((resolve) => (isElsewhere ? setTimeout(resolve, 1) : setImmediate(resolve)))
      const isMoving = this.steps !== before || this.machines.some(({ isReady }) => isReady)
      if (this.steps !== before) movedAt = realNow()
      isElsewhere =
        !isMoving &&
        ((await this.#isWaiting(realNow() - movedAt)) ||
          process.getActiveResourcesInfo().some((resource) => resource.startsWith("FSReq")))
      quiet = isMoving || isElsewhere ? 0 : quiet + 1
    }
  }

  /** Whether the database has still something to do. `quietMillis`: since when no fiber has moved. */
  async #isWaiting(quietMillis: number): Promise<boolean> {
    const waiting = [...this.clients].filter(isWaiting)
    if (waiting.length === 0) return false
    // A killed process may leave a connection that is never made.
    if (waiting.some(({ _connecting }) => _connecting)) return quietMillis < 5_000
    if (quietMillis < 100) return true
    const blocked = await this.blocked()
    return waiting.some(({ processID }) => !blocked.has(processID))
  }

  /** Moves the clock on, at most so many milliseconds, until something holds. The result says whether it does. */
  async advance(millis: number, until: () => boolean = () => false): Promise<boolean> {
    const end = this.now + millis
    for (let timers = 0, then = this.now; ; timers++) {
      await this.settle()
      if (this.now !== then) timers = 0
      if (timers > 2_000) throw new Error("The time stands still.")
      then = this.now
      if (until()) return true
      let next: Timer | undefined
      this.#timers = this.#timers.filter(({ owner }) => owner?.state !== "dead")
      for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer
      if (next === undefined || next.at > end) {
        this.now = end
        await this.onTime(this.now)
        return until()
      }
      if (next.at > this.now) await this.onTime(next.at)
      this.now = Math.max(this.now, next.at)
      this.#timers.splice(this.#timers.indexOf(next), 1)
      next.run()
    }
  }
}

/** The machine on whose behalf a callback of Node runs, such as one of a pool that opens a connection. */
const owners = new AsyncLocalStorage<Machine>()

/** A process, as far as its fibers see. */
export class Machine implements Scheduler {
  readonly world: World
  readonly name: string
  state: "alive" | "frozen" | "dead" = "alive"
  /** How far its wall clock is ahead of that of the world. */
  ahead = 0
  /** It is killed after so many steps. */
  stepsLeft = Number.POSITIVE_INFINITY
  readonly databases = new Set<Database.Database>()
  readonly clients = new Set<PgClient>()
  /** Run when it is killed, as the system ends what it had open. */
  readonly onDeath: Array<() => void> = []
  readonly clock: Clock.Clock
  #tasks: Array<Task> = []
  #draining = false

  constructor(world: World, name: string) {
    this.world = world
    this.name = name
    this.clock = clockOf(this)
  }

  get isDead(): boolean {
    return this.state === "dead"
  }

  get isReady(): boolean {
    return this.state === "alive" && this.#tasks.length > 0
  }

  shouldYield(fiber: RuntimeFiber<unknown, unknown>): number | false {
    return (fiber as unknown as { readonly currentOpCount: number }).currentOpCount > 2048 ? 0 : false
  }

  scheduleTask(task: Task): void {
    if (this.state === "dead") return
    this.#tasks.push(task)
    this.#drainSoon()
  }

  #drainSoon(): void {
    if (this.#draining || this.state !== "alive") return
    this.#draining = true
    Promise.resolve().then(() => this.#drain())
  }

  #drain(): void {
    for (let count = 0; this.isReady; count++) {
      if (count === 1_000) {
        setImmediate(() => this.#drain())
        return
      }
      const task = this.#tasks.shift()
      if (task !== undefined) this.step(task)
      if (--this.stepsLeft <= 0) this.kill()
    }
    this.#draining = false
  }

  step<A>(task: () => A): A {
    const before = this.world.current
    this.world.current = this
    this.world.steps++
    try {
      return owners.run(this, task)
    } finally {
      this.world.current = before
    }
  }

  /** Runs an effect in this process. */
  run<A, E>(effect: Effect.Effect<A, E>): Running<A, E> {
    const fiber = this.step(() => Effect.runFork(Effect.withClock(effect, this.clock), { scheduler: this }))
    return {
      fiber,
      get exit() {
        return Option.getOrUndefined(Option.fromNullable(fiber.unsafePoll()))
      }
    }
  }

  /** kill -9 */
  kill(): void {
    if (this.state === "dead") return
    this.state = "dead"
    this.#tasks = []
    for (const database of this.databases) {
      if (closed.has(database)) continue
      if (locks.has(database)) {
        database.close()
        continue
      }
      if (database.inTransaction) exec.call(database, "ROLLBACK")
      // What waits for the next turn of the event loop writes nothing any more.
      exec.call(database, "PRAGMA query_only=ON")
      dead.add(database)
    }
    for (const client of this.clients) client.connection.stream.destroy()
    for (const end of this.onDeath) end()
  }

  /** kill -STOP */
  freeze(): void {
    if (this.state === "alive") this.state = "frozen"
  }

  /** kill -CONT */
  thaw(): void {
    if (this.state !== "frozen") return
    this.state = "alive"
    this.#drainSoon()
  }
}

export interface Running<A, E> {
  readonly fiber: RuntimeFiber<A, E>
  readonly exit: Exit.Exit<A, E> | undefined
}

const clockOf = (machine: Machine): Clock.Clock => {
  const { world } = machine
  const wall = () => epoch + world.now + machine.ahead
  const nanos = () => BigInt(Math.round(world.now * 1e6))
  const schedule = (task: () => void, duration: Duration.Duration) => {
    const millis = Duration.toMillis(duration)
    return Number.isFinite(millis) ? world.after(millis, task, machine) : () => false
  }
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: wall,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanos: Effect.sync(nanos),
    scheduler: () => Effect.succeed({ unsafeSchedule: schedule }),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const cancel = schedule(() => resume(Effect.void), duration)
        return Effect.sync(() => void cancel())
      })
  } as Clock.Clock
}

// --- libSQL and the clock of the system, as processes of the world see them ---

const { close, exec } = Database.prototype
const closed = new WeakSet<Database.Database>()
const locks = new WeakSet<Database.Database>()
const dead = new Set<Database.Database>()

/** Closes the databases of machines that were killed. */
export const closeAll = (): void => {
  for (const database of dead) database.close()
  dead.clear()
}

/** A database that a machine opens is its own. It waits for no lock, since that would stop the world. */
export const install = (world: () => World | undefined): (() => void) => {
  Database.prototype.exec = function (this: Database.Database, sql: string) {
    if (dead.has(this)) throw new Error("Its process was killed.")
    const machine = world()?.current
    if (/locking_mode=EXCLUSIVE/.test(sql)) locks.add(this)
    if (machine === undefined) return exec.call(this, sql)
    machine.databases.add(this)
    return exec.call(
      this,
      sql.replace(/busy_timeout=\d+/, "busy_timeout=0").replace("synchronous=FULL", "synchronous=OFF")
    )
  }
  // libSQL ends the whole process if a closed database is asked for its transaction.
  Database.prototype.close = function (this: Database.Database) {
    closed.add(this)
    return close.call(this)
  }
  const { connect } = PgClient.prototype
  Object.assign(PgClient.prototype, {
    connect(this: PgClient, ...parameters: ReadonlyArray<unknown>) {
      const running = world()
      if (running !== undefined) {
        running.clients.add(this)
        const machine = running.current ?? owners.getStore()
        machine?.clients.add(this)
        this.on("error", () => {})
      }
      return connect.apply(this, [...parameters])
    }
  })
  const { setTimeout: sleep } = timers
  timers.setTimeout = <A>(millis?: number, value?: A, options?: object) => {
    const running = world()
    if (running === undefined) return sleep(millis, value, options)
    return new Promise<A>((resolve) => running.after(millis ?? 0, () => resolve(value as A)))
  }
  syncBuiltinESMExports()
  const { now } = performance
  performance.now = () => world()?.now ?? now.call(performance)
  return () => {
    Database.prototype.exec = exec
    Database.prototype.close = close
    Object.assign(PgClient.prototype, { connect })
    timers.setTimeout = sleep
    syncBuiltinESMExports()
    Reflect.deleteProperty(performance, "now")
  }
}
