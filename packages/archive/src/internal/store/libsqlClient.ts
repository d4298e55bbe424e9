/**
 * A libSQL client over one connection. `@libsql/client` gives its connection away with each transaction and opens another, so
 * that its settings are lost and files stay open.
 *
 * Writes that arrive in one turn of the event loop are committed together: with `synchronous=FULL` the disk, and not the
 * processor, bounds the rate. Each of them is answered after the commit. A statement that fails changes nothing, and the others
 * are committed.
 */
import type * as Libsql from "@libsql/client"
import Database from "libsql"

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

/** More than this package and the workflow engine have. A list of values of another length is another statement. */
const maxPrepared = 200

const isRead = /^\s*SELECT\b/i

/** Waits so long for another process that writes. */
const busyTimeoutMillis = 5_000

export class SingleConnection {
  readonly #database: Database.Database
  /** Resolves when the open transaction ends. */
  #transaction: Promise<void> | undefined
  #writes: Array<Write> = []
  readonly #prepared = new Map<string, Prepared>()

  constructor(path: string) {
    this.#database = new Database(path)
    try {
      this.#database.exec(`PRAGMA busy_timeout=${busyTimeoutMillis}`)
      this.#database.exec("PRAGMA journal_mode=WAL")
      this.#database.exec("PRAGMA synchronous=FULL")
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** What {@link Libsql.Client} asks for, as far as `@effect/sql-libsql` uses it. */
  get client(): Libsql.Client {
    return this as unknown as Libsql.Client
  }

  async execute(statement: Libsql.InStatement): Promise<Libsql.ResultSet> {
    while (this.#transaction !== undefined) await this.#transaction
    if (isRead.test(sqlOf(statement))) return this.#run(statement)
    return new Promise((resolve, reject) => {
      this.#writes.push({ statement, resolve, reject })
      if (this.#writes.length === 1) setImmediate(() => this.#flush())
    })
  }

  async transaction() {
    while (this.#transaction !== undefined) await this.#transaction
    this.#flush()
    this.#database.exec("BEGIN IMMEDIATE")
    let end = () => {}
    this.#transaction = new Promise((resolve) => {
      end = () => {
        this.#transaction = undefined
        resolve()
        this.#flush()
      }
    })
    return {
      execute: async (statement: Libsql.InStatement) => this.#run(statement),
      commit: async () => {
        try {
          this.#database.exec("COMMIT")
        } finally {
          this.#rollback()
          end()
        }
      },
      rollback: async () => {
        this.#rollback()
        end()
      }
    }
  }

  close(): void {
    if (this.#transaction === undefined) this.#flush()
    this.#database.close()
  }

  #flush(): void {
    if (this.#transaction !== undefined || this.#writes.length === 0) return
    const writes = this.#writes
    this.#writes = []
    const [only] = writes
    if (only !== undefined && writes.length === 1) {
      try {
        only.resolve(this.#run(only.statement))
      } catch (error) {
        only.reject(error)
      }
      return
    }
    try {
      this.#database.exec("BEGIN IMMEDIATE")
      const answers = writes.map(({ statement, resolve, reject }) => {
        try {
          const result = this.#run(statement)
          return () => resolve(result)
        } catch (error) {
          // A full disk, for one, ends the transaction, and with it the writes of the others.
          if (!this.#database.inTransaction) throw error
          return () => reject(error)
        }
      })
      this.#database.exec("COMMIT")
      for (const answer of answers) answer()
    } catch (error) {
      this.#rollback()
      for (const { reject } of writes) reject(error)
    }
  }

  #rollback(): void {
    if (this.#database.inTransaction) this.#database.exec("ROLLBACK")
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
      // It may have stopped between two rows.
      this.#prepared.delete(sql)
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
