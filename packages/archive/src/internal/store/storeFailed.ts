/**
 * Errors of the databases as the store's error: the code, and a sentence that says what to do.
 */
import type { SqlError } from "@effect/sql/SqlError"
import { ArchiveStoreFailed } from "../../ArchiveError.js"

/** An error of libSQL, of PostgreSQL or of the system. */
export const codeOf = (error: unknown): string | undefined => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return typeof code === "string" && code !== "" ? code : undefined
}

const notOpened =
  "The store can't be opened; check that its path is that of a file that you can read, in a folder that you can write to."

interface Advice {
  readonly codes: RegExp
  readonly sentence: string
  /** Whether it passes by itself, or is mended by an operator, while the process waits. */
  readonly outage: boolean
}

const advice: ReadonlyArray<Advice> = [
  {
    // SQLite reports a quota that is used up as IOERR_WRITE, and no room for the -shm file as IOERR_SHMSIZE.
    codes: /^(SQLITE_FULL|SQLITE_IOERR_(WRITE|SHMSIZE)|ENOSPC|EDQUOT|53100)/,
    sentence: "The disk of the store is full; free some space, and run the same again.",
    outage: true
  },
  {
    // 1544: SQLITE_READONLY_DIRECTORY, for which libsql has no name.
    codes: /^(SQLITE_READONLY|UNKNOWN_SQLITE_ERROR_1544|EROFS|EACCES|EPERM)/,
    sentence: "The store can't be written; check the permissions of the file and its folder.",
    outage: false
  },
  { codes: /^(SQLITE_CANTOPEN|ENOENT|ENOTDIR|EISDIR|EEXIST|ELOOP|ENAMETOOLONG)/, sentence: notOpened, outage: false },
  {
    codes: /^SQLITE_(NOTADB|CORRUPT)/,
    sentence: "The file is not a store, or it is damaged; give another file, or restore a copy.",
    outage: false
  },
  {
    codes: /^SQLITE_(BUSY|PROTOCOL)/,
    sentence: "Another process writes to the store; try again.",
    outage: true
  },
  {
    codes: /^SQLITE_IOERR/,
    sentence: "The disk of the store can't be read or written; check the disk.",
    outage: false
  },
  {
    codes: /^(28P01|28000)/,
    sentence: "The database refuses the user or the password; check the URL of the store.",
    outage: false
  },
  {
    codes: /^(EPROTO|ERR_SSL|ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/,
    sentence:
      "The server and this machine do not agree on TLS; check sslmode in the URL of the store, and the certificates.",
    outage: false
  },
  {
    codes: /^(3D000|57P04)/,
    sentence: "The server has no database of this name; create it, or check the URL of the store.",
    outage: false
  },
  {
    codes: /^(42501|25006)/,
    sentence: "The database does not let this user write; give the user the right to create tables and to change them.",
    outage: false
  },
  {
    codes: /^53300/,
    sentence: "The server has no connection left; raise its max_connections, or use fewer machines.",
    outage: true
  },
  { codes: /^53/, sentence: "The server has no memory or other resource left; check its log.", outage: true },
  {
    codes: /^(57P0\d|08|25P0[34])/,
    sentence: "The server shuts down, starts or has lost the connection; try again.",
    outage: true
  },
  {
    codes: /^(57014|55P03|40001|40P01)/,
    sentence: "The server ended a statement that took too long, or that met another one; try again.",
    outage: true
  },
  {
    codes: /^(ECONN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_|EPIPE)/,
    sentence: "The server can't be reached; check its address, and that it runs.",
    outage: true
  }
]

const adviceOn = (code: string) => advice.find(({ codes }) => codes.test(code))

const isServer = (store: string) => store.includes("://")

/** What pg says without a code although it stays: the code that is nearest to it. */
const codeOfText = (error: unknown): string | undefined => {
  const text = String(error)
  // A password is missing.
  if (/\bSASL\b/.test(text)) return "28P01"
  return /does not support SSL/.test(text) ? "EPROTO" : undefined
}

/** A cause that has no code: a file that can't be opened, or a connection that ended. */
const withoutCode = (store: string): string =>
  isServer(store)
    ? "The connection to the store ended or was not made in time; check that the database runs."
    : notOpened

/** `store` is the path, or the address without the password. */
export const storeFailed =
  (store: string) =>
  ({ cause }: Pick<SqlError, "cause">): ArchiveStoreFailed => {
    const code = codeOf(cause) ?? codeOfText(cause)
    const sentence =
      code === undefined
        ? withoutCode(store)
        : (adviceOn(code)?.sentence ?? "The database refused a statement; check its log.")
    return new ArchiveStoreFailed({
      store,
      ...(code !== undefined && { code }),
      message: `${sentence} (${store}${code === undefined ? "" : `, ${code}`})`
    })
  }

/**
 * Whether a store fails for now: a connection that is lost or refused, a server that shuts down or starts, a lock, a full disk.
 * It passes by itself, or by an operator, while the process waits. Others stay, such as a wrong password or a damaged file.
 */
export const isOutage = ({ code, store }: ArchiveStoreFailed): boolean =>
  code === undefined ? isServer(store) : (adviceOn(code)?.outage ?? false)
