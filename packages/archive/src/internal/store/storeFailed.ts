/**
 * Errors of the databases as the store's error: the code, and a sentence that says what to do.
 */
import type { SqlError } from "@effect/sql/SqlError"
import { StoreFailed } from "../../ArchiveError.js"

/** An error of libSQL, of PostgreSQL or of the system. */
export const codeOf = (error: unknown): string | undefined => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return typeof code === "string" && code !== "" ? code : undefined
}

const notOpened = "The store can't be opened; check that the path is a file in a folder that you can write to."

const advice: ReadonlyArray<readonly [codes: RegExp, sentence: string]> = [
  [/^(SQLITE_FULL|ENOSPC|53100)/, "The disk of the store is full; free some space, and run the same again."],
  [
    // 1544: SQLITE_READONLY_DIRECTORY, for which libsql has no name.
    /^(SQLITE_READONLY|UNKNOWN_SQLITE_ERROR_1544|EROFS|EACCES|EPERM)/,
    "The store can't be written; check the permissions of the file and its folder."
  ],
  [/^(SQLITE_CANTOPEN|ENOENT|ENOTDIR|EISDIR)/, notOpened],
  [/^SQLITE_(NOTADB|CORRUPT)/, "The file is not a store, or it is damaged; give another file, or restore a copy."],
  [/^SQLITE_BUSY/, "Another process writes to the store; try again."],
  [/^SQLITE_IOERR/, "The disk of the store can't be read or written; check the disk."],
  [/^(28P01|28000)/, "The database refuses the user or the password; check the URL of the store."],
  [/^3D000/, "The server has no database of this name; create it, or check the URL of the store."],
  [
    /^(42501|25006)/,
    "The database does not let this user write; give the user the right to create tables and to change them."
  ],
  [/^53300/, "The server has no connection left; raise its max_connections, or use fewer machines."],
  [/^(57P0\d|08\d{3})/, "The server shuts down, starts or has lost the connection; try again."],
  [
    /^(ECONN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_|EPIPE)/,
    "The server can't be reached; check its address, and that it runs."
  ]
]

/** A cause that has no code: a file that can't be opened, or a connection that ended. */
const withoutCode = (store: string): string =>
  store.includes("://")
    ? "The connection to the store ended or was not made in time; check that the database runs."
    : notOpened

/** `store` is the path, or the address without the password. */
export const storeFailed =
  (store: string) =>
  ({ cause }: Pick<SqlError, "cause">): StoreFailed => {
    const code = codeOf(cause)
    const sentence =
      code === undefined
        ? withoutCode(store)
        : (advice.find(([codes]) => codes.test(code))?.[1] ?? "The database refused a statement; check its log.")
    return new StoreFailed({
      store,
      ...(code !== undefined && { code }),
      message: `${sentence} (${store}${code === undefined ? "" : `, ${code}`})`
    })
  }
