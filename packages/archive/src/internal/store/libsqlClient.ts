/**
 * A libSQL client over one connection. `@libsql/client` gives its connection away with each transaction and opens another, so
 * that its settings are lost and files stay open.
 *
 * Writes that arrive in one turn of the event loop are committed together: with `synchronous=FULL` the disk, and not the
 * processor, bounds the rate. Each of them is answered after the commit. A statement that fails changes nothing, and the others
 * are committed.
 *
 * While another program writes, a write is tried again and again: SQLite's own wait, `busy_timeout`, would block the thread.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type * as Libsql from "@libsql/client"
import Database from "libsql"
import { codeOf } from "./storeFailed.js"

/** A row by the names of its columns. Iterating gives its values. */
class Row {
  [Symbol.iterator]() {
    return Object.values(this)[Symbol.iterator]()
  }
}

interface Write {
  readonly statement: Libsql.InStatement
  readonly resolve: (result: Libsql.ResultSet) => void
  readonly reject: (error: unknown) => void
}

interface Prepared {
  readonly prepared: Database.Statement
  /** The names of its columns, if it returns rows. */
  readonly columns: ReadonlyArray<string> | undefined
}

/** More than this package has. A list of values of another length is another statement. */
const maxPrepared = 200

const isRead = /^\s*SELECT\b/i

const isBusy = (error: unknown): boolean => codeOf(error)?.startsWith("SQLITE_BUSY") === true

export interface ConnectionOptions {
  /** How long a write, or a transaction that begins, waits for another program that writes. Default: 5,000. */
  readonly busyLimitMillis?: number | undefined
  /** Statements that must succeed before anything is changed. They return no rows. */
  readonly check?: string | undefined
  /** Whether what was written is in the file itself after it is closed, and not beside it in `-wal`. Default: false. */
  readonly checkpoint?: boolean | undefined
}

export class SingleConnection {
  readonly #database: Database.Database
  readonly #busyLimitMillis: number
  readonly #checkpoint: boolean
  #closed = false
  /** Resolves when the open transaction ends. */
  #transaction: Promise<void> | undefined
  /** Resolves when what writes has ended: a transaction, open or about to begin, or writes that are committed together. */
  #writer: Promise<void> | undefined
  #writes: Array<Write> = []
  readonly #prepared = new Map<string, Prepared>()

  static async open(path: string, options: ConnectionOptions = {}): Promise<SingleConnection> {
    const connection = new SingleConnection(path, options)
    try {
      await connection.#whenFree(() => {
        connection.#database.exec(`${options.check ?? ""}; PRAGMA journal_mode=WAL`)
      })
      connection.#database.exec("PRAGMA synchronous=FULL")
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  private constructor(path: string, { busyLimitMillis = 5_000, checkpoint = false }: ConnectionOptions) {
    this.#busyLimitMillis = busyLimitMillis
    this.#checkpoint = checkpoint
    this.#database = new Database(path)
  }

  /** What {@link Libsql.Client} asks for, as far as `@effect/sql-libsql` uses it. */
  get client(): Libsql.Client {
    return this as unknown as Libsql.Client
  }

  async execute(statement: Libsql.InStatement): Promise<Libsql.ResultSet> {
    if (isRead.test(sqlOf(statement))) return this.#whenFree(() => this.#read(statement))
    return new Promise((resolve, reject) => {
      this.#writes.push({ statement, resolve, reject })
      if (this.#writes.length === 1) setImmediate(() => this.#flush())
    })
  }

  /**
   * The transaction begins with its first statement. `@effect/sql-libsql` rolls back after a statement that fails, but after a
   * transaction that can't begin it lets no other one begin.
   */
  async transaction() {
    let begun: Promise<void> | undefined
    let isOver = false
    let end: (() => void) | undefined
    const begin = async () => {
      while (this.#writer !== undefined) await this.#writer
      const release = this.#occupy()
      try {
        await this.#whenFree(() => {
          if (isOver) throw new Error("The transaction ended before it began.")
          this.#database.exec("BEGIN IMMEDIATE")
          this.#transaction = this.#writer
          end = () => {
            try {
              this.#rollback()
            } finally {
              this.#transaction = undefined
              release()
            }
          }
        })
      } catch (error) {
        release()
        throw error
      }
    }
    return {
      execute: async (statement: Libsql.InStatement) => {
        begun ??= begin()
        await begun
        if (isOver) throw new Error("The transaction has ended.")
        return this.#run(statement)
      },
      commit: async () => {
        await begun
        isOver = true
        try {
          if (begun !== undefined) this.#database.exec("COMMIT")
        } finally {
          end?.()
        }
      },
      rollback: async () => {
        isOver = true
        end?.()
      }
    }
  }

