/** `SHMSIZE`: SQLite had no room for the shared memory of its log. */
const codes = ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"]

/** Whether an error, or the cause of it, is a full disk: the system's error, or SQLite's. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (("code" in error && codes.includes(String(error.code))) || isDiskFull(error.cause))
