/** The code of a system error, such as `ENOENT`, for a message. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown error"