  close(): void {
    this.#flush()
    this.#closed = true
    this.#prepared.clear()
    try {
      // SQLite does it for the last connection that closes, but prepared statements keep this one open until they are collected.
      if (this.#checkpoint) this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      // A full disk, for one: all is in the file and the -wal beside it.
    } finally {
      this.#database.close()
    }
  }

  #occupy(): () => void {
    let release = () => {}
    this.#writer = new Promise((resolve) => {
      release = () => {
        this.#writer = undefined
        resolve()
        this.#flush()
      }
    })
    return release
  }

  /** Tries again for a while if another program writes. */
  async #whenFree<A>(body: () => A): Promise<A> {
    const deadline = performance.now() + this.#busyLimitMillis
    for (let millis = 1; ; millis = Math.min(2 * millis, 50)) {
      while (this.#transaction !== undefined) await this.#transaction
      try {
        return body()
      } catch (error) {
        if (!isBusy(error) || this.#closed || performance.now() >= deadline) throw error
      }
      await sleep(millis)
    }
  }

  async #flush(): Promise<void> {
    if (this.#writer !== undefined || this.#writes.length === 0) return
    const release = this.#occupy()
    const writes = this.#writes
    this.#writes = []
    try {
      await this.#whenFree(() => this.#commit(writes))
    } catch (error) {
      for (const { reject } of writes) reject(error)
    } finally {
      release()
    }
  }

  /**
   * Also a single write has its BEGIN, which waits for the lock in its place: a prepared statement that finds the file locked stays
   * active until it is collected, and until then nothing that this connection writes is committed.
   */
  #commit(writes: ReadonlyArray<Write>): void {
    this.#database.exec("BEGIN IMMEDIATE")
    try {
      const answers = writes.map(({ statement, resolve, reject }) => {
        try {
          const result = this.#run(statement)
          return () => resolve(result)
        } catch (error) {
          // A full disk, for one, ends the transaction, and with it the writes of the others.
          if (this.#closed || !this.#database.inTransaction) throw error
          return () => reject(error)
        }
      })
      this.#database.exec("COMMIT")
      for (const answer of answers) answer()
    } finally {
      this.#rollback()
    }
  }

  /**
   * A statement that is not prepared waits for the lock, as in {@link #commit}: a read that is prepared and finds the file locked would
   * go on to see the file as it is then, and after the next write of another program no write could begin.
   */
  #read(statement: Libsql.InStatement): Libsql.ResultSet {
    try {
      this.#database.exec("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
      return this.#run(statement)
    } finally {
      this.#rollback()
    }
  }

  #rollback(): void {
    // A closed database ends the process if it is asked.
    if (!this.#closed && this.#database.inTransaction) this.#database.exec("ROLLBACK")
  }

  #run(statement: Libsql.InStatement): Libsql.ResultSet {
    const sql = sqlOf(statement)
    const { columns, prepared } = this.#prepare(sql)
    const values = typeof statement === "string" ? [] : (statement.args as ReadonlyArray<unknown>).map(toSql)
    try {
      if (columns === undefined) return resultSet([], prepared.run(values).changes)
      const rows = prepared.all(values).map((row) => {
        const record: Record<string, unknown> = Object.create(Row.prototype)
        for (const [index, name] of columns.entries()) record[name] = (row as ReadonlyArray<unknown>)[index]
        return record as unknown as Libsql.Row
      })
      return resultSet(rows, 0)
    } catch (error) {
      // It may have stopped between two rows. One that found the file locked is begun anew by the next try.
      if (!isBusy(error)) this.#prepared.delete(sql)
      throw error
    }
  }

  /** To prepare a statement takes longer than to run it. */
  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    statement.safeIntegers(true)
    const columns = statement.reader ? statement.columns().map(({ name }) => name) : undefined
    if (columns !== undefined) statement.raw(true)
    const [oldest] = this.#prepared.keys()
    if (oldest !== undefined && this.#prepared.size >= maxPrepared) this.#prepared.delete(oldest)
    const prepared = { prepared: statement, columns }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

const sqlOf = (statement: Libsql.InStatement): string => (typeof statement === "string" ? statement : statement.sql)

/** libSQL binds a number as a REAL: `7 / 100` of two numbers would be 0.07, and not 0. */
const toSql = (value: unknown): unknown => {
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value)
  if (typeof value === "boolean") return value ? 1n : 0n
  if (value instanceof Date) return BigInt(value.getTime())
  if (value instanceof Uint8Array && !Buffer.isBuffer(value)) return Buffer.from(value)
  return value
}

const resultSet = (rows: Array<Libsql.Row>, rowsAffected: number): Libsql.ResultSet => ({
  columns: [],
  columnTypes: [],
  rows,
  rowsAffected,
  lastInsertRowid: undefined,
  toJSON: () => rows
})
